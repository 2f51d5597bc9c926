"""Cells of an override that are formulas: ``1 + 5``, ``DATE(2024, 3, 1)``, ``[m] * 2``, ``Plan(1)[cost] + 1``.

A cell that is neither in quotes nor a number is a formula where it has a sign of one, can be parsed, and names no table
that the sheet does not have; otherwise it is a text: ``Leek``, ``7-Up``, ``Soup (hot)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from karat.sheet.text.tokens import Unquoted
from karat.sheet.text.traversal import nodes, rewritten
from karat.sheet.text.tree import At, Expr, Override, Sheet, Table, TableName, Typed

_SIGN = re.compile(r"[-+*/^&<>=()\[\]$]|(?<!\w)(?:mod|not|and|or)(?!\w)", re.IGNORECASE)
HEAD = "table T\n[x] = "
LONGEST = 2_000

Parse = Callable[[str], Sheet]


def with_cell_formulas(table: Table, tables: Collection[str], parse: Parse) -> Table:
    """The table with the formulas in its override as formulas, and its other cells as values."""
    override = table.override
    if override is None or not any(isinstance(cell, Unquoted) for row in override.rows for cell in row):
        return table
    known: dict[str, Expr | None] = {}
    rows = tuple(
        tuple(_read(cell, _line(override, at), known, tables, parse) for cell in row)
        for at, row in enumerate(override.rows)
    )
    return replace(table, override=replace(override, rows=rows))


def _line(override: Override, row: int) -> int:
    return override.lines[row] if row < len(override.lines) else override.at.line


def _read(cell: Typed, line: int, known: dict[str, Expr | None], tables: Collection[str], parse: Parse) -> Typed:
    if not isinstance(cell, Unquoted):
        return cell
    if not _SIGN.search(cell) or len(cell) > LONGEST:
        return str(cell)
    if cell not in known:
        known[cell] = _formula(cell, tables, parse)
    found = known[cell]
    return str(cell) if found is None else rewritten(found, lambda node: replace(node, at=At(line, 1)))


def _formula(cell: str, tables: Collection[str], parse: Parse) -> Expr | None:
    from karat.core.problems import UserError

    try:
        formula = parse(HEAD + cell + "\n").tables[0].fields[0].formula
    except (UserError, IndexError):
        return None
    if formula is None or any(isinstance(node, TableName) and node.name not in tables for node in nodes(formula)):
        return None
    return formula
