"""The default system prompt: which tables there are, where to leave the answer, how to write it.

This is the system turn of every case; a system of its own may have other instructions and ignore it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from karat.suites.codegen.records import Task
from karat.suites.codegen.tasks.schemas import ColumnHead, head

MOST_COLUMNS = 60
MOST_EXAMPLES = 6
LONGEST_EXAMPLE = 24

WRITE = "Answer with Python code only, in one fenced block: ```python … ```. pandas is imported as pd and numpy as np."

WRITE_SQL = "Answer with one SELECT only, in one fenced block: ```sql … ```. It reads these tables and nothing else."


def instructions(task: Task, *, more: Sequence[str] = ()) -> str:
    """The system turn of a task; ``more`` are paragraphs between the tables and how to answer."""
    if task.language == "sql":
        head = "You write one SQL query (DuckDB) that answers a question."
        parts = [head, _tables(task), *more, WRITE_SQL]
    else:
        parts = ["You write pandas code that answers a question.", _tables(task), *more, _answer(task), WRITE]
    return "\n\n".join(part for part in parts if part)


def _tables(task: Task) -> str:
    if not task.tables:
        return ""
    single = len(task.tables) == 1
    as_frames = task.language == "python"
    lines = ["These tables are there as data frames:" if as_frames else "These tables are there:"]
    for name, source in task.tables.items():
        called = " (also as df)" if as_frames and single and name != "df" else ""
        columns = head(source)
        lines.append(f"- {name}{called}: {', '.join(map(_described, columns[:MOST_COLUMNS]))}")
        if len(columns) > MOST_COLUMNS:
            lines.append(f"  and {len(columns) - MOST_COLUMNS} columns more")
    return "\n".join(lines)


def _described(column: ColumnHead) -> str:
    if not column.values or len(column.values) > MOST_EXAMPLES:
        return f"{column.name} ({column.kind})"
    shown = ", ".join(value[:LONGEST_EXAMPLE] for value in sorted(column.values))
    return f"{column.name} ({column.kind}: {shown})"


def _answer(task: Task) -> str:
    if task.template:
        return ""
    if task.files:
        names = ", ".join(PurePath(file).name for file in task.files)
        return f"Leave the answer in the variable `{task.answer}`. These files can be read: {names}. Write no files."
    files = task.expected.files if task.expected is not None else None
    if not files:
        return f"Leave the answer in the variable `{task.answer}`. Do not read or write files."
    write = f"Write into the working folder: {', '.join(files)}."
    if task.expected is not None and task.expected.only_files:
        return write
    return f"Leave the answer in the variable `{task.answer}`. {write}"
