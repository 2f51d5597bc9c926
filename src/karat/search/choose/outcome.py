"""What given options find: counted from the ranks alone, for any questions, whether the options were chosen on them or
not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.search.choose.limits import needed
from karat.search.records import FieldRanks, Integers, ModelRanks


class Pick(msgspec.Struct, frozen=True):
    """The option taken for a field. ``tokens``: its values in the worst question. A field that is left out has n = 0
    and no model."""

    field: str
    n: int
    model: str | None
    tokens: int


@dataclass(frozen=True)
class Outcome:
    """What the picks find, question by question. A question without truths does not count: it neither passes nor
    fails."""

    found: Integers
    """[field, question]"""
    expected: Integers
    """[field, question]; 0 where the field has no truth."""
    need: Integers
    """[question]: how many truths must be found for it to pass."""

    @property
    def counts(self) -> NDArray[np.bool_]:
        """[question]: whether it has a truth in any field."""
        return np.asarray((self.expected > 0).any(axis=0))

    @property
    def passed(self) -> NDArray[np.bool_]:
        """[question]: whether it has truths and enough of them are found."""
        return np.asarray((self.found.sum(axis=0) >= self.need) & self.counts)

    @property
    def shares(self) -> NDArray[np.float64]:
        """[field, question]: found / expected, 1 where nothing is expected: nothing was asked, nothing is missing."""
        return np.divide(self.found, self.expected, where=self.expected > 0, out=np.ones(self.found.shape))

    @property
    def recall(self) -> NDArray[np.float64]:
        """[question]: the mean over all fields; NaN where the question has no truth at all."""
        return np.asarray(np.where(self.counts, self.shares.mean(axis=0), np.nan))

    @property
    def field_recall(self) -> NDArray[np.float64]:
        """[field]: the mean of found / expected over the questions that have a truth in it; NaN where there is none."""
        used = self.expected > 0
        number = used.sum(axis=1)
        sums = np.where(used, self.shares, 0.0).sum(axis=1)
        return np.asarray(np.divide(sums, number, where=number > 0, out=np.full(number.shape, np.nan)))

    @property
    def mean_recall(self) -> float:
        """The mean over the questions that count; NaN when there is none."""
        counted = self.recall[self.counts]
        return float(counted.mean()) if len(counted) else float("nan")

    @property
    def recall_asked(self) -> float:
        """The mean over the pairs of a question and a field that have a truth; NaN when there is none."""
        shares = self.shares[self.expected > 0]
        return float(shares.mean()) if len(shares) else float("nan")


def outcome_of(fields: Sequence[FieldRanks], picks: Sequence[Pick], passes: str = "all") -> Outcome:
    """What these picks find in each question."""
    found = [
        [0] * len(field.truths)
        if pick.model is None
        else [int(((ranks >= 1) & (ranks <= pick.n)).sum()) for ranks in model_of(field, pick.model).ranks]
        for field, pick in zip(fields, picks, strict=True)
    ]
    expected = np.array([[len(truths) for truths in field.truths] for field in fields], dtype=np.int64)
    return Outcome(np.array(found, dtype=np.int64), expected, needed(expected.sum(axis=0), passes))


def model_of(field: FieldRanks, name: str) -> ModelRanks:
    """The pass of the model of this name."""
    return next(model for model in field.models if model.model == name)


def mrr_of(model: ModelRanks, n: int) -> float | None:
    """The contract's MRR: the sum of 1 / rank over the truths within n, averaged over the questions that have
    truths."""
    sums = [float((1 / ranks[(ranks >= 1) & (ranks <= n)]).sum()) for ranks in model.ranks if len(ranks)]
    return sum(sums) / len(sums) if sums else None
