"""The error of a mean: by hand, and with clusters."""

from __future__ import annotations

import numpy as np
import pytest

from karat.stats.intervals.spread import spread_of


def test_the_standard_error_by_hand() -> None:
    found = spread_of([1.0, 2.0, 3.0, 6.0])  # mean 3, squares 4+1+0+9 = 14, sd² = 14/3, error² = 14/12
    assert (found.mean, found.clusters, found.freedom) == (3.0, 4, 3.0)
    assert found.error == pytest.approx((14 / 12) ** 0.5)
    assert found.skewness == pytest.approx((-8 - 1 + 27) / 4 / (14 / 4) ** 1.5)


def test_clusters_by_hand() -> None:
    # Clusters {1, 3} and {5}: mean 3; without the first 5, without the second 2: error² = 1/2 · (4 + 1).
    found = spread_of([1.0, 3.0, 5.0], ["x", "x", "y"])
    assert (found.mean, found.clusters) == (3.0, 2)
    assert found.error == pytest.approx(2.5**0.5)


def test_clusters_of_different_sizes_count_as_fewer() -> None:
    found = spread_of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], ["x", "x", "x", "x", "y", "z"])
    assert found.freedom == pytest.approx(36 / 18 - 1)


def test_every_value_its_own_cluster_is_no_cluster() -> None:
    values = list(np.random.default_rng(2).random(30))
    assert spread_of(values, [str(i) for i in range(30)]) == spread_of(values)


def test_copies_of_a_case_add_nothing() -> None:
    values = np.random.default_rng(2).random(40)
    names = [str(i) for i in range(40)]
    once, thrice = spread_of(values), spread_of(np.repeat(values, 3), np.repeat(names, 3).tolist())
    assert [thrice.error, thrice.freedom, thrice.skewness] == pytest.approx([once.error, once.freedom, once.skewness])


def test_what_shows_no_spread_has_no_error() -> None:
    assert spread_of([0.4]).error == spread_of([0.1, 0.9], ["x", "x"]).error == spread_of([0.1 + 0.2, 0.3]).error == 0.0


def test_the_order_of_cases_does_not_matter() -> None:
    values, names = [0.1, 0.5, 0.7, 0.9, 0.2], ["x", "y", "x", "z", "x"]
    assert spread_of(values, names) == spread_of(values[::-1], names[::-1])


def test_every_value_needs_a_cluster() -> None:
    with pytest.raises(ValueError, match="every value needs a cluster: 2 values, 1 clusters"):
        spread_of([0.1, 0.2], ["x"])


@pytest.mark.parametrize("scale", [1e-160, 1e-109, 1e-9, 1.0, 1e9, 1e150])
def test_the_spread_grows_with_the_values_whatever_their_size(scale: float) -> None:
    values = [1.0, 2.0, 4.0, 8.0]
    plain, scaled = spread_of(values), spread_of([scale * value for value in values])
    assert scaled.error == pytest.approx(scale * plain.error, rel=1e-9)
    assert scaled.skewness == pytest.approx(plain.skewness, rel=1e-9)
