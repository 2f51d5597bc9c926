"""Which outcomes were expected and which were found: the confusion table, with recall and precision of each class.

The row of a turn is the class that was found if it is one of the expected, else the first that is expected. Turns whose
case does not say what to do are left out. Cases whose call failed or whose response is unreadable have no outcome: they
are counted apart and are in no denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any  # Any: shares and counts beside one another

from karat.core.json_types import JsonObject
from karat.core.problems import count_of
from karat.core.report import Cell, Chart, Column, Series, Sheet, Table
from karat.core.results.result import Estimator, RunResult
from karat.suites.data_query.details import Details, OutcomeDetails
from karat.suites.data_query.selection.outcomes import NOT_STATED, OUTCOMES, OutcomeComparison

CLASSES = (*OUTCOMES, NOT_STATED)
RATES = ("over_refusal", "over_clarification", "under_refusal", "under_clarification")

Confusion = dict[str, dict[str, int]]
"""Expected class → found class → how many turns."""


def confusion(outcomes: Iterable[OutcomeDetails]) -> Confusion:
    """The table over some turns."""
    found: Confusion = {}
    for one in outcomes:
        row = OutcomeComparison(one.expected, one.found).row
        if row:
            held = found.setdefault(row, {})
            held[one.found] = held.get(one.found, 0) + 1
    return {row: _in_order(found[row]) for row in CLASSES if row in found}


def recalls(table: Confusion) -> dict[str, tuple[float, int]]:
    """Class → (diagonal / row, row)."""
    return {row: (held.get(row, 0) / total, total) for row, held in table.items() if (total := sum(held.values()))}


def precisions(table: Confusion) -> dict[str, tuple[float, int]]:
    """Class → (diagonal / column, column)."""
    columns: dict[str, int] = {}
    for held in table.values():
        for name, count in held.items():
            columns[name] = columns.get(name, 0) + count
    return {
        name: (table.get(name, {}).get(name, 0) / columns[name], columns[name])
        for name in CLASSES
        if columns.get(name) and name != NOT_STATED
    }


def figures(result: RunResult, kept: Iterable[Details]) -> JsonObject:
    """The outcomes of a run for its JSON; empty where no case says what to do."""
    table = confusion(one for details in kept for one in details.outcomes)
    if not table:
        return {}
    summary = {item.metric: item for item in result.summary}
    rates = {name: {"value": summary[name].mean, "n": summary[name].n} for name in RATES if name in summary}
    return {
        "confusion": table,
        "recall": _values(recalls(table)),
        "precision": _values(precisions(table)),
        **rates,
        "errors": sum(case.status == "error" for case in result.cases),
    }


def sheet(result: RunResult, kept: Iterable[Details], estimate: Estimator) -> Sheet | None:
    """The sheet ``Outcomes``; None where every response is expected to answer and does."""
    table = confusion(one for details in kept for one in details.outcomes)
    if not table or table.keys() | {name for held in table.values() for name in held} == {"answer"}:
        return None
    columns = [name for name in CLASSES if any(name in held for held in table.values()) or name in table]
    recall, precision = recalls(table), precisions(table)
    rows: list[tuple[Cell, ...]] = []
    for name, held in table.items():
        hits, total = held.get(name, 0), sum(held.values())
        figure = estimate([1.0] * hits + [0.0] * (total - hits), "rate")
        cells = (held.get(column, 0) for column in columns)
        rows.append((name, *cells, total, recall[name][0], figure.low, figure.high))
    head = (
        Column("expected", width=16),
        *(Column(f"found {name}", "count", 13) for name in columns),
        Column("all", "count", 8),
        Column("recall", "score", 10, decimals=3),
        Column("low", "number", 9, decimals=3),
        Column("high", "number", 9, decimals=3),
    )
    failed = sum(case.status == "error" for case in result.cases)
    note = "A turn counts once. Low and high are the 95 % interval of the recall."
    if failed:
        note += f" Not in any row, because it failed or could not be read: {count_of(failed, 'case')}."
    found = Table(
        (Column("found", width=16), Column("turns", "count", 9), Column("precision", "score", 10, decimals=3)),
        tuple((name, count, share) for name, (share, count) in precision.items()),
        "Precision of each class",
    )
    last = len(rows) - 1
    series = tuple(Series(name, 0, place, 0, last) for place, name in enumerate(columns, start=1))
    plot = Chart("Expected and found outcomes", "expected", "found", series, kind="matrix")
    tables = (Table(head, tuple(rows), "Expected and found outcomes", note), found)
    return Sheet("Outcomes", tables, charts=(plot,))


def _in_order(held: Mapping[str, int]) -> dict[str, int]:
    return {name: held[name] for name in CLASSES if name in held}


def _values(shares: Mapping[str, tuple[float, int]]) -> dict[str, Any]:
    return {name: {"value": share, "n": count} for name, (share, count) in shares.items()}
