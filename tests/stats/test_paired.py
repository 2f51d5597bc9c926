"""The paired difference: by hand, at its edges, and its promises by simulation."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karat.stats.compare.paired import Difference, difference_interval, paired_difference
from karat.stats.compare.significance.mcnemar import mcnemar


def held(found: Difference, truth: float) -> bool:
    assert found.low is not None and found.high is not None
    return found.low <= truth <= found.high


def test_by_hand() -> None:
    found = paired_difference([0.2, 0.4, 0.6], [0.3, 0.6, 0.9])  # differences 0.1, 0.2, 0.3
    assert (found.n, found.clusters) == (3, 3)
    assert [found.mean_a, found.mean_b, found.mean, found.effect] == pytest.approx([0.4, 0.6, 0.2, 2.0])
    assert found.p == 2 / 8
    assert found.detectable is None  # it was not asked for
    assert paired_difference([0.2, 0.4, 0.6], [0.3, 0.6, 0.9], tests=1).detectable is None  # 3 pairs cannot show any


def test_pass_or_fail_by_hand() -> None:
    """10 cases, 4 gained, 1 lost. Half a pair more in each cell: 4.5 and 1.5 of 12, difference 3/12."""
    a, b = [1, 0, 0, 0, 0, 1, 1, 1, 0, 0], [0, 1, 1, 1, 1, 1, 1, 1, 0, 0]
    found = paired_difference(a, b)
    error = math.sqrt((6 / 12 - (3 / 12) ** 2) / 12)
    assert [found.low, found.high] == pytest.approx([0.25 - 1.96 * error, 0.25 + 1.96 * error], abs=1e-4)
    assert found.p == pytest.approx(mcnemar([x == 1 for x in a], [x == 1 for x in b]).p)


def test_one_pair() -> None:
    seconds = paired_difference([0.2], [0.5], kind="quantity")
    assert seconds == Difference(1, 0.2, 0.5, 0.3, None, None, 1.0, None, None, 1)
    share = paired_difference([0.2], [0.5])
    assert share.p == 1.0 and held(share, -0.5) and held(share, 0.8)  # one case: nearly anything
    passed = paired_difference([0.0], [1.0])
    assert passed.p == 1.0 and held(passed, 0.0) and passed.high == 1.0


def test_nothing_changed_is_not_certainty() -> None:
    for values in ([1.0] * 20, [0.3, 0.7] * 10):
        found = paired_difference(values, values)
        assert (found.mean, found.p, found.effect) == (0.0, 1.0, None)
        assert found.low is not None and found.high is not None
        assert -0.1 < found.low < -0.05 and found.high == -found.low  # 1.96/22 = 0.089


def test_unchanged_seconds_have_no_scale_to_doubt_on() -> None:
    for values in ([3.0, 7.0], [0.017] * 13):
        found = paired_difference(values, values, kind="quantity", tests=1)
        assert (found.mean, found.low, found.high, found.p, found.effect, found.detectable) == (
            0,
            None,
            None,
            1,
            None,
            None,
        )


def test_equal_differences_are_no_certainty() -> None:
    """Of 4 cases q = 3.8415/7.8415 may be unlike those seen: 0.1(1 - q) ± q."""
    found = paired_difference([0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.4, 0.5])
    assert [found.mean, found.low, found.high] == pytest.approx([0.1, 0.051 - 0.4899, 0.051 + 0.4899], abs=1e-3)
    assert (found.p, found.effect) == (2 / 16, None)
    seconds = paired_difference([1.0, 2.0, 3.0], [1.5, 2.5, 3.5], kind="quantity")
    assert (seconds.mean, seconds.low, seconds.high) == (0.5, None, None)


def test_the_last_digits_are_no_difference() -> None:
    found = paired_difference([0.1 + 0.2, 0.5], [0.3, 0.5])
    assert (found.mean, found.p) == (0.0, 1.0)


def test_variants_of_one_case_count_as_one() -> None:
    """Four clusters, all to one side: 2 of 16 patterns, however many variants each has."""
    a = [0.0] * 12
    b = [0.1, 0.2, 0.1, 0.3, 0.3, 0.2, 0.4, 0.1, 0.1, 0.2, 0.2, 0.3]
    clusters = [name for name in "wxyz" for _ in range(3)]
    found = paired_difference(a, b, clusters)
    assert (found.n, found.clusters, found.p) == (12, 4, 2 / 16)
    assert paired_difference(a, b).p == 2 / 2**12


def test_what_is_no_pair_is_refused() -> None:
    for values in ([], [1.0]):
        with pytest.raises(ValueError, match="needs pairs"):
            paired_difference(values, [])
    with pytest.raises(ValueError, match="finite"):
        paired_difference([math.nan], [1.0])


VALUES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1), st.floats(-1e9, 1e9))


@settings(max_examples=150, deadline=None)
@example([(0.0, 0.0, "w"), (0.0, -7.860565318243556e-109, "w")], False)
@given(st.lists(st.tuples(VALUES, VALUES, st.sampled_from("wxyz")), min_size=1, max_size=25), st.booleans())
def test_never_nan_and_the_interval_holds_the_mean(rows: list[tuple[float, float, str]], clustered: bool) -> None:
    a, b, names = zip(*rows, strict=True)
    found = paired_difference(a, b, names if clustered else None, tests=2)
    numbers = [value for value in msgspec.structs.astuple(found) if value is not None]
    assert all(math.isfinite(value) for value in numbers)
    assert 0 < found.p <= 1
    if found.low is not None and found.high is not None:
        assert found.low <= found.mean <= found.high
    turned = paired_difference(b, a, names if clustered else None)
    assert turned.p == pytest.approx(found.p, abs=0.02)
    assert turned.mean == pytest.approx(-found.mean)


@pytest.mark.parametrize(("gained", "lost"), [(0.1, 0.1), (0.1, 0.05), (0.3, 0.1)])
def test_coverage_and_false_alarms_of_pass_or_fail(gained: float, lost: float) -> None:
    rng = np.random.default_rng(31)
    hits = alarms = 0
    for _ in range(2_000):
        draw, same = rng.random(150), (rng.random(150) < 0.6).astype(float)
        up, down = draw < gained, draw > 1 - lost
        found = paired_difference(np.where(up, 0, np.where(down, 1, same)), np.where(up, 1, np.where(down, 0, same)))
        hits += held(found, gained - lost)
        alarms += found.p <= 0.05
    assert 0.93 <= hits / 2_000 <= 0.97
    if gained == lost:
        assert alarms / 2_000 <= 0.055


@pytest.mark.parametrize("n", [8, 10])
def test_coverage_of_shares_of_which_half_fall_from_near_1(n: int) -> None:
    rng = np.random.default_rng(33)
    hits = 0
    for _ in range(2_000):
        a = rng.beta(10, 0.5, n)
        b = np.where(rng.random(n) < 0.5, rng.beta(2, 1, n), a)
        interval = difference_interval(b - a, bounded=True, verdicts=False)
        assert interval is not None
        hits += interval[0] <= 1 / 3 - 10 / 21 <= interval[1]
    assert 0.93 <= hits / 2_000 <= 0.97


def test_coverage_of_shares() -> None:
    rng = np.random.default_rng(32)
    hits = alarms = 0
    for _ in range(2_000):
        a = rng.choice([0.0, 0.5, 0.75, 1.0], 40)
        found = paired_difference(a, np.where(rng.random(40) < 0.6, a, rng.choice([0.0, 0.5, 0.75, 1.0], 40)))
        hits += held(found, 0.0)
        alarms += found.p <= 0.05
    assert 0.93 <= hits / 2_000 <= 0.97
    assert alarms / 2_000 <= 0.055
