"""Running the answer to a task, whatever language it is in."""

from __future__ import annotations

from karat.engines import EngineError
from karat.sandbox import Outcome, Sandbox
from karat.suites.codegen.records import Attempt, Task
from karat.suites.codegen.running.execution import run_code
from karat.suites.codegen.running.sql_programs import in_sql_words, program_of, refused


def run_answer(box: Sandbox, task: Task, code: str) -> tuple[Attempt, Outcome]:
    """What became of it. A query that the guard refuses is not run."""
    if task.language == "python":
        return run_code(box, task, code)
    try:
        program = program_of(task, code)
    except EngineError as error:
        return refused(code, error)
    attempt, outcome = run_code(box, task, program)
    return in_sql_words(attempt, outcome, code, task), outcome


def runnable(task: Task, code: str) -> str:
    """The answer as Python code, for all that runs it again; as it is where it cannot be run."""
    if task.language == "python":
        return code
    try:
        return program_of(task, code)
    except EngineError:
        return code
