"""Asking a system to repair code that did not run: the message it gets, and how often it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.records import Case
from karat.core.suite import Unreadable
from karat.suites.codegen.comparison import asked_in
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Attempt, Schema, Task
from karat.suites.codegen.running.answers import run_answer
from karat.suites.codegen.running.completion import code_for
from karat.suites.codegen.running.environments import box_for
from karat.suites.codegen.running.references import schema_of
from karat.suites.codegen.steps.follow_up import next_step

SHOWN_COLUMNS = 200
SHOWN_ERROR = 2_000


def follow_up(case: Case[Task], turn: int, responses: Sequence[bytes], options: Options) -> str | None:
    """What to say after the last response: the error, when its code did not run and may still be repaired; the next
    step of a session; else None."""
    question, task = asked_in(case, turn)
    if task.steps:
        return next_step(task, case.id, responses, options)
    if len(responses) > options.max_recovery_attempts:
        return None
    try:
        code = code_for(task, responses[-1])
    except Unreadable:
        return None
    box = box_for(task, options)
    attempt, _ = run_answer(box, task, code)
    return None if attempt.ran else repair_prompt(question, task, schema_of(box, task)[0], attempt)


def repair_prompt(question: str, task: Task, schema: Schema, attempt: Attempt) -> str:
    """The error (class, message, offending line), the question, the schema and the code."""
    parts = [f"This code did not run.\n\nError ({attempt.error_class}): {attempt.error[:SHOWN_ERROR]}"]
    lines = attempt.code.splitlines()
    if 1 <= attempt.line <= len(lines):
        parts.append(f"Line {attempt.line}: {lines[attempt.line - 1].strip()}")
    parts.append(f"Question: {question}")
    if schema.tables:
        parts.append("Tables:\n" + "\n".join(_table(name, columns) for name, columns in schema.tables.items()))
    parts.append(f"Code:\n```{task.language}\n{attempt.code}\n```")
    parts.append(
        "Answer with the whole corrected query in one SQL block."
        if task.language == "sql"
        else f"Answer with the whole corrected code in one Python block. It must leave its answer in `{task.answer}`."
    )
    return "\n\n".join(parts)


def _table(name: str, columns: Sequence[str]) -> str:
    more = f", and {len(columns) - SHOWN_COLUMNS} more" if len(columns) > SHOWN_COLUMNS else ""
    return f"- {name}: {', '.join(columns[:SHOWN_COLUMNS])}{more}"
