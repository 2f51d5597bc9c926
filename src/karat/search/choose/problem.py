"""What is chosen from: the candidates of every field on all questions, made once and used for every part of the
questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.core.problems import UserError, did_you_mean
from karat.search.choose.limits import Limits, needed
from karat.search.choose.options import Candidates, FieldOptions, candidates_of, options_on
from karat.search.records import FieldRanks, Integers


@dataclass(frozen=True)
class Problem:
    """The fields, their candidates and the limits."""

    fields: tuple[FieldRanks, ...]
    candidates: tuple[Candidates, ...]
    limits: Limits

    @property
    def questions(self) -> int:
        return len(self.fields[0].truths)

    @property
    def expected(self) -> Integers:
        """[field, question]"""
        return np.stack([one.expected for one in self.candidates])

    @property
    def need(self) -> Integers:
        """[question]: how many truths must be found for it to pass; 0 where it has none."""
        return needed(self.expected.sum(axis=0), self.limits.passes)

    @property
    def asked(self) -> Integers:
        """The questions that have a truth in any field."""
        return np.flatnonzero(self.expected.any(axis=0))


def problem_of(fields: Sequence[FieldRanks], limits: Limits) -> Problem:
    """Raises :class:`UserError` when there is no field, or a required one is not among them."""
    if not fields:
        raise UserError(
            "there is no field to choose n and model for", hint='Mark one with !evaluation_field("Table[field]").'
        )
    names = [field.field for field in fields]
    for name in limits.required:
        if name not in names:
            raise UserError(
                f"{name} is required, but it is not a field that is chosen for",
                hint=did_you_mean(name, names) or f"The fields are {', '.join(names)}.",
            )
    return Problem(tuple(fields), tuple(candidates_of(field, limits) for field in fields), limits)


def affordable_options(problem: Problem, questions: Integers | None = None) -> list[FieldOptions]:
    """Each field's options on these questions that fit the budget beside the cheapest of the others; an error says
    which budget would do for the required fields."""
    limits = problem.limits
    own = np.arange(problem.questions) if questions is None else questions
    cheapest = [int(one.cost[:, own].max(axis=1).min()) if len(own) else 0 for one in problem.candidates]
    least = sum(cheapest)
    if least > limits.budget:
        flag = "--budget-tokens" if limits.unit == "tokens" else "--budget-docs"
        raise UserError(
            f"a budget of {limits.budget:,} {limits.unit} is too small: one value of each required field takes up to "
            f"{least:,}",
            hint=f"Use {flag} {least} or more.",
        )
    return [
        options_on(one, own, limits.budget - least + least_of_it)
        for one, least_of_it in zip(problem.candidates, cheapest, strict=True)
    ]
