"""The options of a field: (model, n) pairs worth considering, what each finds and what it costs.

- A field may be left out: n = 0 without a model costs nothing and finds nothing, unless the field is required.
- Between two ranks of truths nothing new is found, so only the ranks themselves are worth an n, and n = 1 of a required
  field, the cheapest. Beyond the depth of the pass the tokens are not known: that is no option.
- The cost of an option is the tokens of its n values in the worst of all questions, also of those that have no truth in
  the field: the bot does not know which these are.
- An option is dropped when another finds at least as much in every question for no more tokens, and is better in
  something. Replacing the one with the other never makes a choice worse in the order of the objective, so a best choice
  remains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.search.choose.limits import Limits
from karat.search.records import FieldRanks, Integers, ModelRanks

MANY = 2_000_000_000
"""This many comparisons take seconds: dropping options only saves time, and beyond this it would not."""
NO_MODEL = -1
"""The place of the model of a field that is left out."""


@dataclass(frozen=True)
class Option:
    """One way to retrieve a field's values."""

    model: int
    """Its place among the models as they were given; ``NO_MODEL`` when the field is left out."""
    n: int
    tokens: int
    dearness: int
    """The place of the model's cost among the costs, from 1: only their order counts. Equal costs share a place. 0: no
    model, which is the cheapest."""

    @property
    def price(self) -> tuple[int, int, int, int]:
        """What decides between two that find the same, in the order of the objective; the last is the order in which
        models were given."""
        return self.tokens, self.n, self.dearness, self.model


@dataclass(frozen=True)
class Candidates:
    """Every (model, n) of a field that is worth a look on any of the questions, before costs are known."""

    field: str
    model: Integers
    n: Integers
    dearness: Integers
    found: Integers
    """[candidate, question]: how many truths it finds."""
    cost: Integers
    """[candidate, question]: its tokens."""
    expected: Integers
    """[question]: the number of truths, 0 where the field has none."""


@dataclass(frozen=True)
class FieldOptions:
    """The options of one field, the cheapest first, and how many truths of each question each of them finds."""

    field: str
    options: tuple[Option, ...]
    found: Integers
    """[option, question]"""
    expected: Integers
    """[question]: the number of its truths, 0 where the field has none."""


def candidates_of(ranks: FieldRanks, limits: Limits) -> Candidates:
    """All candidates of a field for n up to ``max_n``, less those that another one makes needless on every question."""
    costs = sorted({model.cost for model in ranks.models})
    required = ranks.field in limits.required
    questions = len(ranks.truths)
    rows: list[tuple[Integers, Integers, Integers]] = []
    found: list[Integers] = []
    cost: list[Integers] = []
    if not required:
        rows.append((np.array([NO_MODEL]), np.zeros(1, np.int64), np.zeros(1, np.int64)))
        found.append(np.zeros((1, questions), np.int64))
        cost.append(np.zeros((1, questions), np.int64))
    for place, model in enumerate(ranks.models):
        limit = min(model.tokens.shape[1], limits.max_n or model.tokens.shape[1])
        sizes = sizes_of(model, limit)
        if required and limit:
            sizes = np.union1d(sizes, [1])
        dearness = 1 + costs.index(model.cost)
        rows.append((np.full(len(sizes), place), sizes, np.full(len(sizes), dearness)))
        found.append(found_at(model, sizes))
        cost.append(model.tokens[:, sizes - 1].T)
    places, sizes, dearnesses = (np.concatenate([row[part] for row in rows]) for part in range(3))
    expected = np.array([len(truths) for truths in ranks.truths], dtype=np.int64)
    everything = Candidates(
        ranks.field, places, sizes, dearnesses, np.concatenate(found), np.concatenate(cost), expected
    )
    return _worth_a_look(everything)


def sizes_of(model: ModelRanks, limit: int) -> Integers:
    """Every n up to the limit at which a truth is newly found; rising."""
    ranks = np.concatenate([np.empty(0, np.int64), *model.ranks])
    return np.unique(ranks[(ranks >= 1) & (ranks <= limit)])


def found_at(model: ModelRanks, sizes: Integers) -> Integers:
    """[n, question]: how many truths each n finds, for rising n. All from one rank for each truth."""
    questions = len(model.ranks)
    of_question = np.repeat(np.arange(questions), [len(ranks) for ranks in model.ranks])
    ranks = np.concatenate([np.empty(0, np.int64), *model.ranks])
    first = np.searchsorted(sizes, ranks)
    used = (ranks >= 1) & (first < len(sizes))
    counts = np.zeros((len(sizes), questions), dtype=np.int64)
    np.add.at(counts, (first[used], of_question[used]), 1)
    return np.asarray(counts.cumsum(axis=0))


def options_on(candidates: Candidates, questions: Integers, most_tokens: int | None = None) -> FieldOptions:
    """The options for some of the questions, or for some of them several times; costs are measured on these alone.
    Those above ``most_tokens`` are left out; there may be none left."""
    distinct = np.unique(questions)
    worst = candidates.cost[:, distinct].max(axis=1) if len(distinct) else np.zeros(len(candidates.n), np.int64)
    kept = np.arange(len(worst)) if most_tokens is None else np.flatnonzero(worst <= most_tokens)
    prices = np.stack([worst, candidates.n, candidates.dearness, candidates.model])[:, kept]
    kept = kept[needed_options(candidates.found[np.ix_(kept, distinct)], prices)]
    kept = kept[np.lexsort((candidates.model[kept], candidates.dearness[kept], candidates.n[kept], worst[kept]))]
    options = tuple(
        Option(int(candidates.model[at]), int(candidates.n[at]), int(worst[at]), int(candidates.dearness[at]))
        for at in kept
    )
    return FieldOptions(
        candidates.field, options, candidates.found[np.ix_(kept, questions)], candidates.expected[questions]
    )


def needed_options(found: Integers, prices: Integers) -> Integers:
    """The places of the options that no other makes needless. ``prices``: [part, option], the weightiest part first;
    only the first part must not be higher, the others decide between equals."""
    if len(found) ** 2 * max(1, found.shape[1]) > MANY:
        return np.arange(len(found))
    # An option that is better than another, or as good and cheaper, comes before it here: one look back is enough.
    order = np.lexsort((*prices[::-1], -found.sum(axis=1)))
    ordered, tokens = found[order], prices[0][order]
    kept = np.zeros(len(order), dtype=bool)
    for at in range(len(order)):
        rivals = np.flatnonzero(kept[:at] & (tokens[:at] <= tokens[at]))
        kept[at] = not len(rivals) or not (ordered[rivals] >= ordered[at]).all(axis=1).any()
    return np.asarray(np.sort(order[kept]))


def _worth_a_look(all_of_it: Candidates) -> Candidates:
    """Without those that another makes needless on any questions: it finds as much of each and costs no more for each,
    with no larger n and no dearer model."""
    found, cost = all_of_it.found, all_of_it.cost
    if len(found) ** 2 * max(1, found.shape[1]) > MANY:
        return all_of_it
    order = np.lexsort((all_of_it.model, all_of_it.dearness, all_of_it.n, cost.sum(axis=1), -found.sum(axis=1)))
    price = np.empty(len(order), np.int64)  # the place in the order of n, then dearness, then model
    price[np.lexsort((all_of_it.model, all_of_it.dearness, all_of_it.n))] = np.arange(len(order))
    kept: NDArray[np.bool_] = np.zeros(len(order), dtype=bool)
    for at in range(len(order)):
        one = order[at]
        rivals = order[:at][kept[:at]]
        rivals = rivals[price[rivals] < price[one]]
        kept[at] = (
            not len(rivals)
            or not ((found[rivals] >= found[one]).all(axis=1) & (cost[rivals] <= cost[one]).all(axis=1)).any()
        )
    places = np.sort(order[kept])
    return Candidates(
        all_of_it.field,
        all_of_it.model[places],
        all_of_it.n[places],
        all_of_it.dearness[places],
        found[places],
        cost[places],
        all_of_it.expected,
    )
