"""Effect sizes: by hand, and by counting pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stats.compare.effect import cliff_delta, cohen_d_z


def test_cohen_by_hand() -> None:
    assert cohen_d_z([1.0, 2.0, 3.0]) == pytest.approx(2.0)  # mean 2, standard deviation 1
    assert cohen_d_z([1.0, -1.0]) == 0.0


def test_cohen_without_a_spread() -> None:
    assert cohen_d_z([]) is cohen_d_z([0.3]) is cohen_d_z([0.0, 0.0]) is cohen_d_z([0.1] * 7) is None


def test_cliff_by_hand() -> None:
    # Pairs (1,2) (1,3) (2,3) up, (2,2) equal, none down: 3/4.
    assert cliff_delta([1, 2], [2, 3]) == pytest.approx(0.75)
    assert cliff_delta([1, 2], [1, 2]) == 0.0
    assert cliff_delta([5], [1]) == -1.0
    assert cliff_delta([], [1]) is None


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=12),
    st.lists(st.integers(0, 6), min_size=1, max_size=12),
)
def test_cliff_is_the_share_of_pairs(a: list[float], b: list[float]) -> None:
    pairs = [(y > x) - (y < x) for x in a for y in b]
    assert cliff_delta(a, b) == pytest.approx(sum(pairs) / len(pairs))
