"""McNemar's exact test: by hand, and its table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from karat.stats.compare.significance.mcnemar import McNemar, coin_p, mcnemar


def test_by_hand() -> None:
    a = [True] * 3 + [True] * 1 + [False] * 5 + [False] * 2
    b = [True] * 3 + [False] * 1 + [True] * 5 + [False] * 2
    found = mcnemar(a, b)
    # 6 coins, 5 or more on one side: 2·(6 + 1)/64.
    assert (found.both, found.only_a, found.only_b, found.neither) == (3, 1, 5, 2)
    assert found.p == pytest.approx(14 / 64)
    assert found.odds == pytest.approx(5.5 / 1.5)


@given(st.integers(1, 3_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_coin_agrees_with_scipy(counts: tuple[int, int]) -> None:
    assert coin_p(*counts) == pytest.approx(float(binomtest(*counts, 0.5).pvalue), rel=1e-9, abs=1e-300)


def test_no_verdict_changed() -> None:
    found = mcnemar([True, False], [True, False])
    assert (found.p, found.odds) == (1.0, None)
    assert mcnemar([], []) == McNemar(0, 0, 0, 0, 1.0)


def test_as_many_gained_as_lost() -> None:
    assert mcnemar([True, False], [False, True]).p == 1.0


def test_many() -> None:
    found = mcnemar([False] * 30_000, [True] * 30_000)
    assert found.only_b == 30_000 and 0 <= found.p < 1e-300
    assert found.odds == 60_001


def test_verdicts_come_in_pairs() -> None:
    with pytest.raises(ValueError, match="1 and 2 were given"):
        mcnemar([True], [True, False])
