"""Asking a system to repair code that did not run, and how often it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.records import Case
from karat.core.suite import Unreadable
from karat.suites.codegen.comparison import asked_in
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.repair.prompt import repair_prompt
from karat.suites.codegen.running.answers import run_to_tell
from karat.suites.codegen.running.completion import code_for
from karat.suites.codegen.running.environments import box_for
from karat.suites.codegen.running.references import schema_of
from karat.suites.codegen.steps.follow_up import next_step


def follow_up(case: Case[Task], turn: int, responses: Sequence[bytes], options: Options) -> str | None:
    """What to say after the last response: the error, when its code did not run and may still be repaired; the next
    step of a session; else None."""
    question, task = asked_in(case, turn)
    if task.steps:
        return next_step(task, case.id, responses, options)
    if options.strategies or len(responses) > options.max_recovery_attempts:
        return None  # strategies are asked beside the first answer
    try:
        code = code_for(task, responses[-1])
    except Unreadable:
        return None
    box = box_for(task, options)
    attempt, outcome = run_to_tell(box, task, code)
    if attempt.ran:
        return None
    return repair_prompt(question, task, schema_of(box, task)[0], attempt, outcome, samples=options.samples)
