"""Check a sheet without evaluating it. All problems are reported at once, each with its position.

Here: what appears twice, and overrides that do not fit their table. In ``decorators``: the decorators, and evaluation
tables. In ``formulas``: names, functions and their arguments, ``$``. In ``cycles``: fields that depend on themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from karat.core.problems import Problem, count_of
from karat.sheet.check.cycles import check_cycles
from karat.sheet.check.decorators import check_decorators
from karat.sheet.check.dependencies import is_dim
from karat.sheet.check.findings import Findings
from karat.sheet.check.formulas import Signature, check_formulas, queries
from karat.sheet.check.names import Files, names_of
from karat.sheet.check.row_context import resolved
from karat.sheet.evaluation_table import decorator
from karat.sheet.text.escapes import field_literal
from karat.sheet.text.traversal import nodes
from karat.sheet.text.tree import ROW_COLUMN, At, Binary, Field, Fields, Number, Override, OwnField, Sheet, Table

NONE_BOUND: Mapping[str, Collection[str]] = MappingProxyType({})


def check_sheet(
    sheet: Sheet,
    file: str,
    functions: Mapping[str, Signature],
    known_tables: Mapping[str, Collection[str]] = NONE_BOUND,
    files: Files | None = None,
) -> tuple[Problem, ...]:
    """Everything that is wrong in a sheet, in the order of the file; at most the first hundred.

    ``functions`` are those that may be called. ``known_tables`` are tables bound from outside, with their fields, in
    place of those of the sheet; a table without fields here is one whose fields are not known yet. With ``files`` those
    that INPUT and CHUNKS name are looked at, too.
    """
    findings = Findings(file)
    names = names_of(sheet, known_tables)
    sheet = resolved(sheet, names, functions, lambda name: queries(name, functions.get(name)))
    names = names_of(sheet, known_tables, files)
    _tables_once(sheet, findings)
    for table in sheet.tables:
        _fields_once(table.fields, f"the table {table.name}", findings)
        for total in table.totals:
            _fields_once(total.fields, f"this total of {table.name}", findings)
        if table.override is not None and table.name not in known_tables:
            _override_fits(table, table.override, findings)
            _dims_stay(table, table.override, findings)
        if table.name not in known_tables:
            _dims_have_formulas(table, findings)
    check_decorators(sheet, names, findings)
    check_formulas(sheet, names, functions, findings)
    check_cycles(sheet, names, lambda name: queries(name, functions.get(name)), findings)
    return tuple(sorted(findings.problems, key=lambda problem: (problem.line, problem.column)))


def _tables_once(sheet: Sheet, findings: Findings) -> None:
    first: dict[str, Table] = {}
    for table in sheet.tables:
        known = first.setdefault(table.name, table)
        if known is not table:
            findings.add(
                table.at,
                f"the table {table.name} is defined twice: also in line {known.at.line}",
                "Rename one of them.",
            )


def _fields_once(lines: Iterable[Fields], where: str, findings: Findings) -> None:
    first: dict[str, Field] = {}
    for line in lines:
        for field in line.fields:
            known = first.setdefault(field.name, field)
            if known is not field:
                message = f"{where} has two fields {field_literal(field.name)}: the other is in line {known.at.line}"
                findings.add(field.at, message, "Rename one of them.")


def _override_fits(table: Table, override: Override, findings: Findings) -> None:
    fields = frozenset(field.name for line in table.fields for field in line.fields)
    seen: set[str] = set()
    manual = decorator(table.decorators, "manual") is not None
    for index, column in enumerate(override.columns):
        at = override.places[index] if index < len(override.places) else override.at
        if column == ROW_COLUMN:
            if manual or index:
                hint = "In a !manual() table the rows are those of the override." if manual else "Write it first."
                findings.add(at, '"row" is not allowed here', hint)
        elif column not in fields:
            message = f"the override has a column {field_literal(column)}, but {table.name} has no such field"
            findings.add(at, message, unknown=column, known=fields)
        elif column in seen:
            findings.add(at, f"the override has the column {field_literal(column)} twice", "Leave one of them out.")
        seen.add(column)
    width = len(override.columns)
    for index, row in enumerate(override.rows):
        dates = [cell for cell in row if isinstance(cell, Binary) and _looks_like_a_date(cell)]
        if dates:
            hint = "Write DATE(year, month, day), or put it in quotes to keep it as a text."
            what = "a subtraction" if dates[0].operator == "-" else "a division"
            findings.add(dates[0].at, f"this looks like a date, but is {what}", hint, severity="warning")
        if len(row) != width:
            line = override.lines[index] if index < len(override.lines) else override.at.line
            message = f"this row has {count_of(len(row), 'cell')}, but the override has {count_of(width, 'column')}"
            hint = "A text with a comma in it goes in quotes. An empty cell keeps its comma."
            findings.add(At(line, 1), message, hint)
            if findings.full:
                return


def _dims_stay(table: Table, override: Override, findings: Findings) -> None:
    """A dim from which a later dim makes rows cannot be overridden: the rows are there before the override is."""
    if decorator(table.decorators, "manual") is not None:
        return
    by_row = ROW_COLUMN in override.columns
    declared = {field.name for line in table.fields for field in line.fields if field.key}
    dims: set[str] = set()
    used: dict[str, str] = {}
    for line in (line for line in table.fields if is_dim(line)):
        for node in () if line.formula is None else nodes(line.formula):
            if isinstance(node, OwnField) and node.name in dims:
                used.setdefault(node.name, line.fields[0].name)
        dims.update(field.name for field in line.fields)
    for index, column in enumerate(override.columns):
        says_which = not by_row and (column in declared or column in override.keys)
        if column in used and not says_which:
            at = override.places[index] if index < len(override.places) else override.at
            message = f"{field_literal(column)} cannot be overridden: the dim {field_literal(used[column])} needs it"
            findings.add(at, message, "The rows are made before the override. Override a field that makes no rows.")


def _dims_have_formulas(table: Table, findings: Findings) -> None:
    """Without a formula a dim makes no rows, and the table would be empty whatever its override holds."""
    if decorator(table.decorators, "manual") is not None:
        return
    for line in table.fields:
        if is_dim(line) and line.formula is None:
            field = line.fields[0]
            message = f"the dim {field_literal(field.name)} has no formula, so {table.name} has no rows"
            hint = "Write what makes its rows, such as = RANGE(3); or !manual() above the table, to type them in."
            findings.add(field.at, message, hint)


def _looks_like_a_date(cell: Binary) -> bool:
    """Whether it is ``2024-03-01``, ``3/1/2024`` or ``2024/3/1``: three numbers with one of the two signs."""
    match cell:
        case Binary("-" | "/" as sign, Binary(inner, Number(int(first)), Number(int(second))), Number(int(third))) if (
            inner == sign
        ):
            year, *rest = (first, second, third) if first > 999 else (third, first, second)
            return 1000 <= year <= 9999 and min(rest) >= 1 and min(rest) <= 12 and max(rest) <= 31
        case _:
            return False
