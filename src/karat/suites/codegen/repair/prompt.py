"""What a system sees when it is asked to repair its code.

The question, the tables with their types and first rows, its code with line numbers, the error (class, message, line,
the frames in its own code) and what it printed. Never the right result, the reference, the tests or other answers; one
test that is marked ``public`` where the strategy shows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.sandbox import Outcome
from karat.suites.codegen.hidden_tests.records import TestResult
from karat.suites.codegen.records import Attempt, HiddenTest, Schema, Task
from karat.suites.codegen.running.execution import snippet_of
from karat.suites.codegen.running.truncation import cut_in_the_middle
from karat.suites.codegen.tasks.schemas import first_rows, head

SHOWN_COLUMNS = 200
SHOWN_ERROR = 2_000
SHOWN_OUTPUT = 2_048
SHOWN_FRAMES = 8
LONGEST_CELL = 80
_FRAME = re.compile(r'^  File "<snippet>", line (\d+)(.*(?:\n(?!  File ).*)*)', re.MULTILINE)


def repair_prompt(
    question: str, task: Task, schema: Schema, attempt: Attempt, outcome: Outcome, *, samples: int = 3
) -> str:
    """After code that did not run."""
    parts = [f"This code did not run.\n\nError ({attempt.error_class}): {attempt.error[:SHOWN_ERROR]}"]
    lines = attempt.code.splitlines()
    if 1 <= attempt.line <= len(lines):
        parts.append(f"Line {attempt.line}: {lines[attempt.line - 1].strip()}")
    if frames := _frames(task, attempt.code, outcome):
        parts.append(f"Traceback, your code only:\n{frames}")
    return "\n\n".join([*parts, *_common(question, task, schema, attempt.code, outcome, samples)])


def failed_test_prompt(
    question: str, task: Task, schema: Schema, attempt: Attempt, outcome: Outcome, failed: str, *, samples: int = 3
) -> str:
    """After code that ran and fails a public test."""
    parts = [f"This code ran, and a test of its result fails.\n\n{failed}"]
    return "\n\n".join([*parts, *_common(question, task, schema, attempt.code, outcome, samples)])


def failed_test_words(test: HiddenTest, result: TestResult) -> str:
    """A public test with its tables, and what it says."""
    said = f"{result.name}: {result.reason}"[:SHOWN_ERROR]
    tables = [_sampled(name, first_rows(source, 10)) for name, source in test.tables.items()]
    return "\n\n".join([said, *(["Its tables:\n" + "\n".join(tables)] if tables else [])])


def _common(question: str, task: Task, schema: Schema, code: str, outcome: Outcome, samples: int) -> list[str]:
    parts = []
    if outcome.stdout.strip():
        parts.append(f"Printed output:\n{cut_in_the_middle(outcome.stdout, SHOWN_OUTPUT)}")
    parts.append(f"Question: {question}")
    if schema.tables:
        parts.append(
            "Tables:\n" + "\n".join(_table(name, columns, task, samples) for name, columns in schema.tables.items())
        )
    parts.append(f"Code, with line numbers:\n```{task.language}\n{numbered(code)}\n```")
    parts.append(
        "Answer with the whole corrected query in one SQL block, without line numbers."
        if task.language == "sql"
        else "Answer with the whole corrected code in one Python block, without line numbers. It must leave its answer "
        f"in `{task.answer}`."
    )
    return parts


def numbered(code: str) -> str:
    """Code with the number of each line before it."""
    lines = code.splitlines()
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}} | {line}" for number, line in enumerate(lines, start=1))


def _frames(task: Task, code: str, outcome: Outcome) -> str:
    """The last frames in its own code, with its own line numbers; the first alone says no more than the line. What the
    task puts around the code, such as calls with the inputs of its tests, is not shown."""
    if outcome.error is None or task.language != "python":
        return ""
    snippet = snippet_of(task, code)
    found = [(snippet.own_line(int(frame[1])), frame[2]) for frame in _FRAME.finditer(outcome.error.traceback)]
    frames = [f'  File "<answer>", line {line}{rest}'.rstrip() for line, rest in found if line]
    return "\n".join(frames[-SHOWN_FRAMES:]) if len(frames) > 1 else ""


def _table(name: str, columns: Sequence[str], task: Task, samples: int) -> str:
    source = task.tables.get(name)
    kinds = {column.name: column.kind for column in head(source)} if source is not None else {}
    told = [f"{column} ({kinds[column]})" if column in kinds else column for column in columns[:SHOWN_COLUMNS]]
    more = f", and {len(columns) - SHOWN_COLUMNS} more" if len(columns) > SHOWN_COLUMNS else ""
    line = f"- {name}: {', '.join(told)}{more}"
    rows = first_rows(source, samples) if source is not None and samples else ()
    return "\n".join([line, *(f"  {_row(row)}" for row in rows)])


def _sampled(name: str, rows: Sequence[Sequence[object]]) -> str:
    return "\n".join([f"- {name}", *(f"  {_row(row)}" for row in rows)])


def _row(row: Sequence[object]) -> str:
    return " | ".join("" if cell is None else str(cell)[:LONGEST_CELL] for cell in row[:SHOWN_COLUMNS])
