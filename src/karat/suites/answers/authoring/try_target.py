"""Whether the gold of a proposed question runs and returns rows."""

from __future__ import annotations

from karat.core.records import Case
from karat.suites.answers.gold.check import check_cases
from karat.suites.answers.options import Options
from karat.suites.answers.records import Gold


def try_target(case: Case[Gold], options: Options) -> str:
    """What the gold linter finds; gold SQL is executed where there is a database."""
    gold = next((turn.target for turn in case.conversation if turn.target is not None), None)
    if gold is not None and gold.queries is not None and not options.databases:
        return "its SQL cannot be executed: the option databases is not set"
    found = check_cases([case], (), options)
    return next((problem.message for problem in found.problems if problem.severity == "error"), "")
