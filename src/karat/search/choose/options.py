"""The options of a field: (model, n) pairs worth considering, what each finds and what it costs.

- Between two ranks of truths nothing new is found, so only the ranks themselves are worth an n, and n = 1, the
  cheapest. A bot retrieves at least one value: n = 0 is no option. Beyond the depth of the pass the tokens are not
  known: that is no option either.
- The cost of an option is the tokens of its n values in the worst of all questions, also of those that the field does
  not count for: the bot does not know which these are.
- An option is dropped when another finds at least as much in every question for no more tokens, and is better in
  something. Replacing the one with the other never makes a choice worse in the order of the objective, so a best choice
  remains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.search.records import FieldRanks, Integers, ModelRanks

MANY = 2_000_000_000
"""This many comparisons take seconds: dropping options only saves time, and beyond this it would not."""


@dataclass(frozen=True)
class Option:
    """One way to retrieve a field's values."""

    model: int
    """Its place among the models as they were given."""
    n: int
    tokens: int
    dearness: int
    """The place of the model's cost among the costs: only their order counts. Equal costs share a place."""

    @property
    def price(self) -> tuple[int, int, int, int]:
        """What decides between two that find the same, in the order of the objective; the last is the order in which
        models were given."""
        return self.tokens, self.n, self.dearness, self.model


@dataclass(frozen=True)
class FieldOptions:
    """The options of one field, the cheapest first, and how many truths of each question each of them finds."""

    field: str
    options: tuple[Option, ...]
    found: Integers
    """[option, question]"""
    expected: Integers
    """[question]: the number of its truths, 0 where the field does not count."""

    @property
    def full(self) -> NDArray[np.bool_]:
        """[option, question]: whether nothing is missing."""
        return np.asarray(self.found == self.expected)


def options_of(ranks: FieldRanks, *, max_n: int | None = None, most_tokens: int | None = None) -> FieldOptions:
    """The options within ``max_n`` and ``most_tokens``; there may be none."""
    costs = sorted({model.cost for model in ranks.models})
    options: list[Option] = []
    found: list[Integers] = []
    for place, model in enumerate(ranks.models):
        limit = min(model.tokens.shape[1], max_n or model.tokens.shape[1])
        sizes = sizes_of(model, limit)
        worst = model.tokens[:, sizes - 1].max(axis=0) if len(model.tokens) else np.zeros(len(sizes), np.int64)
        if most_tokens is not None:
            sizes, worst = sizes[worst <= most_tokens], worst[worst <= most_tokens]
        dearness = costs.index(model.cost)
        options += [Option(place, int(n), int(cost), dearness) for n, cost in zip(sizes, worst, strict=True)]
        found.append(found_at(model, sizes))
    expected = np.array([len(truths) for truths in ranks.truths], dtype=np.int64)
    return _without_dominated(FieldOptions(ranks.field, tuple(options), np.concatenate(found), expected))


def sizes_of(model: ModelRanks, limit: int) -> Integers:
    """n = 1, and every n up to the limit at which a truth is newly found; rising."""
    ranks = np.concatenate([np.empty(0, np.int64), *model.ranks])
    return np.unique(np.concatenate([np.ones(1, np.int64), ranks[(ranks >= 1) & (ranks <= limit)]]))


def found_at(model: ModelRanks, sizes: Integers) -> Integers:
    """[n, question]: how many truths each n finds, for rising n. All from one rank for each truth."""
    counts = np.zeros((len(sizes), len(model.ranks)), dtype=np.int64)
    for question, ranks in enumerate(model.ranks):
        first = np.searchsorted(sizes, ranks[ranks >= 1])
        np.add.at(counts[:, question], first[first < len(sizes)], 1)
    return counts.cumsum(axis=0)


def _without_dominated(field: FieldOptions) -> FieldOptions:
    """The options that no other makes needless, the cheapest first."""
    counts = field.found.sum(axis=1)
    # An option that is better than another, or as good and cheaper, comes before it here: one look back is enough.
    order: Sequence[int] = sorted(
        range(len(field.options)), key=lambda index: (-int(counts[index]), field.options[index].price)
    )
    few = len(order) ** 2 * field.found.shape[1] <= MANY
    tokens = np.array([option.tokens for option in field.options])
    kept: list[int] = []
    for index in order:
        rivals = [rival for rival in kept if tokens[rival] <= tokens[index]] if few else []
        if not rivals or not (field.found[rivals] >= field.found[index]).all(axis=1).any():
            kept.append(index)
    kept.sort(key=lambda index: field.options[index].price)
    return FieldOptions(field.field, tuple(field.options[index] for index in kept), field.found[kept], field.expected)
