"""Asking a live system step by step: after each answer, what its code printed, and the next question.

The conversation goes on, so the earlier questions and code are in it already. Output is cut in the middle to 8 kB.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.records import Prediction, join_attempts
from karat.core.suite import NotApplicable, Unreadable
from karat.sandbox import StepRun
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.environments import box_for
from karat.suites.codegen.running.execution import Snippet, attempt_of
from karat.suites.codegen.running.truncation import cut_in_the_middle
from karat.suites.codegen.steps.compare import read_codes
from karat.suites.codegen.steps.run import run_steps

SHOWN = 8 * 1024


def next_step(task: Task, case_id: str, responses: Sequence[bytes], options: Options) -> str | None:
    """What to say after the last response; None when all steps are answered or the session's time is used up."""
    if len(responses) >= len(task.steps) or (options.max_calls is not None and len(responses) >= options.max_calls):
        return None
    try:
        codes = read_codes(task, Prediction(case_id, response=join_attempts(list(responses))))
    except Unreadable:
        return None
    box = box_for(task, options)
    try:
        ran = run_steps(box, task, codes, options.session_timeout)
    except NotApplicable:
        return None
    if ran.ran_out or ran.seconds >= options.session_timeout:
        return None
    number = len(responses) + 1
    told = _feedback(task, codes[-1] or "", ran.runs[-1])
    return f"{told}\n\nStep {number} of {len(task.steps)}: {task.steps[number - 1].question.strip()}"


def _feedback(task: Task, code: str, run: StepRun | None) -> str:
    if run is None:
        return "The last step was not answered; its state is that of the step before."
    outcome = run.outcome
    parts = []
    if outcome.stdout.strip():
        parts.append(f"Printed output:\n{cut_in_the_middle(outcome.stdout, SHOWN)}")
    if run.snapshot is None:
        attempt = attempt_of(task, code, Snippet(code, 0, code.count("\n") + 1), outcome)
        at = f" (line {attempt.line})" if attempt.line else ""
        parts.append(f"The code failed and left no trace: {cut_in_the_middle(attempt.error, SHOWN)}{at}")
    elif not parts:
        parts.append("The code ran and printed nothing.")
    return "\n\n".join(parts)
