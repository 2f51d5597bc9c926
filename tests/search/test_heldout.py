"""Held-out figures come from choices that never saw the question; they are the same every time; and a lucky choice is
seen to be lucky."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from karat.search.choose.choice import choose
from karat.search.choose.heldout import LEAVE_ONE_OUT, folds_of, held_out, interval, stability
from karat.search.choose.limits import Limits
from karat.search.choose.tuning import warnings_of
from karat.search.records import ModelRanks
from tests.search.made_ranks import field, ranked


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
    assert choose([field("f", model)], Limits(10)).passed == 0
    honest = held_out([field("f", model)], Limits(10))
    assert honest is not None
    assert (honest.passed, honest.over_budget) == (1, 1)


def test_parts_cover_every_question_once() -> None:
    few, many = np.arange(LEAVE_ONE_OUT), np.arange(LEAVE_ONE_OUT + 1)
    assert len(folds_of(few)) == 30
    parts = folds_of(many)
    assert len(parts) == 10
    assert sorted(np.concatenate(parts).tolist()) == many.tolist()
    assert [part.tolist() for part in parts] == [part.tolist() for part in folds_of(many)]


def test_questions_without_truths_are_never_left_out() -> None:
    honest = held_out([field("f", ranked("m", [[], [1], [1], []]))], Limits(10))
    assert honest is not None
    assert (honest.folds, honest.questions, honest.passed) == (2, 2, 2)
    assert held_out([field("f", ranked("m", [[], [1]]))], Limits(10)) is None


def test_intervals() -> None:
    low, high = interval(np.array([0.0, 1.0] * 50))
    assert low == pytest.approx(0.4, abs=0.03)
    assert high == pytest.approx(0.6, abs=0.03)
    assert interval(np.ones(10)) == pytest.approx((0.025**0.1, 1.0))  # 0.69: ten passes in a row prove no more
    assert interval(np.zeros(10)) == pytest.approx((0.0, 1 - 0.025**0.1))
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
