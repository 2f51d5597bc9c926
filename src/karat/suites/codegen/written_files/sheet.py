"""The sheet *Files*: what the code of each task wrote, and whether the expected files are right."""

from __future__ import annotations

from karat.core.report import Cell, Column, Sheet, Table, visible
from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries

_WORDS = {True: "yes", False: "no", None: "not expected"}


def files_sheet(result: RunResult) -> Sheet | None:
    """One row per file; None where no code wrote any."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            case.id,
            visible(file.name),
            file.byte_count,
            _WORDS[file.right],
            visible(file.note),
            details.correctness.reason,
        )
        for case, details in tries(result)
        for file in details.files or ()
    )
    if not rows:
        return None
    columns = (
        Column("task", "wrapped", 22),
        Column("file", "wrapped", 30),
        Column("bytes", "count", 11),
        Column("right", "text", 14),
        Column("note", "wrapped", 50),
        Column("reason of the task", "text", 22),
    )
    return Sheet("Files", (Table(columns, rows, note="Written files, and expected ones that are missing."),))
