"""The report's sheets for gold SQL: every figure of every case, by difficulty and database, where they
disagree, and which parts fail most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from karat.core.report import Cell, Column, Sheet, Table, bar_chart
from karat.core.results.result import CaseResult, Estimator, RunResult
from karat.suites.answers.details import SqlDetails, judged
from karat.suites.answers.gold.headline_profile import EVERY
from karat.suites.answers.text_to_sql.breakdown import breakdown_sheet
from karat.suites.answers.text_to_sql.cost_report import Judged, cost_sheet


def queried(result: RunResult) -> list[Judged]:
    """The cases whose gold is SQL."""
    return [(case, details, details.sql) for case, details in judged(result) if details.sql is not None]


def sql_sheets(result: RunResult, estimate: Estimator) -> list[Sheet]:
    """None where no gold is SQL."""
    cases = queried(result)
    if not cases:
        return []
    broken_down = breakdown_sheet(cases, estimate)
    more = [broken_down] if broken_down is not None else []
    return [_figures(cases), *more, *_disagreements(cases), *_parts(cases), cost_sheet(cases, result.run.system)]


def disagreements(cases: Iterable[Judged]) -> Counter[tuple[str, str, str]]:
    """(figure, what it says, strict's reason or what its pass needed) → cases where the two disagree."""
    found: Counter[tuple[str, str, str]] = Counter()
    for _, details, sql in cases:
        right = details.strict.state == "right"
        if details.strict.state in ("right", "wrong"):
            several = "several golds" if details.evidence.get("gold") else ""
            why = details.strict.reason or ", ".join(details.strict.normalised) or several or "the rule of its own"
            for name in sql.against(right):
                found[name, "refuses" if right else "accepts", why] += 1
    return found


def failing_parts(
    cases: Iterable[Judged], by: Callable[[CaseResult, SqlDetails], Iterable[str]] = lambda *_: ("",)
) -> Counter[tuple[str, str]]:
    """(part, group) → wrong answers that differ from gold in it. A case is in each of its groups."""
    found: Counter[tuple[str, str]] = Counter()
    for case, details, sql in cases:
        if details.strict.state == "wrong":
            parts = sorted({one.part for one in sql.components})
            found.update((part, group) for group in by(case, sql) for part in parts)
    return found


def _figures(cases: list[Judged]) -> Sheet:
    columns = (
        Column("question", "wrapped", 16),
        Column("database", "text", 18),
        Column("difficulty", "text", 12),
        *(Column(name, "score", 10, decimals=0 if name != "bird_f1" else 2) for name in EVERY),
        Column("strict says", "text", 14),
        Column("differs in", "wrapped", 50),
        Column("gold SQL", "wrapped", 60),
        Column("SQL", "wrapped", 60),
        Column("gold", "wrapped", 30),
    )
    rows = tuple(
        (
            case.id,
            sql.db,
            sql.difficulty,
            *(sql.figures.get(name) for name in EVERY),
            details.strict.state.replace("_", " "),
            sql.sentence,
            sql.gold_sql,
            sql.sql,
            f"{sql.gold_status}: {sql.gold_note}" if sql.gold_note else sql.gold_status,
        )
        for case, details, sql in cases
    )
    return Sheet("SQL", (Table(columns, rows),), freeze_columns=1)


def _disagreements(cases: list[Judged]) -> list[Sheet]:
    rows: list[tuple[Cell, ...]] = [(*key, count) for key, count in disagreements(cases).most_common()]
    columns = (
        Column("figure", "text", 16),
        Column("it", "text", 10),
        Column("strict says", "text", 30),
        Column("questions", "count", 11),
    )
    return [Sheet("Disagreements", (Table(columns, tuple(rows)),))] if rows else []


def _parts(cases: list[Judged]) -> list[Sheet]:
    """Which parts of wrong answers differ from gold most often: over all, by difficulty, by database, by tag."""
    tables = []
    for title, by in (
        ("All", lambda *_: ("",)),
        ("By difficulty", lambda _, sql: (sql.difficulty,)),
        ("By database", lambda _, sql: (sql.db,)),
        ("By tag", lambda case, _: case.tags),
    ):
        counted = failing_parts(cases, by)
        rows = tuple((part, group, count) for (part, group), count in counted.most_common())
        columns = (Column("part", "text", 16), Column("group", "text", 24), Column("wrong answers", "count", 14))
        if rows:
            tables.append(Table(columns, rows, title))
    if not tables:
        return []
    bars = bar_chart("Which parts of wrong answers differ", "part", "wrong answers", len(tables[0].rows), 2)
    return [Sheet("Parts", tuple(tables), charts=(bars,))]
