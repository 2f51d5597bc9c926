"""The interval of a median by order statistics: by hand, and against coins that are thrown."""

from __future__ import annotations

import random

import pytest

from karat.suites.codegen.timing.intervals import interval_of


def test_nine_pairs_give_the_second_to_the_eighth() -> None:
    found = interval_of([3.0, 1.6, 1.8, 1.9, 2.0, 2.0, 2.1, 2.2, 2.3])
    assert (found.middle, found.low, found.high) == (2.0, 1.8, 2.3)
    assert found.confidence == pytest.approx(1 - 20 / 512)
    assert not found.contains(1.0) and not found.wide


@pytest.mark.parametrize(("count", "place"), [(6, 1), (9, 2), (18, 5), (33, 11)])
def test_places(count: int, place: int) -> None:
    found = interval_of(list(range(1, count + 1)))
    assert (found.low, found.high) == (place, count + 1 - place)
    assert 0.95 <= found.confidence < 1


def test_few_pairs_say_how_little_they_are_worth() -> None:
    assert interval_of([1.0, 2.0, 3.0]).confidence == 0.75
    assert interval_of([2.0]).confidence == 0


def test_wide_is_more_than_fifteen_percent_on_either_side() -> None:
    assert not interval_of([0.9, 1.0, 1.1]).wide
    assert interval_of([0.8, 1.0, 1.1]).wide and interval_of([0.9, 1.0, 1.2]).wide


def test_the_interval_holds_as_often_as_it_says() -> None:
    pick = random.Random(3)
    noise = [[pick.lognormvariate(0, 1) for _ in range(9)] for _ in range(2_000)]  # the median is 1
    held = sum(interval_of(values).contains(1.0) for values in noise)
    assert 0.95 < held / 2_000 < 0.975
