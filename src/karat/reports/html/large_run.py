"""The page of a run with more cases than fit in it. Figures, failure groups and plots are over all cases, made from
their columns; of the cases themselves only the worst are read. So it takes seconds, whatever the number of cases.

What the suite counts over all cases (its own tables and charts) would need every case: it is left out, and the page
says where it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from karat.core.metric import Metric
from karat.core.report import Report
from karat.core.results.columns.columns import STATES, Columns, StoredCases, cases_at, columns_of
from karat.core.results.failures.failure_columns import FailureColumns, failure_columns_of
from karat.core.results.result import CaseResult, Estimator, RunResult
from karat.core.results.usage import USAGE
from karat.core.scores import Score
from karat.core.suite import Suite
from karat.reports.html.cases import MOST_CASES, overview_table
from karat.reports.html.order import worst_first
from karat.reports.html.page import shown_metrics
from karat.reports.html.report import html_report
from karat.reports.plots.figures import headline_metric, recall_and_precision

LARGE = MOST_CASES
"""Cases above which a page is made this way."""
KEPT = 1_000
"""Of the worst cases, how many are read; as many as fit are in the page."""

Say = Callable[[str], None]
"""Takes what is being done, in words."""


def large_report(
    result: RunResult,
    suite: Suite,
    estimate: Estimator,
    back: str = "",
    menu: Collection[str] = (),
    say: Say | None = None,
) -> str:
    """The page of a large run; ``back`` and ``menu`` as in ``html_report``. ``say`` is called with the current step."""
    say = say or (lambda _: None)
    metrics = suite.metrics_for(result.run.headline)
    say(f"reading the figures of {len(result.cases):,} cases")
    shown = shown_metrics(result, (*metrics, *USAGE))
    every = msgspec.structs.replace(result, cases=CasesByFigures(result, _drawn(shown)))
    say(f"reading the worst {KEPT:,} cases")
    kept = msgspec.structs.replace(result, cases=tuple(cases_at(result.cases, worst_first(result, shown, KEPT))))
    report = suite.report(kept, estimate)
    found = overview_table(report, kept.cases)
    say("writing the page")
    report = Report(report.title, (found[0],) if found else ())
    return html_report(kept, report, metrics, estimate, back, menu, every=every, left_out=_left_out(result))


def _left_out(result: RunResult) -> str:
    name = result.run.id or "RUN"
    return (
        f"The suite's own tables and charts count all {len(result.cases):,} cases one by one. They are not on this "
        f"page of a large run; karat report {name} --html report.html --xlsx report.xlsx writes them."
    )


def _drawn(metrics: Sequence[Metric]) -> list[str]:
    """The metrics that the page draws or counts case by case."""
    front, pair = headline_metric(metrics), recall_and_precision(metrics)
    named = [metric for metric in metrics if metric.headline or metric.kind == "rate"]
    return list(dict.fromkeys(metric.name for metric in (*named, *((front,) if front else ()), *(pair or ()))))


class CasesByFigures(StoredCases):
    """All cases of a run with their states, tags and some figures; without their details, which are not read."""

    def __init__(self, result: RunResult, metrics: Sequence[str]) -> None:
        self._columns = columns_of(result)
        self._failures = failure_columns_of(result)
        self._cases = tuple(_made(self._columns, metrics))

    def __len__(self) -> int:
        return len(self._cases)

    def __getitem__(self, place: int | slice) -> CaseResult | tuple[CaseResult, ...]:  # type: ignore[override]  # narrower
        return self._cases[place]

    def __iter__(self) -> Iterator[CaseResult]:
        return iter(self._cases)

    def columns(self, *, groups: bool = True) -> Columns:  # noqa: ARG002 (they are there already)
        """The columns of the run."""
        return self._columns

    def failures(self) -> FailureColumns:
        """The failures of the run."""
        return self._failures

    def at(self, places: Sequence[int]) -> list[CaseResult]:
        """The cases at these places, as far as they are known here."""
        return [self._cases[place] for place in places]


def _made(columns: Columns, metrics: Sequence[str]) -> Iterator[CaseResult]:
    values = [columns.column(name).tolist() for name in metrics]
    clusters = columns.clusters or [""] * len(columns)
    tags = columns.words.tags
    words, codes, starts = [word[0] for word in tags.words], tags.codes.tolist(), tags.starts.tolist()
    for place, (case, status) in enumerate(zip(columns.case_ids, columns.statuses.tolist(), strict=True)):
        own = ((name, column[place]) for name, column in zip(metrics, values, strict=True))
        scores = {name: Score(value) for name, value in own if value == value}  # NaN: it has none
        named = tuple(words[code] for code in codes[starts[place] : starts[place + 1]])
        details = {"cluster": clusters[place]} if clusters[place] else {}
        yield CaseResult(case, STATES[status], scores, details, tags=named)
