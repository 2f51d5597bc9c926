"""Expectations in the reports of every suite: their averages, the reasons, and each case with what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from karat.core.expect.findings import METRIC_NAMES
from karat.core.expect.outcome import checks_in
from karat.core.metric import Metric
from karat.core.presentation.plain_report import metric_column
from karat.core.problems import count_of, percent
from karat.core.report import Column, Sheet, Table, summary_table
from karat.core.results.result import RunResult
from karat.core.suite import EXPECTATIONS


def expected_metrics(metrics: Sequence[Metric], result: RunResult) -> list[Metric]:
    """The metrics of expectations; none where no case of the run expects anything."""
    if EXPECTATIONS not in result.run.headline:
        return []
    return [metric for metric in metrics if metric.name in METRIC_NAMES]


def expectations_table(result: RunResult, metrics: Sequence[Metric]) -> Table:
    """Their averages."""
    return summary_table(result, "Expectations", metrics)


def expectations_sheet(result: RunResult, metrics: Sequence[Metric]) -> Sheet:
    """Each case that expects something: its figures, its reasons, and what was found. Then how often each reason is."""
    columns = (
        Column("id", "wrapped", 30),
        *map(metric_column, metrics),
        Column("reasons", "wrapped", 24),
        Column("what was found", "wrapped", 80),
    )
    rows, counted = [], Counter[str]()
    for case in result.cases:
        scores = [case.scores.get(metric.name) for metric in metrics]
        if all(score is None for score in scores):
            continue
        checks = [check for one in case.repeats or (case,) for check in checks_in(one.details)]
        codes = list(dict.fromkeys(code for check in checks for code in check.codes))
        counted.update(codes)
        notes = dict.fromkeys(score.reason for score in scores[:1] if score is not None and score.reason)
        values = (None if score is None else score.value for score in scores)
        rows.append((case.id, *values, "\n".join(codes), "\n".join(notes)))
    reasons = Table((Column("reason", width=30), Column("cases", "count", 10)), tuple(counted.most_common()), "Reasons")
    heads = (Column("metric", width=30), Column("how it is computed", "wrapped", 80))
    formulas = Table(heads, tuple((metric.title, metric.formula) for metric in metrics), "The metrics")
    tables = (Table(columns, tuple(rows), "By case"), *((reasons,) if counted else ()), formulas)
    return Sheet("Expectations", tables)


def untraced_lines(result: RunResult) -> list[str]:
    """For the terminal: the share of cases whose calls are not known. No trace is not an empty trace."""
    if EXPECTATIONS not in result.run.headline:
        return []
    asking = [case for case in result.cases if EXPECTATIONS in case.scores]
    without = [case for case in asking if any("no_trace" in check.codes for check in checks_in(case.details))]
    if not without:
        return []
    cases = f"{len(without):,} of {count_of(len(asking), 'case')} with expect ({percent(len(without) / len(asking))})"
    return [f"no trace       {cases} cannot be checked: the answer does not say what it called or used"]
