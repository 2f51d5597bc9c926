"""Values that are counted give the statistics of all of them, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.metric import Kind
from karat.stats.compare.paired import paired_difference
from karat.stats.intervals.counted import counted, exact_mean, exact_sum
from karat.stats.intervals.spread import spread_of

NUMBERS = st.floats(-1e200, 1e200) | st.sampled_from((0.1, 1 / 3, 5e-324, -0.0))
COUNTED = st.lists(st.tuples(NUMBERS, st.integers(1, 50)), min_size=1, max_size=20)


@given(COUNTED)
def test_a_counted_sum_is_the_sum_of_all(pairs: list[tuple[float, int]]) -> None:
    values, counts = np.array([value for value, _ in pairs]), np.array([count for _, count in pairs])
    every = np.repeat(values, counts)
    assert exact_sum(values, counts) == exact_sum(every) == math.fsum(every.tolist())
    assert exact_mean(values, counts) == math.fsum(every.tolist()) / len(every)


@pytest.mark.parametrize("count", [2**26 - 1, 2**26, 2**26 + 1, 3 * 2**30 + 7])
def test_numbers_beyond_half_a_float_are_exact(count: int) -> None:
    from fractions import Fraction

    value = 1 / 3
    assert exact_sum(np.array([value]), np.array([count])) == float(Fraction(value) * count)


def test_equal_values_are_counted_together() -> None:
    values, counts = counted(np.array([2.0, 1.0, 2.0]), np.array([1, 5, 3]))
    assert values.tolist() == [1.0, 2.0] and counts.tolist() == [5, 4]
    values, counts = counted(np.array([2.0, 1.0, 2.0]))
    assert values.tolist() == [1.0, 2.0] and counts.tolist() == [1, 2]


CELLS = st.lists(
    st.tuples(st.sampled_from((0.0, 0.25, 1 / 3, 1.0)), st.sampled_from((0.0, 0.5, 2 / 3, 1.0)), st.integers(1, 400)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(CELLS, st.sampled_from(("share", "rate", "quantity")), st.integers(0, 3))
def test_a_difference_of_counted_pairs_is_that_of_all(
    cells: list[tuple[float, float, int]], kind: Kind, tests: int
) -> None:
    a, b, counts = (np.array(column) for column in zip(*cells, strict=True))
    order = np.random.default_rng(len(cells)).permutation(int(counts.sum()))
    every_a, every_b = np.repeat(a, counts)[order], np.repeat(b, counts)[order]
    found = paired_difference(a, b, counts=counts, kind=kind, tests=tests)
    assert found == paired_difference(every_a, every_b, kind=kind, tests=tests)
    assert spread_of(b, counts=counts) == spread_of(every_b)
