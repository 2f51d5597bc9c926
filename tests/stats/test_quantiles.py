"""Quantiles and tails, beside scipy's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from karat.stats.intervals.quantiles import (
    beta_quantile,
    beta_share,
    binomial_tail,
    chi_square_quantile,
    normal_quantile,
    student_quantile,
)


@settings(max_examples=200, deadline=None)
@given(st.floats(0.001, 0.9999).filter(lambda share: abs(share - 0.5) > 0.001), st.floats(1, 1e6))
def test_student(share: float, freedom: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(float(special.stdtrit(freedom, share)), rel=1e-5)


def test_student_by_the_tables() -> None:
    assert student_quantile(0.975, 9) == pytest.approx(2.262157, abs=1e-6)
    assert student_quantile(0.5, 3) == pytest.approx(0.0, abs=1e-12)
    assert student_quantile(0.975, 1e9) == pytest.approx(1.959964, abs=1e-6)


@settings(max_examples=200, deadline=None)
@given(st.floats(0, 1), st.floats(0.1, 1e4), st.floats(0.1, 1e4))
def test_beta_share(x: float, a: float, b: float) -> None:
    assert beta_share(x, a, b) == pytest.approx(float(special.betainc(a, b, x)), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 3_000).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))), st.floats(0.001, 0.999))
def test_beta_quantile(counts: tuple[int, int], share: float) -> None:
    k, n = counts
    assert beta_quantile(share, k, n - k + 1) == pytest.approx(float(special.betaincinv(k, n - k + 1, share)), rel=1e-8)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 3_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_binomial_tail(counts: tuple[int, int]) -> None:
    assert binomial_tail(*counts) == pytest.approx(float(special.bdtr(*counts, 0.5)), rel=1e-8, abs=1e-300)


def test_no_confidence() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(1.0)


@pytest.mark.parametrize("freedom", [1, 4, 9, 99, 1_000, 5_000])
@pytest.mark.parametrize("share", [1e-4, 0.025, 0.05, 0.5])
def test_chi_square(share: float, freedom: float) -> None:
    exact = 1e-9 if freedom <= 1_000 else 1e-4
    assert chi_square_quantile(share, freedom) == pytest.approx(
        2 * float(special.gammaincinv(freedom / 2, share)), rel=exact
    )


def test_only_lower_quantiles_of_chi_square() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 0\.5, this is 0\.95"):
        chi_square_quantile(0.95, 4)
