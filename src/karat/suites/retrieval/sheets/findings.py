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
from karat.sheet.text.tree import At, Table
from karat.suites.retrieval.sheets.edit import cell_place

EMPTY: tuple[tuple[object, ...], ...] = ((), (None,), ("",))
"""A cell without a value, as a slice of its row."""
HINTED = 50
"""The nearest value is looked up for this many truths; past that it would only take time."""


def check_questions(sheet: Sheet, table: EvaluationTable, data: bytes, findings: Findings) -> None:
    """Add every finding, with the place of its cell where it was typed in."""
    tree = the_evaluation_table(sheet)
    columns = evaluation_fields(tree)
    places = _Places(tree, data, len(table.questions), columns.question)
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
                        f'"{truth}" is no value of {field.field}: no search can find it',
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

    def __init__(self, table: Table, data: bytes, questions: int, column: str) -> None:
        self._override, self._table = table.override, table
        self._text = data.decode("utf-8", errors="replace")
        self._column = column
        self._rows: list[int] = []
        if self._override is not None and column in self._override.columns:
            place = self._override.columns.index(column)
            rows = [
                at for at, row in enumerate(self._override.rows) if len(row) > place and row[place] not in (None, "")
            ]
            self._rows = rows if len(rows) == questions else []

    def at(self, question: int, column: str) -> At:
        """The cell of a column in the row of a question; else the field itself."""
        override = self._override
        if override is None or not self._rows or column not in override.columns:
            fields = (field for line in self._table.fields for field in line.fields)
            return next((field.at for field in fields if field.name == column), self._table.at)
        line = override.lines[self._rows[question]]
        return cell_place(self._text, line, override.columns.index(column)) or At(line, 1)

    def without_question(self, names: Sequence[str], findings: Findings) -> None:
        """Rows that have truths and no question."""
        override = self._override
        if override is None or self._column not in override.columns:
            return
        place = override.columns.index(self._column)
        asked = [override.columns.index(name) for name in names if name in override.columns]
        for row, line in zip(override.rows, override.lines, strict=True):
            if row[place : place + 1] in EMPTY and any(row[at : at + 1] not in EMPTY for at in asked):
                findings.add(
                    At(line, 1),
                    "this row has truths and no question: it is left out",
                    "Write the question, or remove the row.",
                    severity="warning",
                )
