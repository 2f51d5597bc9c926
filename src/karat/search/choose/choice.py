"""Choosing n and model for each field under a token budget shared by all: exact, and it says how far it is proven.

The order: questions passed (all truths of all its fields found), then mean recall, then fewer tokens, then smaller n,
then the cheaper model, then the one that was given first. A truth that is not among the values is never found, so its
question never passes. A question without truths does not count.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from karat.core.problems import UserError
from karat.search.choose.branch_and_bound import branch
from karat.search.choose.combinations import Program, Solved, Step, program_of
from karat.search.choose.integer_program import solve
from karat.search.choose.limits import Limits
from karat.search.choose.options import FieldOptions, options_of
from karat.search.choose.outcome import Pick, outcome_of
from karat.search.records import FieldRanks

ORDER: tuple[Step, ...] = ("passed", "recall", "tokens", "rest")
"""The objective, the weightiest first."""
BRANCHING_SECONDS = 3.0
"""Branching has mostly ended long before this; if not, the general solver takes over with what it found."""


@dataclass(frozen=True)
class Choice:
    """The option of each field, and what they reach together."""

    picks: tuple[Pick, ...]
    passed: int
    questions: int
    """Those that have a truth in any field."""
    mean_recall: float | None
    tokens: int
    optimal: bool
    gap: float
    """By how much the best could be better, in the unit of the first part of the objective that is not proven; 0 when
    all are."""
    gap_in: str
    seconds: float


@dataclass(frozen=True)
class Wanted:
    """What a combination must do: stay within the budget, and pass this many questions."""

    budget: int
    passed: int = 0


def choose(fields: Sequence[FieldRanks], limits: Limits, *, time_limit: float = 60.0) -> Choice:
    """The best option of each field within the budget."""
    began = time.monotonic()
    options = affordable_options(fields, limits)
    program = program_of(options)
    solved = best_combination(program, ORDER, Wanted(limits.budget), deadline=began + time_limit)
    return choice_of(fields, program, solved, time.monotonic() - began)


def affordable_options(fields: Sequence[FieldRanks], limits: Limits) -> list[FieldOptions]:
    """Each field's options that fit the budget beside the cheapest of the others; an error says which budget would
    do."""
    if not fields:
        raise UserError(
            "there is no field to choose n and model for", hint='Mark one with !evaluation_field("Table[field]").'
        )
    cheapest = [options_of(field, max_n=1).options[0].tokens for field in fields]
    least = sum(cheapest)
    if least > limits.budget:
        raise UserError(
            f"a budget of {limits.budget:,} tokens is too small: one value per field takes up to {least:,}",
            hint=f"Give --budget-tokens {least} or more.",
        )
    return [
        options_of(field, max_n=limits.max_n, most_tokens=limits.budget - least + own)
        for field, own in zip(fields, cheapest, strict=True)
    ]


def best_combination(program: Program, order: Sequence[Step], wanted: Wanted, *, deadline: float) -> Solved:
    """By branching when that is quick, else with HiGHS from what branching found. Both are exact."""
    now = time.monotonic()
    soon = now + min(BRANCHING_SECONDS, (deadline - now) / 4)
    quick = branch(program, order, budget=wanted.budget, passed=wanted.passed, deadline=soon)
    if quick.proven:
        return quick
    known = quick.taken
    if known is None and not wanted.passed:
        known = (0,) * len(program.fields)  # no time for anything: the cheapest option of each field
    return solve(program, order, budget=wanted.budget, passed=wanted.passed, known=known, deadline=deadline)


def choice_of(fields: Sequence[FieldRanks], program: Program, solved: Solved, seconds: float = 0.0) -> Choice:
    """A combination in words; what it reaches is counted again from the ranks."""
    if solved.taken is None:
        raise ValueError("there is no combination")
    picks = []
    for field, own, index in zip(fields, program.fields, solved.taken, strict=True):
        option = own.options[index]
        picks.append(Pick(field.field, option.n, field.models[option.model].model, option.tokens))
    outcome = outcome_of(fields, picks)
    return Choice(
        picks=tuple(picks),
        passed=int(outcome.passed.sum()),
        questions=int(outcome.counts.sum()),
        mean_recall=outcome.mean_recall if outcome.counts.any() else None,
        tokens=sum(pick.tokens for pick in picks),
        optimal=solved.proven,
        gap=solved.gap,
        gap_in=solved.gap_in,
        seconds=seconds,
    )
