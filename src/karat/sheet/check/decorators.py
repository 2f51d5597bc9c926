"""Decorators: known ones, in their place, with the right arguments; and what an evaluation table needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from karat.core.problems import count_of, nearest
from karat.sheet.check.findings import Findings
from karat.sheet.check.names import Names, unknown_table_hint
from karat.sheet.evaluation_table import decorator, read_reference
from karat.sheet.text.escapes import field_literal
from karat.sheet.text.tree import Decorator, Field, Sheet, Table


class _Known(NamedTuple):
    place: str
    least: int
    most: int
    example: str


KNOWN = {
    "manual": _Known("table", 0, 0, "!manual()"),
    "evaluation": _Known("table", 0, 0, "!evaluation()"),
    "evaluation_question": _Known("field", 0, 0, "!evaluation_question()"),
    "evaluation_field": _Known("field", 1, 2, '!evaluation_field("Table[field]")'),
}


DISPLAY = frozenset({"description", "format", "layout", "index", "size", "selector", "visualization", "hidden"})
"""They say how a table or field is shown elsewhere. They are kept and change no value."""


def check_decorators(sheet: Sheet, names: Names, findings: Findings) -> None:
    """Every decorator of a sheet, and its evaluation tables."""
    for table in sheet.tables:
        _known_ones(table.decorators, "table", findings)
        declared = [field for line in table.fields for field in line.fields]
        for field in declared:
            _known_ones(field.decorators, "field", findings)
            _target(field, names, findings)
        for total in table.totals:
            for field in (field for line in total.fields for field in line.fields):
                for one in field.decorators:
                    if one.name not in KNOWN:
                        continue
                    findings.add(
                        one.at, "a field of a total has no decorators", "Put it above a field of the table itself."
                    )
        _evaluation(table, declared, findings)


def _known_ones(decorators: Sequence[Decorator], place: str, findings: Findings) -> None:
    seen: set[str] = set()
    for one in decorators:
        known = KNOWN.get(one.name)
        if one.name in DISPLAY:
            continue
        if known is None:
            near = nearest(one.name, KNOWN)
            if near:
                findings.add(one.at, f"unknown decorator !{one.name}", f"Did you mean !{near[0]}()?")
            else:
                hint = "It is kept and changes no value."
                findings.add(one.at, f"Karat does not know the decorator !{one.name}", hint, severity="warning")
        elif known.place != place:
            findings.add(one.at, f"!{one.name} belongs above a {known.place}, not above a {place}")
        elif one.name in seen:
            findings.add(one.at, f"!{one.name} appears here twice", "Leave one of them out.")
        elif not known.least <= len(one.arguments) <= known.most:
            wanted = "no arguments" if not known.most else "one or two texts"
            message = f"!{one.name} takes {wanted}, but was given {count_of(len(one.arguments), 'argument')}"
            findings.add(one.at, message, f"Write {known.example}.")
        elif not all(isinstance(argument, str) for argument in one.arguments):
            findings.add(one.at, f"!{one.name} takes texts", f"Write {known.example}.")
        seen.add(one.name)


def _target(field: Field, names: Names, findings: Findings) -> None:
    """The table and field that a field of truths is about must be there."""
    one = decorator(field.decorators, "evaluation_field")
    if (
        one is None
        or len(one.arguments) not in (1, 2)
        or not all(isinstance(argument, str) for argument in one.arguments)
    ):
        return
    arguments = [str(argument) for argument in one.arguments]
    target = (arguments[0], arguments[1]) if len(arguments) == 2 else read_reference(arguments[0])
    if target is None:
        findings.add(one.at, f'"{arguments[0]}" does not name a field', f"Write {KNOWN['evaluation_field'].example}.")
        return
    table, name = target
    if table not in names.fields:
        hint = "" if findings.full else unknown_table_hint(table, names.fields)
        findings.add(one.at, f"there is no table {table}", hint)
        return
    fields = names.fields[table]
    if fields is not None and name not in fields:
        findings.add(one.at, f"{table} has no field {field_literal(name)}", unknown=name, known=fields)


def _evaluation(table: Table, declared: Sequence[Field], findings: Findings) -> None:
    questions = [one for field in declared if (one := decorator(field.decorators, "evaluation_question"))]
    truths = [one for field in declared if (one := decorator(field.decorators, "evaluation_field"))]
    if decorator(table.decorators, "evaluation") is None:
        for one in (*questions, *truths):
            findings.add(
                one.at,
                f"!{one.name} in a table that is not an evaluation table",
                f"Put !evaluation() above table {table.name}.",
            )
        return
    if not questions:
        hint = "Put !evaluation_question() above the field that contains the question."
        findings.add(table.at, f"the evaluation table {table.name} has no question field", hint)
    for one in questions[1:]:
        message = f"a second question field: the first is marked in line {questions[0].at.line}"
        findings.add(one.at, message, "An evaluation table has one question field.")
