"""An assert over a result, in a process of its own that never ran the answer.

That process gets the result as plain data and new copies of the tables: patched builtins, a patched pandas and objects
with an ``__eq__`` of their own stay behind. An assert that does not come to an end does not hold.
"""

from __future__ import annotations

import msgspec

from karat.core.suite import NotApplicable
from karat.sandbox import Outcome, Plain, Sandbox
from karat.suites.codegen.harness.programs import assert_program
from karat.suites.codegen.hidden_tests.sent_results import sent
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.execution import given_tables, limits_of

TRIES = 2
"""A busy machine may end a run; an answer may not get out of a test that way, nor lose by it."""


class _Verdict(msgspec.Struct, frozen=True):
    held: bool
    error: str


def assert_problem(box: Sandbox, task: Task, code: str, result: Plain) -> str:
    """Why an assert does not hold; empty when it does."""
    program = assert_program(code, sent(result))
    for _ in range(TRIES):
        outcome = box.apart().run(program, given_tables(task), limits=limits_of(task))
        if outcome.status not in ("timeout", "server_died"):
            break
    if outcome.status == "server_died":
        raise NotApplicable("the sandbox was lost while a test ran")
    try:
        verdict = msgspec.convert(outcome.result, _Verdict)
    except msgspec.ValidationError:
        return f"it did not finish: {_why(task, outcome)}"
    return "" if outcome.ok and verdict.held else verdict.error or "it does not hold"


def _why(task: Task, outcome: Outcome) -> str:
    if outcome.status == "timeout":
        return f"no verdict within {task.timeout:g} s"
    raised = outcome.error
    return f"{raised.class_}: {raised.message}"[:500] if raised is not None else outcome.detail or outcome.status
