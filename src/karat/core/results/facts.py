"""What is asked of all cases of a result again and again, found by going through them once.

A large result reads its cases from the store each time somebody goes through them, so what was found is kept with
them.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.bulk.sequence import LazySequence
from karat.core.results.result import CaseResult
from karat.core.scores import State


class Facts(msgspec.Struct, frozen=True):
    """Of all cases together."""

    states: dict[State, int]
    """How many cases are in each state, in the order in which the states first occur."""
    most_tries: int
    """The most tries at a case; 0 where each was tried once."""
    fewest_tries: int
    clusters: int | None
    """How many independent clusters the scored cases are; None where each is its own."""


def facts_of(cases: Sequence[CaseResult]) -> Facts:
    """The facts of these cases."""
    if not isinstance(cases, LazySequence):
        return _found(cases)
    if "facts" not in cases.memory:
        cases.memory["facts"] = _found(cases)
    known: Facts = cases.memory["facts"]
    return known


def _found(cases: Sequence[CaseResult]) -> Facts:
    states: dict[State, int] = {}
    names: set[str] = set()
    alone = 0
    most, fewest = 0, None
    for case in cases:
        states[case.status] = states.get(case.status, 0) + 1
        tries = len(case.repeats)
        most = max(most, tries)
        fewest = tries if fewest is None else min(fewest, tries)
        if case.status == "scored":
            if case.cluster:
                names.add(case.cluster)
            else:
                alone += 1
    return Facts(states, most, fewest or 0, len(names) + alone if names else None)
