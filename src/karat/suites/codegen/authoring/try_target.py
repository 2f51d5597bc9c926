"""Whether the reference of a task runs and leaves a result, before a proposed task is kept."""

from __future__ import annotations

from karat.core.records import Case
from karat.core.suite import NotApplicable
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.environments import box_for
from karat.suites.codegen.running.references import reference_outcome


def try_target(case: Case[Task], options: Options) -> str:
    """Why the task cannot be used: it has no reference, or the reference fails in the sandbox."""
    task = next(turn.target for turn in case.conversation if turn.target is not None)
    if not task.reference.strip():
        return "it has no reference, so nothing shows that its target is right"
    try:
        outcome = reference_outcome(box_for(task, options), task)
    except NotApplicable as error:
        return str(error)
    return "" if outcome.result is not None else "the reference leaves no result"
