"""The metrics of a run as the pages show them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core import plugins
from karat.core.metric import Kind, Metric
from karat.core.problems import UserError
from karat.core.results.result import MetricSummary
from karat.core.results.usage import USAGE
from karat.store import RunRow

SHOWN = 4
"""Figures at the top of a run's page, on one axis."""


class Figure(msgspec.Struct, frozen=True):
    """A metric with its figures. ``index`` is its place in the summary, by which the store finds its values."""

    index: int
    name: str
    title: str
    formula: str
    kind: Kind
    headline: bool
    higher_is_better: bool
    summary: MetricSummary
    held_out_by: str = ""
    """The figure that says what to expect of new cases, where this one was chosen on the cases themselves."""
    counts_all: bool = False
    """Whether a case without a verdict counts 0 in it."""

    def only_counts(self, status: str, main: float | None) -> bool:
        """Whether a 0 in this figure is no verdict: the call failed, there is no answer, or nothing settles whether it
        is right. ``main``: what the case has in the main figure."""
        return status in ("error", "missing") or (self.counts_all and main is None)


def suite_metrics(suite: str, headline: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics of a suite with the headline of a run; none when it is not installed here."""
    try:
        return (*plugins.load_suite(suite).metrics_for(headline), *USAGE)
    except (UserError, ImportError):
        return ()


def figures_of(row: RunRow) -> list[Figure]:
    """Every metric of the run's newest scoring, in its order."""
    known = {metric.name: metric for metric in suite_metrics(row.suite, row.headline)}
    return [_figure(index, item, known.get(item.metric)) for index, item in enumerate(row.summary)]


def _figure(index: int, item: MetricSummary, metric: Metric | None) -> Figure:
    if metric is None:
        return Figure(index, item.metric, item.metric.replace("_", " "), "", "share", False, True, item)
    return Figure(
        index,
        item.metric,
        metric.title,
        metric.formula,
        metric.kind,
        metric.headline,
        metric.higher_is_better,
        item,
        metric.held_out_by,
        metric.counts_all,
    )


def headline(figures: Sequence[Figure]) -> list[Figure]:
    """The few that are shown large: the headline metrics, or the first ones when none is; those that have a value in
    this run, where any has one."""
    chosen = [item for item in figures if item.headline] or list(figures)
    return ([item for item in chosen if item.summary.n] or chosen)[:SHOWN]


def listed_columns(figures: Sequence[Figure]) -> list[Figure]:
    """The columns of a list of cases where nobody chose others: the headline figures, less the one that says right or
    wrong, as every line says that with a sign."""
    main = main_figure(figures)
    return [item for item in headline(figures) if item is not main or item.kind != "rate"] or headline(figures)


def held_out_figure(figures: Sequence[Figure], main: Figure | None) -> Figure | None:
    """The same figure held out, where the run has it."""
    name = main.held_out_by if main is not None else ""
    return next((item for item in figures if item.name == name and item.summary.mean is not None), None)


def main_figure(figures: Sequence[Figure]) -> Figure | None:
    """The one that says right or wrong: the first headline rate, else the first headline metric."""
    shown = headline(figures)
    return next((item for item in shown if item.kind == "rate"), shown[0] if shown else None)
