"""The Pareto front: every choice that no other one beats in tokens, questions passed and recall together.

A point is on the front when no other choice has at most its tokens, at least its passed questions and at least its
recall, with one of them better. Where passed and recall disagree, one token count has several points. Of choices that
are equal in all three the one with the smallest n and the cheapest models is shown. Retrieving nothing is no point.

With a few million combinations or fewer, all of them are looked at. Beyond that: for each number of passed questions,
from 0 up, the highest recall that passes at least as many, within a budget that falls from the largest on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import msgspec
import numpy as np

from karat.search.choose.choice import Wanted, best_combination, picks_of
from karat.search.choose.outcome import Pick, outcome_of
from karat.search.choose.problem import Problem, affordable_options
from karat.search.choose.solvers.combinations import Program, program_of, value
from karat.search.choose.solvers.enumeration import Figures, figures_of
from karat.search.records import Integers

MOST_POINTS = 1000


class Point(msgspec.Struct, frozen=True):
    """A choice that no other one beats."""

    tokens: int
    passed: int
    mean_recall: float | None
    fields: tuple[Pick, ...]
    optimal: bool


class Front(msgspec.Struct, frozen=True):
    """From the cheapest point to the dearest, at the same cost the one that passes most first. When not complete,
    points may have been left out."""

    points: tuple[Point, ...]
    complete: bool


@dataclass(frozen=True)
class _Found:
    """A combination with its figures."""

    tokens: int
    passed: int
    recall: int
    rest: int
    taken: tuple[int, ...]


def front(problem: Problem, *, most_tokens: int, most_points: int = MOST_POINTS, time_limit: float = 30.0) -> Front:
    """All points up to ``most_tokens``. Of more than ``most_points`` some are left out, never the ends."""
    deadline = time.monotonic() + time_limit
    wide = Problem(problem.fields, problem.candidates, msgspec.structs.replace(problem.limits, budget=most_tokens))
    program = program_of(affordable_options(wide), problem.limits.passes)
    figures = figures_of(program)
    if figures is not None:
        found, complete = _from_all(figures, most_tokens), True
    else:
        found, complete = _swept(program, most_tokens, deadline)
    found = [one for one in found if one.tokens or one.recall]
    kept = found
    if len(found) > most_points:
        kept = [found[int(at)] for at in np.unique(np.linspace(0, len(found) - 1, most_points).round())]
        complete = False
    return Front(tuple(_point(problem, program, one, complete) for one in kept), complete)


def _point(problem: Problem, program: Program, found: _Found, complete: bool) -> Point:
    picks = picks_of(problem, program, found.taken)
    outcome = outcome_of(problem.fields, picks, problem.limits.passes)
    mean = outcome.mean_recall if outcome.counts.any() else None
    return Point(found.tokens, int(outcome.passed.sum()), mean, picks, complete)


def _from_all(figures: Figures, budget: int) -> list[_Found]:
    """The front of all combinations."""
    fits = np.flatnonzero(figures.tokens <= budget)
    tokens, passed, recall = figures.tokens[fits], figures.passed[fits], figures.recall[fits]
    # Of the same tokens and passed only the highest recall can be on the front, and of these the least rest is shown.
    order = np.lexsort((figures.rest[fits], -recall, -passed, tokens))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(tokens[order]) != 0) | (np.diff(passed[order]) != 0)
    order = order[first]
    return [
        _Found(
            int(figures.tokens[at]),
            int(figures.passed[at]),
            int(figures.recall[at]),
            int(figures.rest[at]),
            figures.taken(int(at)),
        )
        for at in fits[order[_rising(passed[order], recall[order])]]
    ]


def _rising(passed: Integers, recall: Integers) -> Integers:
    """The places of those that no earlier one matches; they come by rising tokens, then by falling passed."""
    best = np.full(int(passed.max(initial=0)) + 1, -1, dtype=np.int64)  # the highest recall that passes as many or more
    kept = []
    for at, (own, figure) in enumerate(zip(passed.tolist(), recall.tolist(), strict=True)):
        if figure > best[own]:
            kept.append(at)
            best[: own + 1] = np.maximum(best[: own + 1], figure)
    return np.array(kept, dtype=np.int64)


def _undominated(found: list[_Found]) -> list[_Found]:
    """By rising tokens, then falling passed, without those that another one beats or equals."""
    ordered = sorted(found, key=lambda one: (one.tokens, -one.passed, -one.recall, one.rest))
    if not ordered:
        return []
    passed, recall = (np.array([getattr(one, name) for one in ordered]) for name in ("passed", "recall"))
    return [ordered[at] for at in _rising(passed, recall)]


def _swept(program: Program, budget: int, deadline: float) -> tuple[list[_Found], bool]:
    """The front when combinations are too many to look at all; and whether every point was proven in time."""
    found: list[_Found] = []
    earlier: list[tuple[int, _Found]] = []  # for one passed count less: (budget, what is best within it)
    least = int(sum(field.options[0].tokens for field in program.fields))
    passed = 0
    while True:
        here: list[tuple[int, _Found]] = []
        limit = budget
        while limit >= least:
            known = next((one for top, one in earlier if one.tokens <= limit <= top and one.passed >= passed), None)
            if known is None:
                if time.monotonic() > deadline:
                    return _undominated(found), False
                wanted = Wanted(limit, passed)
                solved = best_combination(program, ("recall", "tokens", "rest"), wanted, deadline=deadline)
                if not solved.proven:
                    return _undominated(found), False
                if solved.taken is None:
                    break
                known = _figures(program, solved.taken)
            here.append((limit, known))
            limit = known.tokens - 1
        if not here:
            return _undominated(found), True
        found += [one for _, one in here]
        earlier, passed = here, passed + 1


def _figures(program: Program, taken: tuple[int, ...]) -> _Found:
    return _Found(
        -value(program, "tokens", taken),
        value(program, "passed", taken),
        value(program, "recall", taken),
        -value(program, "rest", taken),
        taken,
    )
