"""What is counted over the tries of a run: first errors by class, how far repairs got, requirements that were missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from karat.core.problems import count_of
from karat.core.result import CaseResult, RepeatResult, RunResult

KINDS = {"Filter": "filter", "Group": "group", "Top": "order", "Bottom": "order", "Sorting": "order", "Join": "join"}
"""The kind of a requirement by the word it begins with; what has none concerns the code as a whole."""
WHOLE = "no code to judge"

Try = CaseResult | RepeatResult


def tries(result: RunResult) -> Iterable[tuple[CaseResult, Try]]:
    """Every try at every task that was judged; one a task unless there were repeats."""
    for case in result.cases:
        for attempt in case.repeats or (case,):
            if attempt.details.get("attempts"):
                yield case, attempt


def error_counts(result: RunResult) -> Counter[str]:
    """The class of every first error, also of those that were recovered from."""
    firsts = (attempt.details["attempts"][0] for _, attempt in tries(result))
    return Counter(class_of(first) for first in firsts if not first.get("ran"))


def class_of(attempt: Mapping[str, Any]) -> str:
    """The class of an attempt that failed."""
    return str(attempt.get("error_class") or "other_error")


class Step(msgspec.Struct, frozen=True):
    """How far the judged tries had come after so many repairs. Only the last attempt of a try can have run, and only what ran can be right."""

    repairs: int
    tries: int
    ran: int
    known: int
    """Tries at tasks that say what is right."""
    right: int

    @property
    def name(self) -> str:
        return f"after {count_of(self.repairs, 'repair')}" if self.repairs else "first try"


def funnel(result: RunResult) -> list[Step]:
    """The first try, then after each repair."""
    judged = [attempt.details for _, attempt in tries(result)]
    most = max((len(details["attempts"]) for details in judged), default=0)
    known = sum(details.get("correctness", {}).get("score") is not None for details in judged)
    steps = []
    for repairs in range(most):
        ran = [details for details in judged if any(tried.get("ran") for tried in details["attempts"][: repairs + 1])]
        right = sum(bool(details.get("correctness", {}).get("passed")) for details in ran)
        steps.append(Step(repairs, len(judged), len(ran), known, right))
    return steps


def missing(details: Mapping[str, Any]) -> list[str]:
    """The requirements that a try missed, in words."""
    return [
        str(words)
        for words in details.get("requirement_coverage", {}).get("details", {}).get("missing_requirements", ())
    ]


def kind_of(words: str) -> str:
    """``filter`` of "Filter missing: age > 30"."""
    return next((kind for word, kind in KINDS.items() if words.startswith(word)), WHOLE)


def missing_counts(result: RunResult) -> Counter[str]:
    """How many tasks missed a requirement of each kind."""
    found: Counter[str] = Counter()
    for _, attempt in tries(result):
        found.update({kind_of(words) for words in missing(attempt.details)})
    return found
