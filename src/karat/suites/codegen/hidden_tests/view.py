"""Tests and relations as a case shows them: a row for each, and the smallest tables on which a relation fails."""

from __future__ import annotations

from collections.abc import Mapping

from karat.core.case_form import Grid, Grids, Listed, View
from karat.core.problems import count_of
from karat.suites.codegen.hidden_tests.records import TestResult, TestResults
from karat.suites.codegen.records import Columns
from karat.tables.explain.cells import cell_text

WORDS = {"held": "holds", "failed": "failed", "error": "left out"}
ROWS = 12


def views_of_tests(tests: TestResults) -> list[View]:
    """Every entry with what became of it, the smallest failing tables below; folded where none that decides failed."""
    rows = tuple(_row(entry) for entry in tests.parts)
    grid = Grid("Tests and relations", ("entry", "state", "seed", "why"), rows, count_of(len(rows), "entry", "entries"))
    shown: list[View] = []
    if tests.failed or any(entry.smallest for entry in tests.parts):
        shown.append(Grids("Tests", (grid,)))
    else:
        items = tuple((" · ".join(part for part in row if part), _right(entry)) for row, entry in _pairs(tests, rows))
        shown.append(Listed("Tests", items))
    shown += [_smallest(entry) for entry in tests.parts if entry.smallest]
    if tests.not_tried:
        items = tuple((f"{name}: {why}", None) for name, why in tests.not_tried.items())
        shown.append(Listed("Relations that were not tried", items))
    return shown


def _pairs(tests: TestResults, rows: tuple[tuple[str, ...], ...]) -> list[tuple[tuple[str, ...], TestResult]]:
    return list(zip(rows, tests.parts, strict=True))


def _right(entry: TestResult) -> bool | None:
    return None if entry.state == "error" else entry.state == "held"


def _row(entry: TestResult) -> tuple[str, ...]:
    state = WORDS[entry.state] if entry.decides else f"{WORDS[entry.state]} (reported only)"
    return (entry.name, state, seed_of(entry), entry.reason)


def seed_of(entry: TestResult) -> str:
    """The seed of the copy on which a relation failed; empty where it holds."""
    seed = entry.smallest.get("seed")
    return "" if seed is None else str(seed)


def _smallest(entry: TestResult) -> Grids:
    """The tables, the changed ones beside them, and what the code gives on both."""
    found = entry.smallest
    before = _grids(found.get("tables"), f"gives {found.get('result')}")
    after = _grids(found.get("changed"), f"gives {found.get('changed_result')}", changed=True)
    pairs = [grid for pair in zip(before, after, strict=False) for grid in pair]
    lead = "Rows were removed while it still failed."
    return Grids(f"Smallest tables on which {entry.name} fails", tuple(pairs), f"seed {seed_of(entry)}", lead)


def _grids(tables: object, note: str, *, changed: bool = False) -> list[Grid]:
    if not isinstance(tables, Mapping):
        return []
    return [
        _grid(f"{name}, changed" if changed else str(name), columns, note, right=False if changed else None)
        for name, columns in tables.items()
        if isinstance(columns, Mapping)
    ]


def _grid(title: str, columns: Columns | Mapping[object, object], note: str, *, right: bool | None) -> Grid:
    values = [list(one) if isinstance(one, list | tuple) else [] for one in columns.values()]
    height = max((len(one) for one in values), default=0)
    rows = tuple(tuple(cell_text(one[row]) for one in values) for row in range(min(height, ROWS)))
    return Grid(title, tuple(map(str, columns)), rows, note[:200], more=max(height - ROWS, 0), right=right)
