"""A task as the cells of a row: its tables, reference and expected value, and the last code that was written for it.

Tables are named by the files they come from, as whole paths, or written out as columns; ``karat import`` reads both and
copies the files.
"""

from __future__ import annotations

from pathlib import Path

from karat.core.json_types import JsonObject
from karat.core.records import Case, Prediction, attempts
from karat.suites.codegen.records import Task


def export_row(case: Case[Task], _turn: int, answer: Prediction | None, _options: object) -> JsonObject:
    """``expected`` is left out where only code says what is right."""
    task = next((turn.target for turn in case.conversation if turn.target is not None), None)
    row: JsonObject = {}
    if task is not None and task.expected is not None:
        right = task.expected
        file = str(Path(right.file).resolve()) if right.file else ""
        row["expected"] = right.table or file or right.named or right.value
        if right.unit:
            row["expected"] = {"value": right.value, "unit": right.unit}
        if right.table is not None:
            names = list(right.table)
            row["expected"] = [
                dict(zip(names, cells, strict=True)) for cells in zip(*right.table.values(), strict=True)
            ]
    if task is not None and task.reference:
        row["reference"] = task.reference
    if task is not None and task.tables:
        row["tables"] = {
            name: source.columns if source.columns is not None else str(Path(source.path).resolve())
            for name, source in task.tables.items()
        }
    if answer is not None and answer.error is None:
        row["answer"] = attempts(answer.response)[-1].decode(errors="replace")
    return row
