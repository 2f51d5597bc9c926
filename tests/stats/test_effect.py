"""Effect sizes, by hand."""

from __future__ import annotations

import pytest

from karat.stats.compare.effect import cohen_d_z


def test_cohen_by_hand() -> None:
    assert cohen_d_z([1.0, 2.0, 3.0]) == pytest.approx(2.0)  # mean 2, standard deviation 1
    assert cohen_d_z([1.0, -1.0]) == 0.0


def test_cohen_without_a_spread() -> None:
    assert cohen_d_z([]) is cohen_d_z([0.3]) is cohen_d_z([0.0, 0.0]) is cohen_d_z([0.1] * 7) is None
