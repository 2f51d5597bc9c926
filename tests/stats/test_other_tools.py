"""The statistics beside those of other tools: statsmodels, which runs here, and ranx, whose figures were noted down."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from karat.stats.compare.paired import paired_difference
from karat.stats.compare.power import detectable_difference
from karat.stats.compare.significance.holm import holm
from karat.stats.compare.significance.mcnemar import mcnemar
from karat.stats.intervals.estimates import estimate
from karat.stats.intervals.rates import clopper_pearson, wilson


@pytest.fixture(scope="module", autouse=True)
def no_full_collections() -> Iterator[None]:
    """statsmodels collects garbage at each correction, which takes a second in a process that has run many tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda: 0)
        yield


COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=60, deadline=None)
@given(COUNTS)
def test_intervals_of_rates(counts: tuple[int, int]) -> None:
    assert list(wilson(*counts)) == pytest.approx(proportion_confint(*counts, method="wilson"), abs=1e-9)
    assert list(clopper_pearson(*counts)) == pytest.approx(proportion_confint(*counts, method="beta"), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
def test_mcnemar(pairs: list[tuple[bool, bool]]) -> None:
    found = mcnemar([a for a, _ in pairs], [b for _, b in pairs])
    table = [[found.both, found.only_a], [found.only_b, found.neither]]
    assert found.p == pytest.approx(their_mcnemar(table, exact=True).pvalue, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_holm(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)


def test_the_interval_of_a_mean_is_student_s_when_there_are_many_values() -> None:
    values = [(number * 37 % 101) / 100 for number in range(1500)]
    student = DescrStatsW(values).tconfint_mean()
    for found in (estimate(values, "share"), estimate(values, "quantity")):
        assert [found.low, found.high] == pytest.approx(student, abs=2e-4)


def test_the_least_difference_that_so_many_pairs_show() -> None:
    from statsmodels.stats.power import TTestPower

    # statsmodels takes the deviation for known. Ours is a guess from the sample, which costs most where it is small.
    for n, deviation, more in ((20, 0.3, 1.07), (300, 0.2, 1.0)):
        differences = np.linspace(-1, 1, n) + 0.001
        differences *= deviation / differences.std(ddof=1)
        effect = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
        assert detectable_difference(differences, bounded=False) == pytest.approx(effect * deviation * more, rel=0.01)


@pytest.mark.parametrize(
    ("n", "shift", "seed", "theirs"),
    # ranx 0.3.21, fisher_randomization_test(a, b, n_permutations=200_000): right to about ±0.002.
    [(30, 0.06, 1, 0.011475), (10, 0.2, 2, 0.003955), (60, 0.0, 3, 0.70911)],
)
def test_the_permutation_test_is_ranx_s_randomisation_test(n: int, shift: float, seed: int, theirs: float) -> None:
    a = [((i * 37 + seed * 11) % 101) / 100 for i in range(n)]
    b = [min(1.0, max(0.0, a[i] + shift + ((i * 53 + seed * 29) % 41 - 20) / 100)) for i in range(n)]
    found = paired_difference(a, b).p
    # Ours draws 9,999 patterns (all 1,024 for ten cases): three standard errors of both.
    error = 3 * (theirs * (1 - theirs) * (1 / 9_999 + 1 / 200_000)) ** 0.5
    assert found == pytest.approx(theirs, abs=error)
