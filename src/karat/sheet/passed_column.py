"""A sheet's own ``[Passed]`` column beside the choice of n and model: the two should count the same questions.

They differ where the column has a rule of its own (one field left out of an average, another threshold), so that the
choice was made for something else than the sheet shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from karat.core.problems import Problem, count_of
from karat.sheet.evaluation_table import evaluation_fields
from karat.sheet.text.tree import Table
from karat.sheet.values import NA, Failure, Value

if TYPE_CHECKING:
    from karat.search.choose.choice import Choice

PASSED = "passed"


def passed_column(table: Table) -> str:
    """The name of the column, in any spelling of capitals; empty: there is none."""
    names = (field.name for line in table.fields for field in line.fields)
    return next((name for name in names if name.lower() == PASSED), "")


def passed_problem(
    table: Table, columns: Mapping[str, Sequence[Value]], questions: Sequence[str], choice: Choice, file: str
) -> Problem | None:
    """A warning where the column of an evaluation table counts otherwise than the choice on it, naming the first
    question. ``questions`` are those that were chosen on; ``columns`` those of the table as it shows."""
    name = passed_column(table)
    asked = evaluation_fields(table).question
    if not name or name not in columns or asked not in columns or len(questions) != len(choice.question_passed):
        return None
    passing: dict[str, list[bool | None]] = {}
    for question, passed in zip(questions, choice.question_passed, strict=True):
        passing.setdefault(question, []).append(passed)
    here = chosen = 0
    first = ""
    for question, cell in zip(columns[asked], columns[name], strict=True):
        if isinstance(cell, Failure):
            return None  # a mistake of its own
        of_question = passing.get(str(question), [])
        expected = of_question.pop(0) if of_question else None
        if expected is None or cell is NA or cell == "":
            continue
        here, chosen = here + bool(cell), chosen + expected
        if bool(cell) != expected:
            first = first or str(question)
    if here == chosen:
        return None
    at = next(field.at for line in table.fields for field in line.fields if field.name == name)
    return Problem(
        f"{table.name}[{name}] counts {count_of(here, 'question')} as passed, but the choice of n and model counts "
        f'{chosen:,}; the first that differs is "{first}"',
        file,
        at.line,
        at.column,
        at.width,
        "Change the formula, or --passes, if the sheet means another rule.",
        severity="warning",
    )
