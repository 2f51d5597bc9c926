"""Intervals: known values, the cases where a plain bootstrap lies, and coverage by simulation."""

from __future__ import annotations

import random

import pytest

from karat.stats.intervals import estimate, estimate_clustered, wilson


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


def test_quantities_of_one_value_have_no_spread() -> None:
    assert estimate([3.5], "quantity").low == 3.5
    assert estimate([3.5, 3.5], "quantity").high == 3.5


def test_the_bootstrap_has_converged() -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    values = rng.choice([0.0, 0.25, 0.5, 1.0], size=80, p=[0.1, 0.2, 0.3, 0.4])
    means = rng.choice(values, size=(20_000, 80)).mean(axis=1)
    found = estimate(list(values))
    assert found.low == pytest.approx(np.percentile(means, 2.5), abs=0.01)
    assert found.high == pytest.approx(np.percentile(means, 97.5), abs=0.01)


def test_at_the_seam_between_bootstrap_and_normal_interval_both_agree() -> None:
    rng = random.Random(5)
    values = [rng.choice([0.0, 0.2, 0.5, 1.0, 1.0]) for _ in range(1_000)]
    below, above = estimate(values[:-1]), estimate(values)
    assert below.low is not None and below.high is not None
    assert [above.low, above.high] == pytest.approx([below.low, below.high], abs=0.003)


def test_many_values_use_the_normal_interval() -> None:
    rng = random.Random(3)
    values = [rng.expovariate(1.0) for _ in range(6_000)]
    found = estimate(values, "quantity")
    assert found.mean is not None and found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 / 6_000**0.5, rel=0.1)


def test_turns_of_a_case_go_together() -> None:
    values, cases = [0.2, 0.4, 0.9, 0.6, 0.1, 0.8], ["x", "x", "x", "y", "y", "z"]
    found = estimate_clustered(values, cases)
    assert found.mean == pytest.approx(0.5) and found.n == 6
    assert found.low is not None and found.high is not None and found.low < 0.5 < found.high
    assert estimate_clustered(values, list("abcdef")) == estimate(values)
    assert estimate_clustered([], []) == estimate([])


def test_one_case_of_several_turns_has_no_interval() -> None:
    found = estimate_clustered([0.2, 0.4], ["x", "x"])
    assert found.mean == pytest.approx(0.3) and found.low is None and found.high is None


def test_all_right_in_few_cases_of_many_turns() -> None:
    found = estimate_clustered([1.0] * 12, ["x", "y", "z"] * 4)
    assert (found.low, found.high) == wilson(1.0, 3)


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


def test_clusters_may_be_given_with_the_values() -> None:
    values, names = [1.0, 1.0, 0.0, 1.0], ["x", "x", "y", "z"]
    assert estimate(values, "rate", names) == estimate_clustered(values, names, "rate")
    assert estimate(values, "rate", list("abcd")) == estimate(values, "rate")
    assert estimate([], "rate", []) == estimate([])


def test_intervals_of_shares_end_at_0_and_1() -> None:
    rare = [1.0] + [0.0] * 1_999  # Student's interval alone would begin below 0
    names = [str(i) for i in range(1_998)] + ["pair", "pair"]
    for found in (estimate(rare), estimate(rare, "rate", names)):
        assert found.low == 0.0 and found.high is not None and 0.0005 < found.high < 0.01
    often = estimate([1.0 - value for value in rare])
    assert often.high == 1.0
    below = estimate(rare, "quantity").low
    assert below is not None and below < 0
