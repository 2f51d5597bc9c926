"""Fields with ranks made by hand or drawn at random, and every combination of their options looked at one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from karat.search.choose.outcome import Pick
from karat.search.records import FieldRanks, ModelRanks

Worth = tuple[int, Fraction, int, int, int, int]


def ranked(
    name: str, ranks: Sequence[Sequence[int]], *, each: int = 1, depth: int = 60, cost: float = 0.0
) -> ModelRanks:
    """A model that puts the truths at these ranks; every value takes ``each`` tokens."""
    tokens = np.tile(each * np.arange(1, depth + 1, dtype=np.int64), (len(ranks), 1))
    return ModelRanks(name, cost, tuple(np.array(row, dtype=np.int64) for row in ranks), tokens)


def field(name: str, *models: ModelRanks) -> FieldRanks:
    truths = tuple(tuple(f"{name} {q}.{t}" for t in range(len(row))) for q, row in enumerate(models[0].ranks))
    return FieldRanks(name, truths, models)


@st.composite
def random_fields(draw: st.DrawFn, most_depth: int = 6) -> list[FieldRanks]:
    """Small fields with ties of every kind: few distinct tokens, costs and ranks; keys that are no values; fields that
    do not count."""
    questions = draw(st.integers(1, 6))
    made = []
    for index in range(draw(st.integers(1, 3))):
        values, depth = draw(st.integers(1, most_depth + 2)), draw(st.integers(1, most_depth))
        known = [
            draw(st.lists(st.booleans(), max_size=min(3, values))) for _ in range(questions)
        ]  # whether each truth is a value
        models = []
        for number in range(draw(st.integers(1, 2))):
            ranks = []
            for truths in known:
                places = iter(draw(st.permutations(range(1, values + 1))))
                ranks.append(np.array([next(places) if there else 0 for there in truths], dtype=np.int64))
            steps = [draw(st.lists(st.integers(0, 3), min_size=depth, max_size=depth)) for _ in range(questions)]
            cost = draw(st.sampled_from([0.0, 0.5]))
            models.append(ModelRanks(f"m{number}", cost, tuple(ranks), np.cumsum(steps, axis=1, dtype=np.int64)))
        made.append(field(f"f{index}", *models))
    return made


def combinations(
    fields: Sequence[FieldRanks], max_n: int | None = None, required: Sequence[str] = ()
) -> list[tuple[Pick, ...]]:
    """Every model with every n, for every field; and every field left out, unless it is required."""
    options = [
        [
            *([] if field.field in required else [Pick(field.field, 0, None, 0)]),
            *(
                Pick(field.field, n, model.model, int(model.tokens[:, n - 1].max()))
                for model in field.models
                for n in range(1, min(model.tokens.shape[1], max_n or 99) + 1)
            ),
        ]
        for field in fields
    ]
    return list(product(*options))


def worth(fields: Sequence[FieldRanks], picks: Sequence[Pick], passes: str = "all") -> Worth:
    """The objective in exact numbers, written down once more from the words of the spec: the greater is the better."""
    passed, recalls = 0, []
    for question in range(len(fields[0].truths)):
        shares, found, of = [], 0, 0
        for one, pick in zip(fields, picks, strict=True):
            ranks = [] if pick.model is None else one.models[place_of(one, pick)].ranks[question].tolist()
            own, expected = sum(0 < rank <= pick.n for rank in ranks), len(one.truths[question])
            shares.append(Fraction(own, expected) if expected else Fraction(1))
            found, of = found + own, of + expected
        if of:
            enough = of if passes == "all" else 1 if passes == "any" else Fraction(passes) * of
            passed += found >= enough and found > 0
            recalls.append(sum(shares, Fraction(0)) / len(shares))
    mean = sum(recalls, Fraction(0)) / len(recalls) if recalls else Fraction(0)
    cost = place = 0
    for one, pick in zip(fields, picks, strict=True):
        if pick.model is not None:
            costs = sorted({model.cost for model in one.models})
            index = place_of(one, pick)
            cost, place = cost + 1 + costs.index(one.models[index].cost), place + 1 + index
    return passed, mean, -sum(p.tokens for p in picks), -sum(p.n for p in picks), -cost, -place


def place_of(field: FieldRanks, pick: Pick) -> int:
    """The place of the pick's model."""
    return next(index for index, model in enumerate(field.models) if model.model == pick.model)


def nothing(fields: Sequence[FieldRanks], picks: Sequence[Pick]) -> bool:
    """Whether these picks find no truth at all."""
    return not any(
        0 < rank <= pick.n
        for one, pick in zip(fields, picks, strict=True)
        if pick.model is not None
        for ranks in one.models[place_of(one, pick)].ranks
        for rank in ranks.tolist()
    )
