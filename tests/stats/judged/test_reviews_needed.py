"""How many reviews a width needs: by hand without any, less with a good judge, and never where it cannot be reached."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from karat.stats.judged.corrected import corrected_rate
from karat.stats.judged.reviews_needed import reviews_for_width

HUMAN = [1.0] * 42 + [0.0] * 18
GOOD = [1.0] * 41 + [0.0] + [0.0] * 17 + [1.0]
COIN = [1.0, 0.0] * 30


def rest(judge: Sequence[float], count: int = 1000) -> list[float]:
    return [judge[place * len(judge) // count] for place in range(count)]


def test_without_reviews_half_are_assumed_right() -> None:
    found = reviews_for_width([], [], [1.0] * 1000, width=0.1)
    z = 1.959963984540054
    # Wilson at a half: 2·z·√(1/4n + z²/4n²)/(1 + z²/n) ≤ 0.1.
    assert found is not None

    def wide(n: int) -> float:
        return 2 * z * math.sqrt(0.25 / n + z * z / (4 * n * n)) / (1 + z * z / n)

    assert abs(found - next(n for n in range(10, 1000) if wide(n) <= 0.1)) <= 2  # an odd number is not a half


def test_a_good_judge_saves_reviews_and_what_is_found_holds() -> None:
    good = reviews_for_width(HUMAN, GOOD, rest(GOOD), width=0.1)
    coin = reviews_for_width(HUMAN, COIN, rest(COIN), width=0.1)
    assert good is not None and coin is not None and 0 < good < coin / 2
    grown = [HUMAN[place * 60 // (60 + good)] for place in range(60 + good)]
    said = [GOOD[place * 60 // (60 + good)] for place in range(60 + good)]
    found = corrected_rate(grown, said, rest(GOOD, 1000 - good))
    assert found.low is not None and found.high is not None and found.high - found.low <= 0.1


def test_nothing_more_is_needed_where_it_is_narrow_enough() -> None:
    assert reviews_for_width(HUMAN, GOOD, rest(GOOD), width=0.4) == 0


def test_a_width_that_all_reviews_would_not_reach() -> None:
    assert reviews_for_width(HUMAN, GOOD, rest(GOOD, 20), width=0.05) is None
    assert reviews_for_width([], [], [], width=0.5) is None


@pytest.mark.parametrize("width", [0.0, 1.0, -0.1, float("nan")])
def test_a_width_is_between_0_and_1(width: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        reviews_for_width(HUMAN, GOOD, [], width=width)
