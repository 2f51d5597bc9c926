"""A task's tables with their rows repeated, to see how code grows with its data."""

from __future__ import annotations

from collections.abc import Mapping

from karat.suites.codegen.records import Columns

CELLS = 1_000_000
"""Tables of more cells are not made: sending them would cost more than it tells."""


def scaled(tables: Mapping[str, Columns], scale: int) -> dict[str, Columns] | None:
    """Each table repeated this many times; None when that is too much, or nothing."""
    cells = sum(len(values) for columns in tables.values() for values in columns.values())
    if not 0 < cells * scale <= CELLS:
        return None
    return {name: {label: values * scale for label, values in columns.items()} for name, columns in tables.items()}
