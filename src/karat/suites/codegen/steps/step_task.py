"""A step as a task of its own, for all that knows tasks only."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.suites.codegen.records import Task
from karat.suites.codegen.steps.flat import flat_program


def step_task(task: Task, number: int) -> Task:
    """A step as a task of its own, whose reference is that of all steps up to it."""
    step = task.steps[number - 1]
    earlier = [one.reference for one in task.steps[: number - 1] if one.reference.strip()]
    timeouts = [one.timeout or task.timeout for one in task.steps[:number]]
    return msgspec.structs.replace(
        task,
        expected=step.expected,
        reference=flat_program(earlier, step.reference) if step.reference.strip() else "",
        tests=step.tests,
        timeout=sum(timeouts),
        steps=(),
        final=(),
    )


def after(task: Task, before: Sequence[str]) -> Task:
    """The task as it is for code that is read, not run, after others: what they made is there."""
    setup = "\n".join(text for text in (task.setup.rstrip(), *before) if text.strip())
    timeout = sum(one.timeout or task.timeout for one in task.steps)
    return msgspec.structs.replace(task, setup=setup, timeout=timeout, steps=(), final=(), tests=())
