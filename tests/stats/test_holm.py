"""Holm's adjustment: by hand, and what must hold for any p-values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stats.compare.significance.holm import holm


def test_by_hand() -> None:
    # Sorted 0.005·4 = 0.02, 0.01·3 = 0.03, 0.03·2 = 0.06, 0.04·1 = 0.04 → not below the one before: 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_ends() -> None:
    assert holm([]) == []
    assert holm([0.2]) == [0.2]
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_between_plain_and_bonferroni_and_in_the_same_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for plain, found in zip(p_values, adjusted, strict=True):
        assert plain <= found <= min(1.0, plain * len(p_values)) or found == pytest.approx(plain)
        # The definition without sorting: the largest over all p' ≤ p of (number of p-values ≥ p') · p'.
        rest = [sum(other >= q for other in p_values) * q for q in p_values if q <= plain]
        assert found == pytest.approx(min(1.0, max(rest)))


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, 1.5])


def test_one_test_under_two_names_counts_once() -> None:
    # Two tests, each twice: 0.01·2 = 0.02, 0.04·1 = 0.04, and not 0.01·4.
    assert holm([0.01, 0.04, 0.01, 0.04], ["a", "b", "a", "b"]) == pytest.approx([0.02, 0.04, 0.02, 0.04])
    assert holm([0.01, 0.01], ["a", "b"]) == holm([0.01, 0.01])
    assert holm([], []) == []
