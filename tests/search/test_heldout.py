"""Held-out figures come from choices that never saw the question; they are the same every time; and a lucky choice is
seen to be lucky."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from karat.search.choose.choice import choose
from karat.search.choose.heldout import FROM, HeldOut, Stability, folds_of, interval
from karat.search.choose.heldout import held_out as held_out_in
from karat.search.choose.heldout import stability as stability_in
from karat.search.choose.infeasible import NothingFound
from karat.search.choose.limits import Limits
from karat.search.choose.outcome import Pick
from karat.search.choose.problem import problem_of
from karat.search.choose.tuning import warnings_of
from karat.search.records import FieldRanks, ModelRanks
from tests.search.made_ranks import field, ranked


def held_out(fields: Sequence[FieldRanks], limits: Limits) -> HeldOut | None:
    return held_out_in(problem_of(fields, limits))


def stability(
    fields: Sequence[FieldRanks], picks: Sequence[Pick], limits: Limits, *, time_limit: float = 30.0
) -> tuple[Stability, ...]:
    return stability_in(problem_of(fields, limits), picks, time_limit=time_limit)


def test_each_question_is_scored_with_the_choice_made_without_it() -> None:
    """Truths at ranks 1, 2, 3. Without the question at rank 3 the choice is n = 2, which misses it: two of three pass
    held out."""
    fields = [field("f", ranked("m", [[1], [2], [3]]))]
    assert choose(fields, Limits(10)).passed == 3
    honest = held_out(fields, Limits(10))
    assert honest is not None
    assert (honest.method, honest.folds, honest.passed, honest.questions) == ("leave one out", 3, 2, 3)
    assert honest.mean_recall == pytest.approx(2 / 3)
    assert honest.fields[0].recall == pytest.approx(2 / 3)
    assert honest.fields[0].mrr == pytest.approx((1 + 1 / 2) / 3)


def test_a_model_that_is_good_by_chance_is_seen_through() -> None:
    """Twenty models of pure chance: the best passes some in sample, and held out hardly any. An in-sample figure alone
    would not show it."""
    rng = np.random.default_rng(3)
    models = [ranked(f"m{number}", [[int(rank)] for rank in rng.integers(1, 41, size=20)]) for number in range(20)]
    fields = [field("f", *models)]
    choice, honest = choose(fields, Limits(5)), held_out(fields, Limits(5))
    assert honest is not None
    assert choice.passed == 5  # by chance 2.5 of 20 stand among the first 5 of 40
    assert honest.passed < choice.passed


def test_costs_are_measured_without_the_question_too() -> None:
    """The long values of the last question are not known to the choice made without it: it goes over the budget there,
    and that is said."""
    tokens = np.array([[1, 2], [1, 2], [1, 90]], dtype=np.int64)
    model = ModelRanks("m", 0.0, tuple(np.array([2]) for _ in range(3)), tokens)
    with pytest.raises(NothingFound):
        choose([field("f", model)], Limits(10))
    honest = held_out([field("f", model)], Limits(10))
    assert honest is not None
    assert (honest.passed, honest.over_budget) == (0, 1)  # it would not fit, so it does not pass
    assert honest.mean_recall == pytest.approx(1 / 3)  # its recall counts as found
    assert [one.over_budget for one in honest.each] == [False, False, True]


def test_parts_cover_every_question_once() -> None:
    few, many = np.arange(FROM - 1), np.arange(FROM)
    assert len(folds_of(few, np.random.default_rng(1))) == 19
    parts = folds_of(many, np.random.default_rng(1))
    assert [len(part) for part in parts] == [4, 4, 4, 4, 4]
    assert sorted(np.concatenate(parts).tolist()) == many.tolist()


def test_from_twenty_questions_on_a_value_is_the_mean_over_ten_dealings() -> None:
    """Question 19 alone needs n = 9: without it the choice is n = 1, so it never passes held out, and the others always
    do."""
    fields = [field("f", ranked("m", [[1]] * 19 + [[9]]))]
    honest = held_out(fields, Limits(20))
    assert honest is not None
    assert (honest.method, honest.folds, honest.repeats) == ("10 × 5-fold", 5, 10)
    assert [one.passed for one in honest.each] == [1.0] * 19 + [0.0]
    assert (honest.passed, honest.mean_recall) == (19.0, 0.95)
    assert honest == held_out(fields, Limits(20))
    # Where two questions need n = 9 and are dealt into different parts, each lets the other pass.
    two = held_out([field("f", ranked("m", [[1]] * 18 + [[9], [9]]))], Limits(20))
    assert two is not None
    last = [one.passed for one in two.each][-2:]
    assert last[0] == last[1]
    assert 0 < (last[0] or 0) < 1
    assert two.passed == pytest.approx(18 + sum(value or 0 for value in last))


def test_the_interval_repeats_the_choice_within_each_draw() -> None:
    """Two models, each good for half of the questions: which one is chosen hangs on the draw, so the interval is wider
    than that of the questions alone."""
    a, b = ([[1] if number % 2 == side else [50] for number in range(24)] for side in (0, 1))
    honest = held_out([field("f", ranked("a", a), ranked("b", b))], Limits(1))
    assert honest is not None
    assert honest.draws == 200
    own = np.array([one.passed for one in honest.each], dtype=float)
    plain = interval(own)
    low, high = honest.passed_low / 24, honest.passed_high / 24
    assert low <= own.mean() <= high
    assert high - low > plain[1] - plain[0]


def test_questions_without_truths_are_never_left_out() -> None:
    honest = held_out([field("f", ranked("m", [[], [1], [1], []]))], Limits(10))
    assert honest is not None
    assert (honest.folds, honest.questions, honest.passed) == (2, 2, 2)
    assert held_out([field("f", ranked("m", [[], [1]]))], Limits(10)) is None


def test_two_questions_with_different_outcomes_have_a_wide_interval() -> None:
    """Every draw that can be chosen on holds both questions, so the draws never differ."""
    honest = held_out([field("f", ranked("m", [[1], [2]]))], Limits(10))
    assert honest is not None
    assert (honest.passed, honest.passed_low, honest.passed_high) == (1, 0, 2)


def test_intervals() -> None:
    low, high = interval(np.array([0.0, 1.0] * 50))
    assert low == pytest.approx(0.4, abs=0.03)
    assert high == pytest.approx(0.6, abs=0.03)
    assert interval(np.ones(10)) == pytest.approx((0.025**0.1, 1.0))  # 0.69: ten passes in a row prove no more
    assert interval(np.zeros(10)) == pytest.approx((0.0, 1 - 0.025**0.1))
    assert interval(np.array([0.0, 1.0]), np.full(200, 0.5)) == (0.0, 1.0)  # equal draws do not make it certain
    assert interval(np.array([0.0, 1.0, 1.0])) == interval(np.array([1.0, 0.0, 1.0]))


def test_stability_tells_a_sure_choice_from_a_toss_up() -> None:
    sure = [field("f", ranked("good", [[2]] * 12), ranked("bad", [[50]] * 12))]
    (found,) = stability(sure, choose(sure, Limits(30)).picks, Limits(30))
    assert (found.same_option, found.same_model, found.resamples) == (1.0, 1.0, 40)
    a, b = [[2] if number % 2 else [50] for number in range(12)], [[50] if number % 2 else [2] for number in range(12)]
    tossed = [field("f", ranked("a", a), ranked("b", b))]
    picks = choose(tossed, Limits(30)).picks
    (found,) = stability(tossed, picks, Limits(30))
    assert 0.3 < found.same_model < 0.9
    assert (found,) == stability(tossed, picks, Limits(30))
    assert stability(tossed, picks, Limits(30), time_limit=0.0) == ()


def test_held_out_choices_that_are_not_proven_are_a_warning() -> None:
    fields = [field("f", ranked("m", [[1], [2], [3]]))]
    choice, honest = choose(fields, Limits(10)), held_out(fields, Limits(10))
    assert honest is not None and honest.not_proven == 0
    assert not any("not proven" in one for one in warnings_of(choice, honest, ()))
    cut_short = msgspec.structs.replace(honest, not_proven=2)
    assert (
        "2 of the 3 choices behind the held-out figures are not proven best: the time limit was reached; with more "
        "time the figures may differ"
    ) in warnings_of(choice, cut_short, ())
