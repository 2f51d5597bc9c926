"""The report of a submission: one row per instance with its reason, both profiles' figures, the flips, the gold that
looks wrong."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.report import (
    Cell,
    Column,
    Report,
    Sheet,
    Table,
    about_sheet,
    bar_chart,
    errors_sheet,
    estimate_cells,
    estimate_columns,
    states_table,
    summary_table,
    tags_table,
)
from karat.core.results.result import CaseResult, Estimator, RunResult
from karat.core.results.usage import USAGE
from karat.suites.answers.details import Details, details_of, judged
from karat.suites.answers.evidence import evidence_lines
from karat.suites.answers.metrics import METRICS
from karat.suites.answers.text_to_sql.report import sql_sheets

PROFILES = ("spider2", "strict")
LISTED = 8
"""This many instances are named for a reason."""


def report(result: RunResult, estimate: Estimator) -> Report:
    """Overview, Statistics, why answers are not right, the verdicts that flip, errors, About."""
    sheets = (
        _overview(result),
        _statistics(result, estimate),
        _reasons(result),
        _flips(result),
        *sql_sheets(result, estimate),
        errors_sheet(result),
        about_sheet(result, (*METRICS, *USAGE)),
    )
    return Report(f"answers {result.run.id}".strip(), tuple(sheet for sheet in sheets if sheet is not None))


def _evidence(details: Details | None) -> str:
    return "\n".join(evidence_lines(details.evidence)) if details is not None else ""


def _overview(result: RunResult) -> Sheet:
    columns = (
        Column("instance", "wrapped", 24),
        Column("question", "wrapped", 40),
        Column("tags", "wrapped", 14),
        Column("status", "status", 12),
        Column("spider2", "score", 10, decimals=0),
        Column("strict", "score", 10, decimals=0),
        Column("strict says", "text", 14),
        Column("reason", "text", 18),
        Column("evidence", "wrapped", 70),
        Column("taken as equal", "wrapped", 18),
        Column("cell F1", "score", 9),
        Column("share of rows", "score", 9),
        Column("error", "wrapped", 30),
    )
    rows = tuple(_row(case, details_of(case)) for case in result.cases)
    return Sheet("Overview", (Table(columns, rows),), freeze_columns=1, print_columns=9)


def _row(case: CaseResult, details: Details | None) -> tuple[Cell, ...]:
    return (
        case.id,
        case.question,
        ", ".join(case.tags),
        case.status,
        case.scores["spider2"].value,
        case.scores["strict"].value,
        details.strict.state.replace("_", " ") if details is not None else "",
        details.reason if details is not None else "",
        _evidence(details),
        ", ".join(details.strict.normalised) if details is not None else "",
        case.scores["cell_f1"].value,
        case.scores["row_share"].value,
        case.error,
    )


def _statistics(result: RunResult, estimate: Estimator) -> Sheet:
    tables = (
        summary_table(result, "Answers", METRICS, decimals=3),
        summary_table(result, "Time and cost of an instance", USAGE),
        states_table(result),
        _by_function(result.cases, estimate),
        tags_table(result.cases, [metric for metric in METRICS if metric.name in PROFILES], estimate),
    )
    return Sheet("Statistics", tuple(table for table in tables if table is not None and table.rows))


def _by_function(cases: Sequence[CaseResult], estimate: Estimator) -> Table | None:
    """Both profiles for each function that the gold is compared with."""
    groups: dict[str, list[CaseResult]] = {}
    for case in cases:
        details = details_of(case)
        for name in details.functions if details is not None else ():
            groups.setdefault(name, []).append(case)
    if not groups:
        return None
    columns = [Column("function", "text", 24), Column("instances", "count", 11)]
    for profile in PROFILES:
        columns += estimate_columns(profile)
    rows: list[tuple[Cell, ...]] = []
    for name, members in sorted(groups.items()):
        values = ([v for case in members if (v := case.scores[p].value) is not None] for p in PROFILES)
        rows.append((name, len(members), *estimate_cells(estimate(found, "rate") for found in values)))
    return Table(tuple(columns), tuple(rows), "By function")


def _reasons(result: RunResult) -> Sheet | None:
    """How often each reason was given, the most frequent first, as a table and as bars."""
    named: dict[str, list[str]] = {}
    for case, details in judged(result):
        if case.status == "scored" and details.reason:
            named.setdefault(details.reason, []).append(case.id)
    if not named:
        return None
    found = sorted(named.items(), key=lambda item: -len(item[1]))
    total = sum(len(ids) for _, ids in found)
    columns = (
        Column("reason", "text", 24),
        Column("instances", "count", 11),
        Column("share", "number", 9, decimals=3),
        Column("which", "wrapped", 40),
    )
    rows = tuple((reason, len(ids), len(ids) / total, _listed(ids)) for reason, ids in found)
    bars = bar_chart("Why answers are not right", "reason", "instances", len(rows), 1)
    return Sheet("Reasons", (Table(columns, rows),), freeze_columns=1, charts=(bars,))


def _listed(ids: Sequence[str]) -> str:
    rest = len(ids) - LISTED
    return ", ".join(ids[:LISTED]) + (f" and {rest:,} more" if rest > 0 else "")


def _flips(result: RunResult) -> Sheet | None:
    rows: list[tuple[Cell, ...]] = [
        (case.id, details.spider2.state, details.strict.state, details.reason, _evidence(details))
        for case, details in judged(result)
        if details.flips
    ]
    if not rows:
        return None
    columns = (
        Column("instance", "wrapped", 24),
        Column("spider2", "text", 12),
        Column("strict", "text", 14),
        Column("reason", "text", 18),
        Column("evidence", "wrapped", 80),
    )
    return Sheet("Flips", (Table(columns, tuple(rows)),), freeze_columns=1)
