"""Intervals: known values, the cases where a plain one lies, and coverage by simulation."""

from __future__ import annotations

import random

import pytest

from karat.stats.intervals.estimates import estimate, wilson


def test_nothing_has_no_mean() -> None:
    assert (estimate([]).mean, estimate([]).n, estimate([]).low) == (None, 0, None)


def test_wilson_against_its_textbook_value() -> None:
    low, high = wilson(0.5, 10)  # z = 1.96: centre 0.5, half-width 0.2634
    assert [low, high] == pytest.approx([0.2366, 0.7634], abs=1e-4)
    assert list(wilson(0.0, 10)) == pytest.approx([0.0, 0.2775], abs=1e-4)
    assert list(wilson(1.0, 10)) == pytest.approx([0.7225, 1.0], abs=1e-4)


def test_all_right_is_not_certainty() -> None:
    found = estimate([1.0] * 12)
    assert found.mean == found.high == 1.0
    assert found.low is not None and found.low < 0.8


def test_the_same_scores_give_the_same_interval() -> None:
    values = [0.1, 0.5, 0.5, 0.9, 1.0, 0.0, 0.3]
    assert estimate(values) == estimate(list(reversed(values)))


@pytest.mark.parametrize("values", [[3.5], [3.5, 3.5], [0.017] * 13, [0.0] * 5])
def test_quantities_that_show_no_spread_have_no_interval(values: list[float]) -> None:
    found = estimate(values, "quantity")
    assert (found.mean, found.n, found.low, found.high) == (values[0], len(values), None, None)


@pytest.mark.parametrize(("value", "n", "low", "high"), [
    (0.5, 1, 0.1033, 0.8967), (0.5, 10, 0.3613, 0.6387), (0.25, 3, 0.1096, 0.6711), (1.0, 10, 0.7225, 1.0),
    (0.0, 10, 0.0, 0.2775),
])  # fmt: skip
def test_shares_that_are_all_equal_are_no_certainty(value: float, n: int, low: float, high: float) -> None:
    """q = z²/(n + z²) may be values not seen: v(1 - q) … v(1 - q) + q."""
    found = estimate([value] * n, "share")
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-4)


def test_many_values_use_the_normal_interval() -> None:
    rng = random.Random(3)
    values = [rng.expovariate(1.0) for _ in range(6_000)]
    found = estimate(values, "quantity")
    assert found.mean is not None and found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 / 6_000**0.5, rel=0.1)


def test_turns_of_a_case_go_together() -> None:
    values, cases = [0.2, 0.4, 0.9, 0.6, 0.1, 0.8], ["x", "x", "x", "y", "y", "z"]
    found = estimate(values, "share", cases)
    assert found.mean == pytest.approx(0.5) and found.n == 6
    assert found.low is not None and found.high is not None and found.low < 0.5 < found.high
    assert estimate(values, "share", list("abcdef")) == estimate(values)
    assert estimate([], "share", []) == estimate([])


def test_one_case_of_several_turns_says_next_to_nothing() -> None:
    share = estimate([0.2, 0.4], "share", ["x", "x"])
    alone = estimate([0.3])
    assert [share.mean, share.low, share.high] == pytest.approx([alone.mean, alone.low, alone.high])
    seconds = estimate([2.0, 4.0], "quantity", ["x", "x"])
    assert (seconds.mean, seconds.low, seconds.high) == (3.0, None, None)


def test_all_right_in_few_cases_of_many_turns() -> None:
    found = estimate([1.0] * 12, "share", ["x", "y", "z"] * 4)
    assert [found.low, found.high] == pytest.approx(wilson(1.0, 3))


@pytest.mark.parametrize("kind", ["share", "rate"])
def test_the_interval_holds_the_truth_about_19_times_in_20(kind: str) -> None:
    rng = random.Random(7)
    hits = 0
    for _ in range(400):
        values = [float(rng.random() < 0.7) if kind == "rate" else rng.choice([0.0, 0.5, 1.0]) for _ in range(100)]
        found = estimate(values, "rate" if kind == "rate" else "share")
        truth = 0.7 if kind == "rate" else 0.5
        assert found.low is not None and found.high is not None
        hits += found.low <= truth <= found.high
    assert 0.91 <= hits / 400 <= 0.985


def test_a_cluster_for_every_value_is_no_cluster() -> None:
    values = [1.0, 1.0, 0.0, 1.0]
    assert estimate(values, "rate", list("abcd")) == estimate(values, "rate")


def test_intervals_of_shares_end_at_0_and_1() -> None:
    rare = [1.0] + [0.0] * 1_999  # Student's interval alone would begin below 0
    names = [str(i) for i in range(1_998)] + ["pair", "pair"]
    for found in (estimate(rare), estimate(rare, "rate", names)):
        assert found.low is not None and 0 <= found.low < 0.0005 < (found.high or 0) < 0.01
    often = estimate([1.0 - value for value in rare])
    assert often.high is not None and 0.9995 < often.high <= 1.0


def test_the_mean_of_values_that_are_not_negative_has_no_negative_end() -> None:
    seconds = estimate([0.1, 5.0], "quantity")
    assert seconds.low == 0.0
    assert seconds.high == pytest.approx(33.68, abs=0.01)
    signed = estimate([-0.1, 5.0], "quantity")
    assert signed.low is not None and signed.low < -0.1
