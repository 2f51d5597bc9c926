"""The report of a suite that has none of its own: a row for each case, the averages, what failed, and what run this
was."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.core.metric import Metric
    from karat.core.report import Cell, Column, Report, Sheet
    from karat.core.results.result import Estimator, RunResult


def plain_report(result: RunResult, estimate: Estimator) -> Report:
    """The whole report. Which metrics there are, and why a case came out as it did, is asked of the suite of the
    run."""
    from karat.core.plugins import load_suite
    from karat.core.report import Report, Sheet, about_sheet, errors_sheet, states_table, summary_table, tags_table
    from karat.core.results.usage import USAGE

    metrics = [metric for metric in load_suite(result.run.suite).metrics_for(result.run.headline) if not metric.package]
    usage = [metric for metric in USAGE if any(item.metric == metric.name for item in result.summary)]
    tags = tags_table(result.cases, [metric for metric in metrics if metric.headline] or metrics[:1], estimate)
    tables = [summary_table(result, "Metrics", metrics), summary_table(result, "Time and cost of a case", usage)]
    tables += [states_table(result), *([tags] if tags is not None else [])]
    errors = errors_sheet(result)
    sheets = [_overview(result, metrics), Sheet("Statistics", tuple(table for table in tables if table.rows))]
    sheets += [*([errors] if errors is not None else []), about_sheet(result, [*metrics, *usage])]
    return Report(f"{result.run.name or result.run.suite}: {result.run.suite} report", tuple(sheets))


def metric_column(metric: Metric) -> Column:
    """The column of a metric in a table with a row for each case."""
    from karat.core.report import Column

    return Column(metric.title, "number" if metric.kind == "quantity" else "score", 11, metric.higher_is_better)


def _overview(result: RunResult, metrics: list[Metric]) -> Sheet:
    from karat.core.presentation.case_explanation import explanation_of
    from karat.core.report import Column, Sheet, Table

    columns = (
        Column("id", "wrapped", 20),
        Column("tags", "wrapped", 14),
        Column("question", "wrapped", 44),
        Column("status", "status", 10),
        *map(metric_column, metrics),
        Column("expected", "wrapped", 26),
        Column("given", "wrapped", 26),
        Column("what is wrong", "wrapped", 44),
    )
    rows: list[tuple[Cell, ...]] = []
    for case in result.cases:
        scores = [case.scores.get(metric.name) for metric in metrics]
        values = [None if score is None else score.value for score in scores]
        told = explanation_of(result.run.suite, case)
        sides = (
            "\n".join(f"{part.label}: {', '.join(side)}" for part in told.parts if (side := getattr(part, which)))
            for which in ("expected", "given")
        )
        rows.append((case.id, ", ".join(case.tags), case.question, case.status, *values, *sides, told.headline))
    return Sheet("Overview", (Table(columns, tuple(rows)),), freeze_columns=1)
