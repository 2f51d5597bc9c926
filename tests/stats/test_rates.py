"""Wilson and Clopper–Pearson against scipy, which has both, and against values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from karat.stats.intervals.rates import clopper_pearson, wilson

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_both_agree_with_scipy(counts: tuple[int, int], confidence: float) -> None:
    successes, n = counts
    test = binomtest(successes, n)
    score, exact = test.proportion_ci(confidence, method="wilson"), test.proportion_ci(confidence, method="exact")
    assert list(wilson(successes, n, confidence)) == pytest.approx([score.low, score.high], abs=1e-9)
    assert list(clopper_pearson(successes, n, confidence)) == pytest.approx([exact.low, exact.high], abs=1e-9)


def test_exact_ends_by_hand() -> None:
    # 0 of 10: the upper end u solves (1-u)^10 = 0.025.
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 1 - 0.025**0.1))
    assert clopper_pearson(10, 10) == pytest.approx((0.025**0.1, 1.0))


def test_no_tries_tell_nothing() -> None:
    assert wilson(0, 0) == clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "n", "confidence"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, 0.0)])
def test_what_cannot_be_is_refused(successes: int, n: int, confidence: float) -> None:
    for interval in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match="between 0 and"):
            interval(successes, n, confidence)
