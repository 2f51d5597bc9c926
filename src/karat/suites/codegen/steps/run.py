"""Running the steps of an answer in one session of the sandbox, and each of them after the references' state.

A step that fails leaves no trace: the one after it runs from the last good state. ``session_timeout`` is what all steps
together may take; what is left of it limits each.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.suite import NotApplicable
from karat.sandbox import BoxSession, Limits, Outcome, Sandbox, StepRun
from karat.suites.codegen.plots.plot_runs import drawing_limits
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.execution import MB, answered, expected_files, given_files, given_tables
from karat.suites.codegen.steps.records import SESSION_TIMEOUT
from karat.suites.codegen.steps.step_task import step_task

ROOT = 0


class RanSteps(msgspec.Struct, frozen=True):
    """What became of each step, and the budget that ended them before the last."""

    runs: tuple[StepRun | None, ...]
    """None for a step that was not run."""
    ran_out: str = ""

    @property
    def seconds(self) -> float:
        return sum(run.outcome.wall for run in self.runs if run is not None)


def step_limits(task: Task, number: int) -> Limits:
    """The time of the step, the memory of the task, and figures where the step is to draw one."""
    limits = Limits(wall=task.steps[number - 1].timeout or task.timeout, memory=task.memory_mb * MB)
    return drawing_limits(step_task(task, number), limits, pictures=True)


def _run(
    box: Sandbox,
    session: BoxSession,
    task: Task,
    number: int,
    code: str,
    state: int,
    limits: Limits,
    *,
    keep: bool = True,
) -> StepRun:
    """One step; what it drew or wrote may be its answer."""
    whole = step_task(task, number)
    run = session.step(code, state, limits=limits, keep=keep, files=expected_files(whole))
    return msgspec.structs.replace(run, outcome=answered(box, whole, code, run.outcome))


def run_steps(box: Sandbox, task: Task, codes: Sequence[str | None], seconds: float) -> RanSteps:
    """The codes in their order, each after the last good state; None: there is no code for a step."""
    runs: list[StepRun | None] = []
    left = seconds
    with open_session(box, task, [code for code in codes if code]) as session:
        state = after_setup(session, task)
        for number, code in enumerate(codes, start=1):
            if code is None:
                runs.append(None)
                continue
            limits = step_limits(task, number)
            short = left < limits.wall
            if left <= 0:
                return RanSteps(tuple(runs), SESSION_TIMEOUT)
            run = _run(box, session, task, number, code, state, _at_most(limits, left))
            left -= run.outcome.wall
            if short and run.outcome.status == "timeout":
                return RanSteps(tuple(runs), SESSION_TIMEOUT)
            runs.append(run)
            state = state if run.snapshot is None else run.snapshot
    return RanSteps(tuple(runs))


def _at_most(limits: Limits, seconds: float) -> Limits:
    return limits if seconds >= limits.wall else msgspec.structs.replace(limits, wall=max(seconds, 0.001))


def run_alone(box: Sandbox, task: Task, codes: Sequence[str | None]) -> list[StepRun | None]:
    """Each code after the references of the steps before it. Raises NotApplicable when a reference fails."""
    runs: list[StepRun | None] = []
    known = [*(code for code in codes if code), *(step.reference for step in task.steps)]
    with open_session(box, task, known) as session:
        state = after_setup(session, task)
        for number, (step, code) in enumerate(zip(task.steps, codes, strict=False), start=1):
            limits = step_limits(task, number)
            runs.append(None if code is None else _run(box, session, task, number, code, state, limits, keep=False))
            if number < len(codes):
                reference = session.step(step.reference, state, limits=limits)
                if reference.snapshot is None:
                    raise NotApplicable(f"gold_error: the reference of step {number} fails: {_why(reference.outcome)}")
                state = reference.snapshot
    return runs


def open_session(box: Sandbox, task: Task, codes: Sequence[str]) -> BoxSession:
    """A session with the limits of its longest step."""
    limits = Limits(wall=max([task.timeout, *(step.timeout or 0.0 for step in task.steps)]), memory=task.memory_mb * MB)
    return box.session({**given_files(task), **given_tables(task)}, limits=limits, code="\n".join((task.setup, *codes)))


def after_setup(session: BoxSession, task: Task) -> int:
    """The state that the task's setup leaves."""
    if not task.setup.strip():
        return ROOT
    made = session.step(task.setup, ROOT)
    if made.snapshot is None:
        raise NotApplicable(f"gold_error: the setup fails here: {_why(made.outcome)}")
    return made.snapshot


def _why(outcome: Outcome) -> str:
    raised = outcome.error
    return f"{raised.class_}: {raised.message}" if raised is not None else outcome.detail or outcome.status
