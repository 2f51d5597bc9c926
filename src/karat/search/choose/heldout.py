"""What the choice is worth on questions it was not made on.

The questions are split; for each part n and model are chosen on all the others (their costs are measured there too) and
scored on the part. With up to 30 questions every question is a part of its own (leave one out), else there are ten
parts, dealt out with a fixed seed. Questions without truths are never left out: they only say what retrieval costs.

Intervals: percentile bootstrap over questions, 95 %. If all questions have the same outcome, the bootstrap
would claim certainty; the open end is then the rate at which a row of that many equal outcomes has a probability of
2.5 %.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.search.choose.choice import choose
from karat.search.choose.limits import Limits
from karat.search.choose.outcome import Pick, model_of, mrr_of, outcome_of, part_of
from karat.search.records import FieldRanks, Integers

LEAVE_ONE_OUT = 30
FOLDS = 10
RESAMPLES = 2_000
SEED = 20_240_601


class FieldHeldOut(msgspec.Struct, frozen=True):
    """One field on the questions left out; None where it counts for none."""

    field: str
    recall: float | None
    mrr: float | None


class HeldOut(msgspec.Struct, frozen=True):
    """Figures over all questions, each scored with the choice made without it."""

    method: str
    folds: int
    passed: int
    passed_low: float
    passed_high: float
    questions: int
    mean_recall: float
    recall_low: float
    recall_high: float
    over_budget: int
    """Questions whose retrieved values cost more than the budget: the worst case seen without them was cheaper."""
    not_proven: int
    """Parts whose choice was the best found in time, and not proven to be the best."""
    fields: tuple[FieldHeldOut, ...]


class Stability(msgspec.Struct, frozen=True):
    """How often newly drawn questions lead to the same choice for a field."""

    field: str
    same_option: float
    same_model: float
    resamples: int


def held_out(fields: Sequence[FieldRanks], limits: Limits, *, time_limit: float = 60.0) -> HeldOut | None:
    """The honest figures; None with fewer than two questions."""
    counting = np.flatnonzero(np.any([[bool(truths) for truths in field.truths] for field in fields], axis=0))
    if len(counting) < 2:
        return None
    folds = folds_of(counting)
    passed, recall, over, unproven = [], [], 0, 0
    field_recalls: list[list[float]] = [[] for _ in fields]
    field_mrrs: list[list[float]] = [[] for _ in fields]
    for part in folds:
        training = np.setdiff1d(np.arange(len(fields[0].truths)), part)
        choice = choose(part_of(fields, training), limits, time_limit=time_limit / len(folds))
        unproven += not choice.optimal
        tested = part_of(fields, part)
        outcome = outcome_of(tested, choice.picks)
        passed += outcome.passed.tolist()
        recall += outcome.recall.tolist()
        over += int((_costs(tested, choice.picks) > limits.budget).sum())
        for index, (field, pick) in enumerate(zip(tested, choice.picks, strict=True)):
            used = outcome.expected[index] > 0
            field_recalls[index] += (outcome.found[index][used] / outcome.expected[index][used]).tolist()
            mrr = mrr_of(model_of(field, pick.model), pick.n)
            field_mrrs[index] += [mrr] * int(used.sum()) if mrr is not None else []
    low, high = interval(np.array(passed, dtype=float))
    recall_low, recall_high = interval(np.array(recall))
    questions = len(counting)
    return HeldOut(
        method="leave one out" if len(folds) == questions else f"{len(folds)} folds",
        folds=len(folds),
        passed=sum(passed),
        passed_low=low * questions,
        passed_high=high * questions,
        questions=questions,
        mean_recall=float(np.mean(recall)),
        recall_low=recall_low,
        recall_high=recall_high,
        over_budget=over,
        not_proven=unproven,
        fields=tuple(
            FieldHeldOut(field.field, _mean(recalls), _mean(mrrs))
            for field, recalls, mrrs in zip(fields, field_recalls, field_mrrs, strict=True)
        ),
    )


def folds_of(questions: Integers) -> list[Integers]:
    """Every question alone when they are few, else ten parts of nearly equal size."""
    if len(questions) <= LEAVE_ONE_OUT:
        return [questions[index : index + 1] for index in range(len(questions))]
    dealt = np.random.default_rng(SEED).permutation(questions)
    return [np.sort(dealt[start::FOLDS]) for start in range(FOLDS)]


def _costs(fields: Sequence[FieldRanks], picks: Sequence[Pick]) -> Integers:
    """[question]: the tokens of all values retrieved for it."""
    columns = [model_of(field, pick.model).tokens[:, pick.n - 1] for field, pick in zip(fields, picks, strict=True)]
    return np.asarray(np.sum(columns, axis=0))


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean of shares."""
    n = len(values)
    if (values == values[0]).all():
        chance = 0.025 ** (1 / n)
        first = float(values[0])
        return min(first, first * chance), max(first, first + (1 - first) * (1 - chance))
    rng = np.random.default_rng(SEED)
    ordered = np.sort(values)  # the order of the questions must not matter
    means = np.concatenate([ordered[rng.integers(0, n, size=(100, n))].mean(axis=1) for _ in range(RESAMPLES // 100)])
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def stability(
    fields: Sequence[FieldRanks],
    picks: Sequence[Pick],
    limits: Limits,
    *,
    resamples: int = 40,
    time_limit: float = 30.0,
) -> tuple[Stability, ...]:
    """Questions drawn with replacement, chosen again each time: the share of draws that take the same option. As many
    draws as the time allows."""
    rng, questions, began = np.random.default_rng(SEED), len(fields[0].truths), time.monotonic()
    options, models = np.zeros(len(fields)), np.zeros(len(fields))
    done = 0
    while done < resamples and (left := began + time_limit - time.monotonic()) > 0:
        drawn = part_of(fields, np.sort(rng.integers(0, questions, size=questions)))
        again = choose(drawn, limits, time_limit=left).picks
        pairs = list(zip(again, picks, strict=True))
        models += [one.model == other.model for one, other in pairs]
        options += [(one.model, one.n) == (other.model, other.n) for one, other in pairs]
        done += 1
    if not done:
        return ()
    return tuple(
        Stability(pick.field, float(option / done), float(model / done), done)
        for pick, option, model in zip(picks, options, models, strict=True)
    )
