"""Running the answer to a task, whatever language it is in, to judge it or to say to a system what became of it."""

from __future__ import annotations

import msgspec

from karat.engines import EngineError
from karat.sandbox import Outcome, Sandbox
from karat.suites.codegen.records import Attempt, Task
from karat.suites.codegen.running.execution import run_code
from karat.suites.codegen.running.sql_programs import in_sql_words, program_of, refused

TOLD = ("timeout", "memory")
"""Ends that the server has seen itself."""


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


def run_to_tell(box: Sandbox, task: Task, code: str) -> tuple[Attempt, Outcome]:
    """What became of it, as far as a system may know. Where a task's tests share the process of the answer, the answer
    could print them or put them into its error: such a run is only told of by how it ended, else the code runs again
    without the tests."""
    attempt, outcome = run_answer(box, task, code)
    if attempt.ran or task.unit_tests is None:
        return attempt, outcome
    alone = msgspec.structs.replace(task, unit_tests=None)
    told, outcome = run_answer(box, alone, f"{code}\nresult = None")
    if told.ran:
        ended = attempt.error if attempt.outcome in TOLD else "it did not come to its end in the tests of the task"
        told = msgspec.structs.replace(attempt, error=ended, line=0)
    return msgspec.structs.replace(told, code=code), outcome


def runnable(task: Task, code: str) -> str:
    """The answer as Python code, for all that runs it again; as it is where it cannot be run."""
    if task.language == "python":
        return code
    try:
        return program_of(task, code)
    except EngineError:
        return code
