"""What the choice is worth on questions it was not made on.

From 20 questions on they are dealt into five parts, ten times, with a fixed seed; with fewer, every question is a part
of its own (leave one out). For each part n and model are chosen on all the other questions (their costs are measured
there too) and scored on the part. The value of a question is its mean over the ten times. Questions without truths are
never left out: they only say what retrieval costs.

A question whose values take more than the budget does not pass: they would not fit. Its recall counts as found.

Intervals (95 %): questions are drawn with replacement, and for each draw all of this is done again, copies of a
question in the same part. The figures of the draws are moved so that their mean is the figure itself: a draw has fewer
distinct questions to choose on. If all questions have the same outcome, the draws would claim certainty; the open
end is then the rate at which a row of that many equal outcomes has a probability of 2.5 %.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.search.choose.options import NO_MODEL
from karat.search.choose.outcome import Pick
from karat.search.choose.problem import Problem
from karat.search.choose.question_subsets import choose_on_parts
from karat.search.choose.solvers.enumeration import few_combinations
from karat.search.records import Integers

FROM = 20
"""Questions from which on there are parts; fewer are left out one by one."""
FOLDS, REPEATS = 5, 10
DRAWS, FEW_DRAWS = 200, 20
"""Draws for an interval; and where each choice takes its time. Fewer than the latter make no interval."""
RESAMPLES = 2_000
SEED = 20_240_601

Floats = NDArray[np.float64]


class FieldHeldOut(msgspec.Struct, frozen=True):
    """One field on the questions left out; None where none has a truth in it."""

    field: str
    recall: float | None
    mrr: float | None


class HeldOutQuestion(msgspec.Struct, frozen=True):
    """One question, scored with choices made without it; None where it has no truth. Means over the repeats."""

    passed: float | None
    recall: float | None
    over_budget: bool = False


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """Figures over all questions, each scored with the choice made without it."""

    method: str
    folds: int
    repeats: int = 1
    passed: float
    """Questions; a fraction where a question passes in some of the repeats."""
    passed_low: float
    passed_high: float
    questions: int
    mean_recall: float
    recall_low: float
    recall_high: float
    recall_asked: float | None = None
    """Over the pairs of a question and a field that have a truth."""
    over_budget: int
    """Questions whose retrieved values cost more than the budget, in any repeat: the worst case seen without them was
    cheaper. They do not pass there."""
    not_proven: int
    """Parts whose choice was the best found in time, and not proven to be the best."""
    draws: int = 0
    """Draws behind the intervals, each with choices of its own; 0: the time was too short, and only the questions were
    drawn."""
    fields: tuple[FieldHeldOut, ...]
    each: tuple[HeldOutQuestion, ...] = ()
    """In the order of the questions."""


class Stability(msgspec.Struct, frozen=True):
    """How often newly drawn questions lead to the same choice for a field."""

    field: str
    same_option: float
    same_model: float
    resamples: int


def held_out(problem: Problem, *, time_limit: float = 60.0) -> HeldOut | None:
    """The honest figures; None with fewer than two questions."""
    asked = problem.asked
    if len(asked) < 2:
        return None
    rng = np.random.default_rng(SEED)
    repeats = [folds_of(asked, rng) for _ in range(REPEATS if len(asked) >= FROM else 1)]
    parts = [part for folds in repeats for part in folds]
    chosen = choose_on_parts(problem, _without(problem, parts), time_limit=time_limit, least=len(parts))
    scored = _Scored(problem)
    for taken, part in zip(chosen.taken, parts, strict=True):
        scored.add(taken, part)
    passed, recall, shares, mrr = (total / len(repeats) for total in (scored.passed, scored.recall, *scored.by_field))
    draws = _draws(problem, rng, time_limit / 2)
    low, high = interval(passed[asked], draws[:, 0])
    recall_low, recall_high = interval(recall[asked], draws[:, 1])
    known = problem.expected > 0
    counted = set(asked.tolist())
    return HeldOut(
        method="leave one out" if len(asked) < FROM else f"{REPEATS} × {FOLDS}-fold",
        folds=len(repeats[0]),
        repeats=len(repeats),
        passed=_tidy(passed[asked].sum()),
        passed_low=low * len(asked),
        passed_high=high * len(asked),
        questions=len(asked),
        mean_recall=_tidy(recall[asked].mean()),
        recall_low=recall_low,
        recall_high=recall_high,
        recall_asked=_tidy(shares[known].mean()),
        over_budget=int(scored.over.sum()),
        not_proven=chosen.not_proven,
        draws=len(draws),
        fields=tuple(
            FieldHeldOut(
                field.field,
                _tidy(shares[place][known[place]].mean()) if known[place].any() else None,
                _tidy(mrr[place][known[place]].mean()) if known[place].any() else None,
            )
            for place, field in enumerate(problem.fields)
        ),
        each=tuple(
            HeldOutQuestion(_tidy(passed[at]), _tidy(recall[at]), bool(scored.over[at]))
            if at in counted
            else HeldOutQuestion(None, None)
            for at in range(problem.questions)
        ),
    )


class _Scored:
    """What the choices find on the questions they were made without, summed over the repeats."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._need, self._expected = problem, problem.need, problem.expected
        self.passed: Floats = np.zeros(problem.questions)
        self.recall: Floats = np.zeros(problem.questions)
        self.over: NDArray[np.bool_] = np.zeros(problem.questions, dtype=bool)
        self.by_field: tuple[Floats, Floats] = (np.zeros(self._expected.shape), np.zeros(self._expected.shape))

    def add(self, taken: Integers, questions: Integers) -> None:
        problem = self._problem
        passed, recall, over, shares = score_on(problem, taken, questions, self._need, self._expected)
        self.passed[questions] += passed
        self.recall[questions] += recall
        self.over[questions] |= over
        self.by_field[0][:, questions] += shares
        for place, (field, one, at) in enumerate(zip(problem.fields, problem.candidates, taken, strict=True)):
            if one.model[at] == NO_MODEL:
                continue
            ranks = field.models[one.model[at]].ranks
            for question in questions:
                own = ranks[question]
                self.by_field[1][place, question] += (1 / own[(own >= 1) & (own <= one.n[at])]).sum()


def score_on(
    problem: Problem, taken: Integers, questions: Integers, need: Integers, expected: Integers
) -> tuple[Floats, Floats, NDArray[np.bool_], Floats]:
    """(passed, recall, over the budget, shares of each field) of some questions with one choice."""
    found = np.stack([one.found[at, questions] for one, at in zip(problem.candidates, taken, strict=True)])
    cost = np.sum([one.cost[at, questions] for one, at in zip(problem.candidates, taken, strict=True)], axis=0)
    over = cost > problem.limits.budget
    own = expected[:, questions]
    shares = np.divide(found, own, where=own > 0, out=np.ones(found.shape))
    passed = (found.sum(axis=0) >= need[questions]) & ~over
    return passed.astype(float), shares.mean(axis=0), over, shares


def folds_of(questions: Integers, rng: np.random.Generator) -> list[Integers]:
    """Every question alone when they are few, else five parts of nearly equal size."""
    if len(questions) < FROM:
        return [questions[index : index + 1] for index in range(len(questions))]
    dealt = rng.permutation(questions)
    return [np.sort(dealt[start::FOLDS]) for start in range(FOLDS)]


def _without(problem: Problem, parts: Sequence[Integers], weights: Integers | None = None) -> Integers:
    """[part, question]: everything but the part."""
    rows = np.tile(np.ones(problem.questions, np.int64) if weights is None else weights, (len(parts), 1))
    for row, part in zip(rows, parts, strict=True):
        row[part] = 0
    return rows


def _draws(problem: Problem, rng: np.random.Generator, time_limit: float) -> Floats:
    """[draw, figure]: passed and recall, held out within the draw. Empty when the time was too short."""
    asked, number = problem.asked, DRAWS if few_combinations(problem) else FEW_DRAWS
    drawn: list[Integers] = []
    parts: list[list[Integers]] = []
    rows: list[Integers] = []
    while len(drawn) < number:
        weights = np.ones(problem.questions, np.int64)
        weights[asked] = np.bincount(rng.integers(0, len(asked), size=len(asked)), minlength=len(asked))
        distinct = asked[weights[asked] > 0]
        if len(distinct) < 2:
            continue  # nothing to choose on
        drawn.append(weights)
        parts.append(folds_of(distinct, rng))
        rows.append(_without(problem, parts[-1], weights))
    chosen = choose_on_parts(problem, np.concatenate(rows), time_limit=time_limit).taken
    figures, at = [], 0
    need, expected = problem.need, problem.expected
    for weights, own in zip(drawn, parts, strict=True):
        if at + len(own) > len(chosen):
            break
        sums = np.zeros(2)
        for part in own:
            passed, recall, _, _ = score_on(problem, chosen[at], part, need, expected)
            sums += (weights[part] @ passed, weights[part] @ recall)
            at += 1
        figures.append(sums / weights[asked].sum())
    return np.array(figures) if len(figures) >= FEW_DRAWS else np.empty((0, 2))


def interval(values: Floats, draws: Floats | None = None) -> tuple[float, float]:
    """The 95 % interval of the mean of shares, from draws of that mean or, without them or where they are all equal, of
    the values alone."""
    n, mean = len(values), float(values.mean())
    low = high = mean
    if draws is not None and len(draws) and draws.min() < draws.max():  # equal draws, as of two questions, say nothing
        ends = np.percentile(draws - draws.mean(), [2.5, 97.5])
        low, high = (float(end) for end in np.clip(mean + ends, 0.0, 1.0))
    elif (values != values[0]).any():
        rng = np.random.default_rng(SEED)
        ordered = np.sort(values)  # the order of the questions must not matter
        means = [ordered[rng.integers(0, n, size=(100, n))].mean(axis=1) for _ in range(RESAMPLES // 100)]
        low, high = (float(end) for end in np.percentile(np.concatenate(means), [2.5, 97.5]))
    if (values == values[0]).all():
        chance = 0.025 ** (1 / n)
        low, high = min(low, mean * chance), max(high, mean + (1 - mean) * (1 - chance))
    return min(low, mean), max(high, mean)


def _tidy(figure: float | np.floating) -> float:
    """Without the last digits that adding fractions leaves: 0.30000000000000004 is 0.3."""
    return round(float(figure), 12)


def stability(
    problem: Problem, picks: Sequence[Pick], *, resamples: int = 40, time_limit: float = 30.0
) -> tuple[Stability, ...]:
    """Questions drawn with replacement, chosen again each time: the share of draws that take the same option. As many
    draws as the time allows."""
    rng, number = np.random.default_rng(SEED), problem.questions
    drawn = [np.bincount(rng.integers(0, number, size=number), minlength=number) for _ in range(resamples)]
    taken = choose_on_parts(problem, np.stack(drawn), time_limit=time_limit).taken if time_limit > 0 else np.empty(0)
    if not len(taken):
        return ()
    found = []
    for place, (field, one, pick) in enumerate(zip(problem.fields, problem.candidates, picks, strict=True)):
        models = [model.model for model in field.models]
        chosen = NO_MODEL if pick.model is None else models.index(pick.model)
        again = one.model[taken[:, place]] == chosen
        same = again & (one.n[taken[:, place]] == pick.n)
        found.append(Stability(pick.field, float(same.mean()), float(again.mean()), len(taken)))
    return tuple(found)
