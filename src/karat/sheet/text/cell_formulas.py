"""Cells of an override that are formulas: ``1 + 5``, ``DATE(2024, 3, 1)``, ``[m] * 2``, ``Plan(1)[cost] + 1``.

A cell that is neither in quotes nor a number is a formula where it has a sign of one, can be parsed, and names no table
that the sheet does not have; otherwise it is a text: ``Leek``, ``7-Up``, ``Soup (hot)``. A text that can only be meant
as a formula is a mistake: it uses a field of its row or a table of the sheet, calls a function, or consists of numbers
and operators: ``[m] *``, ``Plan(1)[cost``, ``SUM(1 2)``, ``5+``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import NoReturn

from karat.core.problems import Problem, UserError
from karat.sheet.text.escapes import field_literal, table_literal
from karat.sheet.text.tokens import Unquoted
from karat.sheet.text.traversal import nodes, rewritten
from karat.sheet.text.tree import At, Expr, Override, Sheet, Table, TableName, Typed

_SIGN = re.compile(r"[-+*/^&<>=()\[\]$]|(?<!\w)(?:mod|not|and|or)(?!\w)", re.IGNORECASE)
_CALLED = r"(?<!\w)[A-Z][A-Z_0-9]+\("
_ARITHMETIC = r"\A(?=[^0-9]*[0-9])[-+*/^&<>=().\s0-9]+\Z"
HEAD = "table T\n[x] = "
LONGEST = 2_000

Parse = Callable[[str], Sheet]


def with_cell_formulas(table: Table, tables: Collection[str], parse: Parse, file: str = "") -> Table:
    """The table with the formulas in its override as formulas, and its other cells as values."""
    override = table.override
    if override is None or not any(isinstance(cell, Unquoted) for row in override.rows for cell in row):
        return table
    reader = _Reader(_only_a_formula(table, tables), tables, parse, file)
    rows = tuple(tuple(reader.read(cell, _line(override, at)) for cell in row) for at, row in enumerate(override.rows))
    return replace(table, override=replace(override, rows=rows))


def _line(override: Override, row: int) -> int:
    return override.lines[row] if row < len(override.lines) else override.at.line


class _Reader:
    """Reads the cells of one override; each text that is written more than once is parsed once."""

    def __init__(self, meant: re.Pattern[str], tables: Collection[str], parse: Parse, file: str) -> None:
        self.meant = meant
        self.tables = tables
        self.parse = parse
        self.file = file
        self.known: dict[str, Expr | None] = {}

    def read(self, cell: Typed, line: int) -> Typed:
        """The cell as a formula or a text."""
        if not isinstance(cell, Unquoted):
            return cell
        if not _SIGN.search(cell) or len(cell) > LONGEST:
            return str(cell)
        if cell not in self.known:
            self.known[cell] = _formula(cell, self.tables, self.parse)
        found = self.known[cell]
        if found is not None:
            return rewritten(found, lambda node: replace(node, at=At(line, 1)))
        if cell.startswith('"'):
            message = 'expected a comma or the end of the row after the closing ", or a formula'
            self._refuse(
                message, "What follows the text is no formula, or names a table that is not in the sheet.", line
            )
        if self.meant.search(cell):
            message = f"this cell reads like a formula, but is none: {cell}"
            self._refuse(message, "Correct it, or put it in quotes to keep it as a text.", line)
        return str(cell)

    def _refuse(self, message: str, hint: str, line: int) -> NoReturn:
        raise UserError(
            "the sheet cannot be read: 1 mistake", problems=[Problem(message, self.file, line, 1, hint=hint)]
        )


def _only_a_formula(table: Table, tables: Collection[str]) -> re.Pattern[str]:
    """Finds what only a formula has in it."""
    fields = "|".join(re.escape(field_literal(field.name)) for line in table.fields for field in line.fields)
    names = "|".join(re.escape(table_literal(name)) for name in tables)
    used = rf"(?<![\w'])(?:{names})(?:\[|\(|\.[A-Za-z_]+\()"
    return re.compile("|".join((fields, used, _CALLED, _ARITHMETIC)))


def _formula(cell: str, tables: Collection[str], parse: Parse) -> Expr | None:
    try:
        formula = parse(HEAD + cell + "\n").tables[0].fields[0].formula
    except (UserError, IndexError):
        return None
    if formula is None or any(isinstance(node, TableName) and node.name not in tables for node in nodes(formula)):
        return None
    return formula
