"""How quick an answer's query is beside gold's: BIRD's figure (``bird_rves``), and one that noise does not move
(``fair_rves``).

Both come from the same runs, answer and gold alternating, each on a new connection. The fair one takes the median of
the ratios gold / answer. Where its 95 % interval touches what gold shows against itself from one run to the next, or
5 %, the two are equally quick: the ratio counts as 1. A query that is gold's own text is as quick as gold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

import msgspec

from karat.suites.answers.text_to_sql.official.rves import public_reward, reward, score

LEAST_NOISE = math.log(1.05)
SHORTEST = 1e-9
"""Seconds below which a clock says nothing."""


class Speed(msgspec.Struct, frozen=True, omit_defaults=True):
    """Runs of gold and of an answer, side by side. A ratio above 1: the answer is quicker."""

    runs: int
    """How often both queries were run."""
    bird_rves: float
    """R-VES as the BIRD benchmark defines it."""
    fair_rves: float
    """R-VES from the median ratio, with noise discounted."""
    ratio: float = 1.0
    """The median of gold's time divided by the answer's; above 1 the answer is faster."""
    low: float = 1.0
    """The lower end of the 95 % interval of that median."""
    high: float = 1.0
    """The upper end of the 95 % interval of that median."""
    noise: float = 1.0
    """How much gold's time differs from itself, as a ratio."""


WRONG = Speed(0, 0.0, 0.0)
"""An answer that is not BIRD's execution match has no speed."""


def measured(gold: Callable[[], float], answer: Callable[[], float], runs: int, *, same: bool) -> Speed:
    """``gold`` and ``answer`` run a query once and give its seconds. ``same``: the two are one text."""
    times = [(max(answer(), SHORTEST), max(gold(), SHORTEST)) for _ in range(runs)]
    ratios = [by_gold / by_answer for by_answer, by_gold in times]
    logs = [math.log(ratio) for ratio in ratios]
    low, high = median_interval(logs)
    noise = _noise([by_gold for _, by_gold in times])
    level = same or (low <= noise and high >= -noise)
    found = 1.0 if level else math.exp(median(logs))
    return Speed(
        runs,
        score(public_reward(ratios)),
        score(reward(found)),
        math.exp(median(logs)),
        math.exp(low),
        math.exp(high),
        math.exp(noise),
    )


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a median from the values in their order; all of them where there are fewer than six."""
    ordered = sorted(values)
    count = len(ordered)
    tail, place = 0.5**count, 0
    while place + 1 < count / 2 and tail + math.comb(count, place + 1) * 0.5**count <= 0.025:
        place += 1
        tail += math.comb(count, place) * 0.5**count
    return ordered[place], ordered[count - 1 - place]


def _noise(gold: Sequence[float]) -> float:
    """The largest ratio, as a logarithm, that the median of gold against itself may have by chance."""
    if len(gold) < 2:
        return LEAST_NOISE
    low, high = median_interval([math.log(one / other) for one, other in pairwise(gold)])
    return max(LEAST_NOISE, -low, high)
