"""What given options find: counted from the ranks alone, for any questions, whether the options were chosen on them or
not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.search.records import FieldRanks, Integers, ModelRanks


class Pick(msgspec.Struct, frozen=True):
    """The option taken for a field. ``tokens``: its values in the worst question."""

    field: str
    n: int
    model: str
    tokens: int


@dataclass(frozen=True)
class Outcome:
    """What the picks find, question by question. A question without truths does not count: it neither passes nor
    fails."""

    found: Integers
    """[field, question]"""
    expected: Integers
    """[field, question]; 0 where the field does not count."""

    @property
    def counts(self) -> NDArray[np.bool_]:
        """[question]: whether any field counts for it."""
        return np.asarray((self.expected > 0).any(axis=0))

    @property
    def passed(self) -> NDArray[np.bool_]:
        """[question]: whether it has truths and all of them are found."""
        return np.asarray((self.found == self.expected).all(axis=0) & self.counts)

    @property
    def recall(self) -> NDArray[np.float64]:
        """[question]: the mean of found / expected over the fields that count for it; NaN where none does."""
        return _mean_of_shares(self.found, self.expected, axis=0)

    @property
    def field_recall(self) -> NDArray[np.float64]:
        """[field]: the mean of found / expected over the questions it counts for; NaN where there is none."""
        return _mean_of_shares(self.found, self.expected, axis=1)

    @property
    def mean_recall(self) -> float:
        """The mean over the questions that count; NaN when there is none."""
        counted = self.recall[self.counts]
        return float(counted.mean()) if len(counted) else float("nan")


def _mean_of_shares(found: Integers, expected: Integers, axis: int) -> NDArray[np.float64]:
    used = expected > 0
    shares = np.divide(found, expected, where=used, out=np.zeros(found.shape))
    number = used.sum(axis=axis)
    return np.asarray(np.divide(shares.sum(axis=axis), number, where=number > 0, out=np.full(number.shape, np.nan)))


def outcome_of(fields: Sequence[FieldRanks], picks: Sequence[Pick]) -> Outcome:
    """What these picks find in each question."""
    found = [
        [int(((ranks >= 1) & (ranks <= pick.n)).sum()) for ranks in model_of(field, pick.model).ranks]
        for field, pick in zip(fields, picks, strict=True)
    ]
    expected = [[len(truths) for truths in field.truths] for field in fields]
    return Outcome(np.array(found, dtype=np.int64), np.array(expected, dtype=np.int64))


def model_of(field: FieldRanks, name: str) -> ModelRanks:
    """The pass of the model of this name."""
    return next(model for model in field.models if model.model == name)


def mrr_of(model: ModelRanks, n: int) -> float | None:
    """The contract's MRR: the sum of 1 / rank over the truths within n, averaged over the questions that have
    truths."""
    sums = [float((1 / ranks[(ranks >= 1) & (ranks <= n)]).sum()) for ranks in model.ranks if len(ranks)]
    return sum(sums) / len(sums) if sums else None


def part_of(fields: Sequence[FieldRanks], questions: Sequence[int] | Integers) -> tuple[FieldRanks, ...]:
    """The same fields over some of the questions, or over some of them several times. Costs are then measured on these
    alone."""
    return tuple(
        FieldRanks(
            field.field,
            tuple(field.truths[question] for question in questions),
            tuple(
                ModelRanks(
                    model.model,
                    model.cost,
                    tuple(model.ranks[question] for question in questions),
                    model.tokens[np.asarray(questions, dtype=np.int64)],
                )
                for model in field.models
            ),
        )
        for field in fields
    )
