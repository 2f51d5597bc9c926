"""What is wrong with the questions and truths of a sheet, before anything runs.

- A truth that is no value of its field: no search can find it. The nearest value is named, and a truth with commas
  whose parts are values is said to look like a list.
- The same question twice: an error when the truths differ, since one of them must be wrong; else a warning.
- A row with truths and no question, and a question without any truth.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import did_you_mean
from karat.search.chunks.rank import chunks_in
from karat.sheet import EvaluationTable, Sheet
from karat.sheet.check.findings import Findings
from karat.sheet.evaluation_table import evaluation_fields, the_evaluation_table
from karat.sheet.text.tree import At, Missing, Table
from karat.suites.retrieval.sheets.edit import cell_place

NOTHING = (None, "", Missing())
"""Cells without a value."""
HINTED = 50
"""The nearest value is looked up for this many truths; past that it would only take time."""


def check_questions(sheet: Sheet, table: EvaluationTable, data: bytes, findings: Findings) -> None:
    """Add every finding, with the place of its cell where it was typed in."""
    tree = the_evaluation_table(sheet)
    columns = evaluation_fields(tree)
    places = _Places(tree, data, table.questions, columns.question)
    names = [name for name, _ in columns.truths]
    places.without_question(names, findings)
    seen: dict[str, int] = {}
    hints = 0
    known = [frozenset(field.values) for field in table.fields]
    for row, question in enumerate(table.questions):
        truths = [frozenset(field.truths[row]) for field in table.fields]
        first = seen.setdefault(" ".join(question.split()), row)
        if first != row:
            same = truths == [frozenset(field.truths[first]) for field in table.fields]
            where = f" (also in line {line})" if (line := places.at(first, columns.question).line) else ""
            findings.add(
                places.at(row, columns.question),
                f'the question "{question}" is asked twice{where}'
                + ("" if same else ", and its truths differ: at least one of them is wrong"),
                "Leave one of them out." if same else "Ask it once, with all its truths.",
                severity="warning" if same else "error",
            )
        if not any(truths):
            findings.add(
                places.at(row, columns.question),
                f'the question "{question}" has no truth in any field',
                "It is not scored (no_truth).",
                severity="warning",
            )
        for name, field, values in zip(names, table.fields, known, strict=True):
            for truth in field.truths[row]:
                if truth not in values and not chunks_in(field.values):  # spans of chunks were read before
                    hints += 1
                    findings.add(
                        places.at(row, name),
                        f'"{truth}" is not a value of {field.field}: no search can find it',
                        hint_for(truth, field.values) if hints <= HINTED else "",
                        severity="warning",
                    )


def hint_for(truth: str, values: Sequence[str]) -> str:
    """The nearest value; or that a text looks like a list."""
    known = frozenset(values)
    parts = [part.strip() for part in truth.split(",")]
    if len(parts) > 1 and any(part in known for part in parts):
        return f"It looks like a list with commas: values are separated by ; as in {';'.join(parts)}."
    return did_you_mean(truth, values)


class _Places:
    """Where the cells of the questions are, if they were typed in."""

    def __init__(self, table: Table, data: bytes, questions: Sequence[str], column: str) -> None:
        self._override, self._table = table.override, table
        self._text = data.decode("utf-8", errors="replace")
        self._column = column
        self._rows: Sequence[int | None] = ()
        if self._override is not None and column in self._override.columns:
            place = self._override.columns.index(column)
            self._rows = _rows_of(questions, [row[place] if len(row) > place else None for row in self._override.rows])

    def at(self, question: int, column: str) -> At:
        """The cell of a column in the row of a question; else the field itself."""
        override = self._override
        row = self._rows[question] if self._rows else None
        if override is None or row is None or column not in override.columns:
            fields = (field for line in self._table.fields for field in line.fields)
            return next((field.at for field in fields if field.name == column), self._table.at)
        line = override.lines[row]
        return cell_place(self._text, line, override.columns.index(column)) or At(line, 1)

    def without_question(self, names: Sequence[str], findings: Findings) -> None:
        """Rows that have truths and no question: it is not typed in, and no formula gives it."""
        override = self._override
        if override is None or self._column not in override.columns:
            return
        formulas = [one.formula for one in self._table.fields for field in one.fields if field.name == self._column]
        if any(formula not in (None, Missing()) for formula in formulas):
            return
        place = override.columns.index(self._column)
        asked = [override.columns.index(name) for name in names if name in override.columns]
        for row, line in zip(override.rows, override.lines, strict=True):
            if _is_empty(row, place) and not all(_is_empty(row, at) for at in asked):
                findings.add(
                    At(line, 1),
                    "this row has truths and no question: it is left out",
                    "Write the question, or remove the row.",
                    severity="warning",
                )


def _is_empty(row: Sequence[object], place: int) -> bool:
    return len(row) <= place or row[place] in NOTHING


def _rows_of(questions: Sequence[str], cells: Sequence[object]) -> list[int | None]:
    """The row that each question was typed in: the next one where every row is a question in its order; else, as where
    a filter leaves rows out, the row with its words."""
    typed = [row for row, cell in enumerate(cells) if cell not in NOTHING]
    if len(typed) == len(questions) and all(
        cells[row] == question for row, question in zip(typed, questions, strict=True) if isinstance(cells[row], str)
    ):
        return [*typed]
    waiting: dict[str, list[int]] = {}
    for row in typed:
        waiting.setdefault(str(cells[row]), []).append(row)
    return [held.pop(0) if (held := waiting.get(question)) else None for question in questions]
