"""Budgets of a live session: how many calls, tokens and how much money its steps may take together.

What ran out is the reason of the steps that were not asked; they are missing, not wrong.
"""

from __future__ import annotations

from karat.core.records import Prediction, attempts
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task


def spent(prediction: Prediction, options: Options) -> str:
    """The budget that an answer has used up; empty when it may go on. What a system does not report is not limited."""
    if options.max_calls is not None and len(attempts(prediction.response)) >= options.max_calls:
        return "max_calls"
    if options.max_tokens is not None and prediction.tokens is not None and prediction.tokens >= options.max_tokens:
        return "max_tokens"
    if options.max_cost is not None and prediction.cost is not None and prediction.cost >= options.max_cost:
        return "max_cost"
    return ""


def ran_out(task: Task, prediction: Prediction, options: Options) -> str:
    """Why an answer has fewer steps than its task; empty when it has all, or no budget explains it."""
    return spent(prediction, options) if len(attempts(prediction.response)) < len(task.steps) else ""
