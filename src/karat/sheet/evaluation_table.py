"""The evaluation table of a sheet: its questions, and for each of its ``!evaluation_field``s the values to search and
the truths.

The table is the one marked ``!evaluation()``; the question is the field marked ``!evaluation_question()``. Rows without
a question are left out. A field's values are distinct, as texts, without NA and empty ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karat.core.problems import UserError, did_you_mean
from karat.search.choose.tune import TuneField
from karat.sheet.text.escapes import field_literal, name_in_quotes, table_literal, unescape
from karat.sheet.text.tree import Decorator, Field, Sheet, Table
from karat.sheet.truths import truths_of
from karat.sheet.values import NA, Array, Value, Wrong, present, text


@dataclass(frozen=True)
class EvaluationTable:
    """What n and model are chosen on."""

    name: str
    questions: tuple[str, ...]
    fields: tuple[TuneField, ...]


@dataclass(frozen=True)
class EvaluationFields:
    """Which fields of an evaluation table mean what."""

    table: str
    question: str
    truths: tuple[tuple[str, tuple[str, str]], ...]
    """(the field of truths, (the table, the field that is searched))."""


def evaluation_fields(table: Table) -> EvaluationFields:
    """What the decorators of an evaluation table say. Raises :class:`Wrong` when the question or the fields are not
    marked."""
    declared = [field for line in table.fields for field in line.fields]
    questions = [field.name for field in declared if decorator(field.decorators, "evaluation_question")]
    truths = [(field.name, target) for field in declared if (target := target_of(field))]
    if len(questions) != 1:
        said = "no field" if not questions else f"{len(questions)} fields"
        raise Wrong(
            f"{table.name} has {said} marked !evaluation_question()", "Mark the one that contains the question."
        )
    if not truths:
        raise Wrong(f"{table.name} has no field of truths", 'Mark one with !evaluation_field("Table[field]").')
    return EvaluationFields(table.name, questions[0], tuple(truths))


def evaluation_tables(sheet: Sheet) -> tuple[Table, ...]:
    """The tables marked ``!evaluation()``."""
    return tuple(table for table in sheet.tables if decorator(table.decorators, "evaluation"))


def the_evaluation_table(sheet: Sheet, name: str = "") -> Table:
    """The one evaluation table, or the one of this name. Raises :class:`Wrong`."""
    found = evaluation_tables(sheet)
    if name:
        named = next((table for table in found if table.name == name), None)
        if named is not None:
            return named
        known = any(table.name == name for table in sheet.tables)
        hint = "Put !evaluation() above it." if known else did_you_mean(name, [table.name for table in found])
        raise Wrong(f"{name} is not an evaluation table", hint)
    if not found:
        raise Wrong(
            "the sheet has no table marked !evaluation()", "Put !evaluation() above the table of the questions."
        )
    if len(found) > 1:
        first = found[0].name
        hint = f"Choose one: {first}.EVALUATE_N(T[f]) in a formula, --evaluation {first} on the command line."
        raise Wrong(f"the sheet has {len(found)} tables marked !evaluation()", hint)
    return found[0]


def decorator(decorators: Sequence[Decorator], name: str) -> Decorator | None:
    """The decorator of this name."""
    return next((one for one in decorators if one.name == name), None)


def target_of(field: Field) -> tuple[str, str] | None:
    """The (table, field) that a field of truths is about; None when it is not such a field."""
    found = decorator(field.decorators, "evaluation_field")
    if found is None:
        return None
    arguments = [str(argument) for argument in found.arguments]
    if len(arguments) == 2:
        return (arguments[0], arguments[1])
    return read_reference(arguments[0]) if len(arguments) == 1 else None


def read_reference(written: str) -> tuple[str, str] | None:
    """``T[f]`` or ``'A table'[f]`` as (table, field); None when it is neither."""
    table, bracket, rest = written.strip().partition("[")
    if not bracket or not rest.endswith("]"):
        return None
    table = table.strip()
    if len(table) > 1 and table[0] == table[-1] == "'":
        table = name_in_quotes(table[1:-1])
    name = unescape(rest[:-1])
    return (table, name) if table and name else None


def reference_text(table: str, field: str) -> str:
    """``T[f]``: the name of a field in reports and choices."""
    return table_literal(table) + field_literal(field)


def check_spans(values: Sequence[str], truths: Sequence[Sequence[str]]) -> None:
    """Where the values are chunks, every truth is a span of their documents. Raises :class:`Wrong`."""
    from karat.search.chunks.rank import chunks_in, documents_of
    from karat.search.chunks.spans import read_span

    try:
        chunks = chunks_in(values)
        documents = documents_of(chunks)
        for written in dict.fromkeys(one for row in truths for one in row) if chunks else ():
            read_span(written, documents)
    except UserError as error:
        raise Wrong(error.message, error.hint) from None


def gather(
    fields: EvaluationFields,
    questions: Sequence[Value],
    truths: Sequence[Sequence[Value]],
    data: Sequence[Sequence[Value]],
) -> EvaluationTable:
    """The evaluation table from its columns and the columns that are searched. Raises :class:`Wrong`."""
    asked = [row for row, question in enumerate(questions) if question is not NA and question != ""]
    found = []
    for (_, (table, field)), own, values in zip(fields.truths, truths, data, strict=True):
        name = reference_text(table, field)
        distinct = dict.fromkeys(text(item, name) for item in present(values) if not isinstance(item, Array))
        expected = tuple(truths_of(own[row]) for row in asked)
        check_spans(list(distinct), expected)
        found.append(TuneField(name, tuple(value for value in distinct if value), expected))
    return EvaluationTable(fields.table, tuple(text(questions[row], "the question") for row in asked), tuple(found))
