"""The Excel sheet *Tests*: one row per entry and relation of every answer, with the smallest failing table."""

from __future__ import annotations

from collections.abc import Mapping

from karat.core.report import Cell, Column, Sheet, Table, visible
from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries
from karat.suites.codegen.hidden_tests.records import TestResult
from karat.suites.codegen.hidden_tests.view import WORDS, seed_of

LONGEST = 8_000


def sheet_of_tests(result: RunResult) -> Sheet | None:
    """Stated entries, and relations that nobody stated where they fail; None where there is neither."""
    rows: list[tuple[Cell, ...]] = []
    for case, details in tries(result):
        if details.tests:
            rows += [_row(case.id, entry) for entry in details.tests.parts if entry.decides or entry.state == "failed"]
    if not rows:
        return None
    columns = (
        Column("task", "wrapped", 22),
        Column("entry", "wrapped", 34),
        Column("state", "text", 11),
        Column("decides", "text", 9),
        Column("seed", "text", 7),
        Column("why", "wrapped", 60),
        Column("rows", "count", 7),
        Column("smallest failing table", "wrapped", 44),
        Column("result", "wrapped", 24),
        Column("result when changed", "wrapped", 24),
    )
    note = "A relation that no task states decides nothing and is listed only where it fails."
    return Sheet("Tests", (Table(columns, tuple(rows), note=note),), freeze_columns=1)


def _row(task: str, entry: TestResult) -> tuple[Cell, ...]:
    found = entry.smallest
    tables = found.get("tables")
    return (
        task,
        visible(entry.name),
        WORDS[entry.state],
        "yes" if entry.decides else "no",
        seed_of(entry),
        visible(entry.reason)[:LONGEST],
        _rows(tables) if found else "",
        visible(_text(tables))[:LONGEST] if found else "",
        visible(str(found.get("result", "")))[:LONGEST],
        visible(str(found.get("changed_result", "")))[:LONGEST],
    )


def _rows(tables: object) -> int:
    """Of all tables together."""
    if not isinstance(tables, Mapping):
        return 0
    return sum(max((len(values) for values in columns.values()), default=0) for columns in tables.values())


def _text(tables: object) -> str:
    """Each table as lines of cells under its name and columns."""
    if not isinstance(tables, Mapping):
        return ""
    parts = []
    for name, columns in tables.items():
        cells = zip(*columns.values(), strict=False)
        lines = [", ".join("" if cell is None else str(cell) for cell in row) for row in cells]
        parts.append("\n".join((f"{name}: {', '.join(map(str, columns))}", *lines)))
    return "\n\n".join(parts)
