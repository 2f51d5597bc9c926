"""The report of code: one row per task, the lost points at their lines, error classes, the recovery funnel, what
requirements were missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from karat.core.report import (
    CELL_LIMIT,
    Cell,
    Column,
    Report,
    Sheet,
    Table,
    about_sheet,
    bar_chart,
    errors_sheet,
    states_table,
    summary_table,
    tags_table,
    visible,
)
from karat.core.results.result import CaseResult, Estimator, RunResult
from karat.core.results.usage import USAGE
from karat.suites.codegen.details import Details, Try, details_of, tries
from karat.suites.codegen.harness.score import TEST_FAILED
from karat.suites.codegen.hidden_tests.sheet import sheet_of_tests
from karat.suites.codegen.metrics import METRICS
from karat.suites.codegen.metrics.correctness import FIGURES
from karat.suites.codegen.plots.excel_plots import plots_sheet
from karat.suites.codegen.repair.excel_recovery import recovery_sheet
from karat.suites.codegen.repair.excel_strategies import strategies_sheet
from karat.suites.codegen.running.printed_answers import REASON as PRINTED
from karat.suites.codegen.steps.sheet import steps_sheet
from karat.suites.codegen.summaries.counts import class_of, error_counts, kind_of, missing_counts
from karat.suites.codegen.summaries.environments_sheet import environments_sheet
from karat.suites.codegen.written_files.sheet import files_sheet

PARTS = ("correctness", "quality", "performance", "understanding", "coverage", "recovery")
LONGEST_CODE = CELL_LIMIT // 2
MOST_EXAMPLES = 3


def report(result: RunResult, estimate: Estimator) -> Report:
    """Overview, Statistics, Lost points, Errors by class, Recovery, Missing requirements, Environments, failed
    calls, About."""
    sheets = (
        _overview(result),
        _statistics(result, estimate),
        steps_sheet(result),
        _lost_points(result),
        _error_classes(result),
        recovery_sheet(result, estimate),
        strategies_sheet(result, estimate),
        plots_sheet(result),
        sheet_of_tests(result),
        _missing(result),
        files_sheet(result),
        environments_sheet(result),
        errors_sheet(result),
        about_sheet(result, (*METRICS, *USAGE)),
    )
    return Report(f"codegen {result.run.id}".strip(), tuple(sheet for sheet in sheets if sheet is not None))


def _score(case: Try, name: str) -> float | None:
    found = case.scores.get(name)
    return None if found is None else found.value


def _code(text: object) -> str:
    code = visible(str(text or ""))
    return (
        code if len(code) <= LONGEST_CODE else f"{code[:LONGEST_CODE]}\n… {len(code) - LONGEST_CODE:,} more characters"
    )


# -- one row per task -------------------------------------------------------------------------------------------------


def _overview(result: RunResult) -> Sheet:
    columns = (
        Column("task", "wrapped", 22),
        Column("question", "wrapped", 40),
        Column("tags", "wrapped", 14),
        Column("status", "status", 12),
        Column("overall", "score", 9),
        *(Column(part, "score", 12) for part in PARTS),
        Column("attempts", "count", 9),
        Column("error class", "text", 15),
        Column("why", "wrapped", 40),
        Column("code", "wrapped", 70),
    )
    rows: list[tuple[Cell, ...]] = []
    for case in result.cases:
        details = details_of(case)
        tried = details.attempts if details is not None else ()
        rows.append(
            (
                case.id,
                visible(case.question),
                ", ".join(case.tags),
                case.status,
                _score(case, "overall"),
                *(_score(case, part) for part in PARTS),
                len(tried) or None,
                tried[0].error_class or "" if tried else "",
                visible(why(case, details)),
                _code(details.code if details is not None else None),
            )
        )
    return Sheet("Overview", (Table(columns, tuple(rows)),), freeze_columns=1, print_columns=13)


def why(case: CaseResult, details: Details | None) -> str:
    """The first thing to know of a task that is not right: its error, what its result lacks, what it left out."""
    if case.error or details is None:
        return case.error
    lines = []
    if details.error:
        lines.append(f"{details.error}{f' (line {details.line})' if details.line else ''}")
    elif len(details.attempts) > 1:
        lines.append(f"first: {details.attempts[0].error}")
    reason, evidence = details.correctness.reason, details.correctness.evidence
    if reason == PRINTED:
        lines = [evidence["problem"]]  # also where it is the error already
    elif reason and reason != "did_not_run":
        problem = evidence.get("problem") if reason in (TEST_FAILED, FIGURES) else ""
        lines.append(reason.replace("_", " ") + (f": {problem}" if problem else ""))
    return "\n".join((*lines, *details.missing))


# -- figures ----------------------------------------------------------------------------------------------------------


def _statistics(result: RunResult, estimate: Estimator) -> Sheet:
    tables = (
        summary_table(result, "Code", METRICS, decimals=3),
        summary_table(result, "Time and cost of a task", USAGE),
        states_table(result),
        tags_table(result.cases, [metric for metric in METRICS if metric.name in ("overall", "correctness")], estimate),
    )
    return Sheet("Statistics", tuple(table for table in tables if table is not None and table.rows))


# -- where points are lost --------------------------------------------------------------------------------------------


def _lost_points(result: RunResult) -> Sheet | None:
    columns = (
        Column("task", "wrapped", 22),
        Column("line", "count", 7),
        Column("code", "wrapped", 80),
        Column("points", "number", 9, decimals=2),
        Column("reason", "wrapped", 60),
    )
    rows = [row for case, details in tries(result) for row in marked_lines(case.id, details)]
    if not any(row[4] for row in rows):
        return None
    note = "Every line of code that lost points, and why; lines without a mark lost none."
    return Sheet("Lost points", (Table(columns, tuple(rows), note=note),), freeze_columns=1)


def marked_lines(task: str, details: Details) -> list[tuple[Cell, ...]]:
    """The code of a task line by line, with the points lost in a line and the reasons; nothing for code that lost
    none."""
    losses: dict[int, list[tuple[float, str]]] = {}
    for loss in details.quality.lost:
        losses.setdefault(loss.line or 0, []).append((loss.points, loss.reason))
    if details.error:
        losses.setdefault(details.line or 0, []).append((0.0, details.error))
    losses.setdefault(0, []).extend((0.0, words) for words in details.missing)
    if not any(losses.values()):
        return []
    lines = details.code.splitlines()
    rows: list[tuple[Cell, ...]] = []
    for number, text in enumerate(lines, start=1):
        found = losses.pop(number, [])
        rows.append((task, number, visible(text)[:1_000], _points(found), _reasons(found)))
    whole = [loss for found in losses.values() for loss in found]  # what belongs to no line
    if whole:
        rows.append((task, 0, "the code as a whole", _points(whole), _reasons(whole)))
    return rows


def _points(found: Sequence[tuple[float, str]]) -> Cell:
    """Empty in a line that lost none."""
    total = sum(points for points, _ in found)
    return -round(total, 4) if total else ""


def _reasons(found: Sequence[tuple[float, str]]) -> str:
    return visible("\n".join(reason for _, reason in found))


# -- errors, requirements ---------------------------------------------------------------------------------------------


def _error_classes(result: RunResult) -> Sheet | None:
    counts = error_counts(result)
    if not counts:
        return None
    recovered: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    for case, details in tries(result):
        first, last = details.attempts[0], details.attempts[-1]
        if not first.ran:
            name = class_of(first)
            recovered[name] += last.ran
            examples.setdefault(name, []).append(f"{case.id}: {first.error}")
    rows = tuple(
        (name, count, recovered[name], visible("\n".join(examples[name][:MOST_EXAMPLES])))
        for name, count in counts.most_common()
    )
    columns = (
        Column("error class", "text", 18),
        Column("tasks", "count", 9),
        Column("recovered", "count", 11),
        Column("examples", "wrapped", 90),
    )
    note = "The class of the first error of each task; a recovered error stays counted."
    bars = bar_chart("First errors by class", "error class", "tasks", len(rows), 1)
    return Sheet("Errors by class", (Table(columns, rows, note=note),), charts=(bars,))


def _missing(result: RunResult) -> Sheet | None:
    counts = missing_counts(result)
    if not counts:
        return None
    kinds = Table(
        (Column("kind", "text", 16), Column("tasks", "count", 9)), tuple(counts.most_common()), "Missed, by kind"
    )
    rows = tuple(
        (case.id, kind_of(words), visible(words)) for case, details in tries(result) for words in details.missing
    )
    columns = (Column("task", "wrapped", 22), Column("kind", "text", 16), Column("requirement", "wrapped", 90))
    each = Table(columns, rows, "Each of them")
    bars = bar_chart("Missed requirements by kind", "kind", "tasks", len(kinds.rows), 1)
    return Sheet("Missing requirements", (kinds, each), charts=(bars,))
