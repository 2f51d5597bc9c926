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
from karat.sheet.check.findings import Findings
from karat.sheet.check.formulas import Signature, check_formulas, queries
from karat.sheet.check.names import names_of
from karat.sheet.check.row_context import resolved
from karat.sheet.evaluation_table import decorator
from karat.sheet.text.escapes import field_literal
from karat.sheet.text.tree import ROW_COLUMN, At, Field, Fields, Override, Sheet, Table

NONE_BOUND: Mapping[str, Collection[str]] = MappingProxyType({})


def check_sheet(
    sheet: Sheet,
    file: str,
    functions: Mapping[str, Signature],
    known_tables: Mapping[str, Collection[str]] = NONE_BOUND,
) -> tuple[Problem, ...]:
    """Everything that is wrong in a sheet, in the order of the file; at most the first hundred.

    ``functions`` are those that may be called. ``known_tables`` are tables bound from outside, with their fields, in
    place of those of the sheet; a table without fields here is one whose fields are not known yet.
    """
    findings = Findings(file)
    names = names_of(sheet, known_tables)
    sheet = resolved(sheet, names, functions, lambda name: queries(name, functions.get(name)))
    names = names_of(sheet, known_tables)
    _tables_once(sheet, findings)
    for table in sheet.tables:
        _fields_once(table.fields, f"the table {table.name}", findings)
        for total in table.totals:
            _fields_once(total.fields, f"this total of {table.name}", findings)
        if table.override is not None and table.name not in known_tables:
            _override_fits(table, table.override, findings)
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
        if len(row) != width:
            line = override.lines[index] if index < len(override.lines) else override.at.line
            message = f"this row has {count_of(len(row), 'cell')}, but the override has {count_of(width, 'column')}"
            hint = "A text with a comma in it goes in quotes. An empty cell keeps its comma."
            findings.add(At(line, 1), message, hint)
            if findings.full:
                return
