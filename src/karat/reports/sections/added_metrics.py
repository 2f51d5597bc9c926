"""Metrics that other packages add to a suite: its own report does not know them, so they are reported here, for every
suite alike."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Metric
from karat.core.presentation.plain_report import metric_column
from karat.core.report import Column, Sheet, Table, summary_table
from karat.core.results.result import RunResult


def added(metrics: Sequence[Metric], result: RunResult) -> list[Metric]:
    """Those of the metrics that another package adds and the run has figures for."""
    known = {item.metric for item in result.summary}
    return [metric for metric in metrics if metric.package and metric.name in known]


def added_table(result: RunResult, metrics: Sequence[Metric]) -> Table:
    """Their averages."""
    return summary_table(result, "Metrics of plug-ins", metrics)


def added_sheet(result: RunResult, metrics: Sequence[Metric]) -> Sheet:
    """Their value for each case, and what they mean."""
    columns = (Column("id", "wrapped", 30), *map(metric_column, metrics), Column("notes", "wrapped", 60))
    rows = []
    for case in result.cases:
        scores = [case.scores.get(metric.name) for metric in metrics]
        values = (None if score is None else score.value for score in scores)
        notes = dict.fromkeys(score.reason for score in scores if score is not None and score.reason)
        rows.append((case.id, *values, "\n".join(notes)))
    formulas = tuple((metric.title, metric.formula, metric.package) for metric in metrics)
    heads = (Column("metric", width=30), Column("how it is computed", "wrapped", 80), Column("package", width=30))
    return Sheet("Plug-in metrics", (Table(heads, formulas, "The metrics"), Table(columns, tuple(rows), "By case")))
