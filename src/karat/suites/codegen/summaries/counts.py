"""What is counted over the tries of a run: first errors by class, how far repairs got, requirements that were
missed."""

from __future__ import annotations

from collections import Counter

import msgspec

from karat.core.problems import count_of
from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries
from karat.suites.codegen.records import Attempt

KINDS = {"Filter": "filter", "Group": "group", "Top": "order", "Bottom": "order", "Sorting": "order", "Join": "join"}
"""The kind of a requirement by the word it begins with; what has none concerns the code as a whole: it cannot be
parsed, or nothing of a table goes into its result."""
WHOLE = "use of the tables"


def error_counts(result: RunResult) -> Counter[str]:
    """The class of every first error, also of those that were recovered from."""
    firsts = (details.attempts[0] for _, details in tries(result))
    return Counter(class_of(first) for first in firsts if not first.ran)


def class_of(attempt: Attempt) -> str:
    """The class of an attempt that failed."""
    return attempt.error_class or "other_error"


class Step(msgspec.Struct, frozen=True):
    """How far the judged tries had come after this many repairs. Only the last attempt of a try can have run, and only
    what ran can be right."""

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
    judged = [details for _, details in tries(result)]
    most = max((len(details.attempts) for details in judged), default=0)
    known = sum(details.correctness.score is not None for details in judged)
    steps = []
    for repairs in range(most):
        ran = [details for details in judged if any(tried.ran for tried in details.attempts[: repairs + 1])]
        right = sum(details.correctness.passed for details in ran)
        steps.append(Step(repairs, len(judged), len(ran), known, right))
    return steps


def kind_of(words: str) -> str:
    """``filter`` of "Filter missing: age > 30"."""
    return next((kind for word, kind in KINDS.items() if words.startswith(word)), WHOLE)


def missing_counts(result: RunResult) -> Counter[str]:
    """How many tasks missed a requirement of each kind."""
    found: Counter[str] = Counter()
    for _, details in tries(result):
        found.update({kind_of(words) for words in details.missing})
    return found
