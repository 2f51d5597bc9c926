"""The paired permutation test: by hand, against scipy, where its methods meet, and its false alarms by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from karat.stats.compare.significance.mcnemar import coin_p
from karat.stats.compare.significance.sign_flips import PATTERNS, ROWS, sign_flip_p
from karat.stats.intervals.seeds import SEED, generator


def test_by_hand() -> None:
    # Sums of ±1 ±2 ±3: 6 4 2 0 0 -2 -4 -6. Seen 1+2+3 = 6: two of eight are as far. Seen -1+2+3 = 4: four of eight.
    assert sign_flip_p([1, 2, 3]) == pytest.approx(2 / 8)
    assert sign_flip_p([-1, 2, 3]) == pytest.approx(4 / 8)


def test_nothing_to_flip() -> None:
    assert sign_flip_p([]) == sign_flip_p([0.0, 0.0]) == sign_flip_p([3.0]) == 1.0


def test_zeros_take_no_part() -> None:
    assert sign_flip_p([1, 2, 3] + [0] * 500) == sign_flip_p([1, 2, 3])


def test_the_scale_does_not_matter() -> None:
    values = np.random.default_rng(3).normal(0.3, 1, 40)
    assert sign_flip_p(values) == sign_flip_p(values * 1e-9) == sign_flip_p(values * 1e12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, -0.125, 0.0, 0.125, 0.375, 0.5, 1.0]), min_size=2, max_size=9))
def test_exact_as_scipy(differences: list[float]) -> None:
    """Numbers whose sums are exact: where equal sums differ in their last digit, scipy counts them apart, and this does
    not."""
    found = stats.permutation_test(
        (np.array(differences),), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=10_000
    )
    # scipy takes twice the smaller tail; the distribution is symmetric, so that is both tails, ties at the centre
    # aside.
    assert sign_flip_p(differences) == pytest.approx(min(1.0, float(found.pvalue)))


def test_sums_that_are_equal_on_paper_are_equal() -> None:
    assert sign_flip_p([-1.0, -0.1, -0.1, -0.1, 0.3, 1.0]) == 1.0  # they add up to 0


def test_random_patterns_as_scipy() -> None:
    differences = np.random.default_rng(8).normal(0.25, 1, 60)
    found = stats.permutation_test(
        (differences,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=9_999, rng=5
    )
    assert sign_flip_p(differences) == pytest.approx(float(found.pvalue), abs=0.015)


@pytest.mark.parametrize("count", [14, 16, 17, 203, 999])
def test_sums_looked_up_by_byte_are_those_of_the_signs(count: int) -> None:
    differences = np.random.default_rng(count).choice([-1.0, -0.75, -1 / 3, 0.1, 0.25, 0.5, 1.0], count)
    sizes, width, seen = np.sort(np.abs(differences)), -(-count // 8), abs(differences.sum())
    rng, far = generator(SEED, sizes), 1
    for begin in range(0, PATTERNS, ROWS):
        drawn = np.frombuffer(rng.bytes(min(ROWS, PATTERNS - begin) * width), np.uint8).reshape(-1, width)
        signs = 2.0 * np.unpackbits(drawn, axis=1, count=count) - 1
        far += int((np.abs((signs * sizes).sum(axis=1)) >= seen - 1e-9 * count).sum())
    assert sign_flip_p(differences) == far / (1 + PATTERNS)


def test_pass_or_fail_is_the_binomial_test() -> None:
    for gained, lost in ((9, 3), (60, 40), (700, 600), (0, 5)):
        assert sign_flip_p([1.0] * gained + [-1.0] * lost) == pytest.approx(coin_p(gained, gained + lost))


def test_at_the_seams_the_methods_agree() -> None:
    rng = np.random.default_rng(4)
    for below, slack in ((13, 0.05), (999, 0.02)):
        values = rng.normal(0.5 / below**0.5, 1, below)
        longer = np.append(values, 1e-7)  # one more difference, which changes next to nothing
        assert 0.01 < sign_flip_p(values) < 0.99
        assert sign_flip_p(longer) == pytest.approx(sign_flip_p(values), abs=slack)


def test_which_run_is_first_does_not_matter() -> None:
    values = np.random.default_rng(5).normal(0.2, 1, 50)
    assert sign_flip_p(values) == sign_flip_p(-values) == sign_flip_p(values[::-1])


def test_false_alarms_on_shares() -> None:
    rng = np.random.default_rng(130)
    values, weights = [0.0, 0.25, 0.5, 1.0], [0.1, 0.1, 0.2, 0.6]
    runs = rng.choice(values, (2_000, 30), p=weights) - rng.choice(values, (2_000, 30), p=weights)
    assert 0.03 <= np.mean([sign_flip_p(row) <= 0.05 for row in runs]) <= 0.055


def test_few_cases_with_few_values_hardly_ever_alarm() -> None:
    rng = np.random.default_rng(108)
    runs = rng.choice([0.0, 0.5, 1.0], (2_000, 8)) - rng.choice([0.0, 0.5, 1.0], (2_000, 8))
    assert np.mean([sign_flip_p(row) <= 0.05 for row in runs]) <= 0.05


@pytest.mark.parametrize(("n", "count"), [(8, 10_000), (20, 10_000), (1_500, 4_000)])
def test_false_alarms_on_quantities(n: int, count: int) -> None:
    """Seconds with a long tail, by each of the methods. Fewer patterns than usual: a lucky set of them would show
    here."""
    rng = np.random.default_rng(200 + n)
    runs = rng.lognormal(0, 1, (count, n)) - rng.lognormal(0, 1, (count, n))
    alarms = np.mean([sign_flip_p(row, patterns=199) <= 0.05 for row in runs])
    assert 0.04 <= alarms <= 0.055
