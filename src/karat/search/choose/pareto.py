"""What more tokens would buy: the best choice at every budget, and the least tokens that pass one or two questions
more."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from karat.search.choose.choice import ORDER, Choice, Wanted, affordable_options, best_combination, choice_of
from karat.search.choose.combinations import Program, Solved, program_of, value
from karat.search.choose.limits import Limits
from karat.search.choose.options import options_of
from karat.search.choose.outcome import Pick
from karat.search.records import NOT_A_VALUE, FieldRanks

MOST_POINTS = 200


class Point(msgspec.Struct, frozen=True):
    """The best choice of all that cost this many tokens or less, until the next point."""

    tokens: int
    passed: int
    mean_recall: float | None
    fields: tuple[Pick, ...]
    optimal: bool


class Front(msgspec.Struct, frozen=True):
    """From the cheapest point to the dearest. When not complete, points between these may have been left out."""

    points: tuple[Point, ...]
    complete: bool


class More(msgspec.Struct, frozen=True):
    """What it takes to pass this many questions more."""

    questions: int
    outcome: Literal["found", "beyond", "never", "unknown"]
    """``beyond``: only with an n above the limit; ``never``: by no n, for truths are not among the values; ``unknown``:
    no time to tell."""
    tokens: int | None = None
    more_tokens: int | None = None
    fields: tuple[Pick, ...] = ()


def front(
    fields: Sequence[FieldRanks],
    limits: Limits,
    *,
    most_points: int = MOST_POINTS,
    time_limit: float = 30.0,
) -> Front:
    """The best choice with the whole budget, then with one token less than it takes, and so on down to the cheapest.

    After three quarters of the points the steps are widened, so that the cheap end is reached whatever happens.
    """
    deadline = time.monotonic() + time_limit
    options = affordable_options(fields, limits)
    program = program_of(options)
    least = sum(field.options[0].tokens for field in options)
    points: list[Point] = []
    budget, complete = limits.budget, True
    while budget >= least and len(points) < most_points:
        if time.monotonic() > deadline:
            break
        choice = choice_of(fields, program, best_combination(program, ORDER, Wanted(budget), deadline=deadline))
        points.append(Point(choice.tokens, choice.passed, choice.mean_recall, choice.picks, choice.optimal))
        left = most_points - len(points)
        stride = max(1, (choice.tokens - least) // max(left, 1)) if left <= most_points // 4 else 1
        complete = complete and (stride == 1 or choice.tokens - stride < least)
        budget = choice.tokens - stride
    return Front(_rising(reversed(points)), complete and budget < least and all(point.optimal for point in points))


def _rising(points: Iterable[Point]) -> tuple[Point, ...]:
    """Without points that a cheaper one matches. Where every point is proven there are none."""
    kept: list[Point] = []
    for point in points:
        if not kept or (point.passed, point.mean_recall or 0.0) > (kept[-1].passed, kept[-1].mean_recall or 0.0):
            kept.append(point)
    return tuple(kept)


def more_questions(
    fields: Sequence[FieldRanks],
    choice: Choice,
    more: int,
    limits: Limits,
    *,
    time_limit: float = 10.0,
) -> More:
    """The least tokens, whatever the budget, that pass this many questions more than the choice does."""
    wanted = choice.passed + more
    if wanted > answerable(fields):
        return More(more, "never")
    program = program_of([options_of(field, max_n=limits.max_n) for field in fields])
    deadline = time.monotonic() + time_limit
    least = _least_budget(program, wanted, choice.tokens, deadline)
    if least.taken is None:
        return More(more, "beyond" if least.proven else "unknown")
    # At the least budget nothing cheaper passes as many: the best choice there is the cheapest that does.
    budget = choice_of(fields, program, least).tokens
    found = choice_of(fields, program, best_combination(program, ORDER, Wanted(budget, wanted), deadline=deadline))
    return More(more, "found", found.tokens, found.tokens - choice.tokens, found.picks)


def _least_budget(program: Program, wanted: int, too_small: int, deadline: float) -> Solved:
    """A combination that passes this many questions, and whose tokens are the least budget that allows it.

    Whatever fits a budget fits a larger one, so the budgets are halved between one that is too small and one that will
    do. Each time any combination will do, which is far quicker than to look for the cheapest at once.
    """
    everything = int(sum(field.options[-1].tokens for field in program.fields))
    low, high, step = too_small, too_small, 16
    found: Solved | None = None
    while found is None or high - low > 1:
        budget = (low + high) // 2 if found else min(low + step, everything)
        tried = best_combination(program, (), Wanted(budget, wanted), deadline=deadline)
        if not tried.proven and tried.taken is None:
            return tried
        if tried.taken is not None:
            found = tried
            high = -value(program, "tokens", tried.taken)
        elif budget >= everything:
            return tried
        else:
            low, step = budget, step * 2
    return found


def answerable(fields: Sequence[FieldRanks]) -> int:
    """The questions that pass when everything is retrieved: they have truths, and all are among the values."""
    count = 0
    for question in range(len(fields[0].truths)):
        counting = [field for field in fields if field.truths[question]]
        count += bool(counting) and all((field.models[0].ranks[question] != NOT_A_VALUE).all() for field in counting)
    return count
