"""The least true difference that a paired test would show with 80 % power, for the test that is really used.

The verdict is the sign-flip test's (``sign_flips``), at 5 % shared among the metrics that Holm's adjustment is over.
Two pictures of what a true difference d looks like, by what the pairs at hand do:

- **Every pair changes a little** (all differences are other than 0): differences with the spread of those seen, moved
  by d. Power as Student's test has it at the level that so few sign patterns can reach; where only "all to one side" is
  significant, the chance that all fall there. The spread seen is itself a guess: from 8 pairs it is often a quarter too
  small. So power is the mean over the true spreads that it may come from.
- **Few pairs change** (pass/fail, shares of which most stay): a case changes by the typical size s of the changes seen
  (1 when none was seen); losses keep the rate λ of the rarer direction, and gains come at the rate λ + d/s. The power
  of the exact test is then a sum over binomial probabilities; for more than 400 pairs Miettinen's formula. Changes of
  different sizes add to the spread, and so to d.

None: no difference can be shown, or nothing is known of how large a change is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from karat.stats.intervals.counted import counted
from karat.stats.intervals.quantiles import NORMAL, student_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

POWER = 0.8
EXACT = 400
"""Pairs up to which the power of pass/fail is summed up exactly."""
ROUNDING = 1e-9
GUESSES = 100
"""How many values represent all spreads that a sample may show."""
MOST_DEVIATIONS = 20.0
"""No gain beyond this many standard deviations is looked at."""
NEGLIGIBLE = 1e-12
"""A number of changes that is less likely adds nothing."""


def detectable_difference(
    differences: Floats, counts: Whole | None = None, *, bounded: bool, alpha: float = 0.05, power: float = POWER
) -> float | None:
    """The least detectable mean of such differences, one for each pair (or cluster). ``bounded``: they lie in -1…1.
    ``counts``: how often each of them comes."""
    import numpy as np

    every, own = counted(differences, counts)
    count = int(own.sum())
    scale = float(np.abs(every).max(initial=0.0))
    moved = np.abs(every) > ROUNDING * scale
    sizes, number = np.abs(every[moved]), own[moved]
    changed = int(number.sum())
    patterns = math.floor(alpha * 2.0 ** (min(count, 1_000) - 1) + ROUNDING)
    if not patterns:
        return None  # not even "all to one side" would be significant
    if not len(sizes):
        return _few_change(count, 0.0, 1.0, 1.0, alpha, power) if bounded else None
    alike = float(sizes.max() - sizes.min()) <= ROUNDING * scale
    if changed == count and not alike:
        mean = float((own * every).sum()) / count
        deviation = math.sqrt(float((own * np.square(every - mean)).sum()) / (count - 1))
        return _all_move(count, deviation, patterns, alpha, power)
    gains = int(own[every > ROUNDING * scale].sum())
    rarer = min(gains, changed - gains) / count
    square = float((number * np.square(sizes)).sum()) / changed
    return _few_change(count, rarer, float((number * sizes).sum()) / changed, square, alpha, power)


def cases_needed(n: int, detectable: float, difference: float) -> int | None:
    """About how many cases would show this difference, when n show the detectable one. None for no difference."""
    return None if not difference else math.ceil(n * (detectable / difference) ** 2)


def _all_move(count: int, deviation: float, patterns: int, alpha: float, power: float) -> float | None:
    if deviation <= 0:
        return None
    freedom = count - 1
    level = min(alpha, patterns / 2.0 ** (min(count, 1_000) - 1))
    edge, guesses = student_quantile(1 - level / 2, freedom), _spread_guesses(freedom)
    shrinking, noise = 1 - 1 / (4 * freedom), math.sqrt(1 + edge * edge / (2 * freedom))

    def enough(gain: float) -> bool:
        """Whether a gain of this many standard deviations is shown often enough, over all guesses of the deviation."""
        by_student = [NORMAL.cdf((gain * guess * math.sqrt(count) * shrinking - edge) / noise) for guess in guesses]
        one_side = [NORMAL.cdf(gain * guess) ** count for guess in guesses] if patterns == 1 else by_student
        return min(sum(by_student), sum(one_side)) >= power * len(guesses)

    gain = _least(enough, MOST_DEVIATIONS)
    return None if gain is None else gain * deviation


@lru_cache(maxsize=64)
def _spread_guesses(freedom: int) -> tuple[float, ...]:
    """Standard deviations seen in samples, divided by the true one: their quantiles (Wilson and Hilferty)."""
    part = 2 / (9 * freedom)
    places = ((place + 0.5) / GUESSES for place in range(GUESSES))
    return tuple(max(0.0, 1 - part + NORMAL.inv_cdf(place) * math.sqrt(part)) ** 1.5 for place in places)


def _few_change(count: int, rarer: float, size: float, square: float, alpha: float, power: float) -> float | None:
    """The gain that the sign test shows, in units of the typical change; and what the spread of the sizes asks for."""
    by_signs = _least(lambda gain: _signs_power(count, rarer, gain, alpha) >= power, 1 - 2 * rarer)
    if by_signs is None:
        return None
    if square <= size * size * (1 + ROUNDING):  # all changes are of one size: the signs say it all
        return size * by_signs
    by_spread = _least(lambda gain: _spread_power(count, rarer, gain, size, square, alpha) >= power, 1 - 2 * rarer)
    return size * max(by_signs, by_spread if by_spread is not None else by_signs)


def _least(enough: Callable[[float], bool], most: float) -> float | None:
    """The least gain that is enough, to a thousandth of a point; None when not even the largest is."""
    if most <= 0 or not enough(most):
        return None
    low, high = 0.0, most
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _signs_power(count: int, rarer: float, gain: float, alpha: float) -> float:
    """The chance that McNemar's exact test is significant: gains at the rate ``rarer + gain``, losses at ``rarer``."""
    import numpy as np

    if count > EXACT:
        return _spread_power(count, rarer, gain, 1.0, 1.0, alpha)
    changing = min(1.0, 2 * rarer + gain)
    region = _significant(count, alpha)
    chances = np.exp(region.ways + _log_chance(changing, np.arange(count + 1), count))
    chances[chances < NEGLIGIBLE] = 0.0
    share = _log_chance((rarer + gain) / changing, region.gains, region.changes)
    return float((chances[region.changes] * np.exp(region.ways_among + share)).sum())


class Region(NamedTuple):
    """The outcomes of the exact test that are significant, one in each place, and in how many ways they come about.
    Whatever the rates are, these are the same."""

    ways: Floats
    """The logarithm of the number of ways to have 0, 1, … changes among all pairs."""
    changes: Whole
    gains: Whole
    ways_among: Floats
    """The logarithm of the number of ways to have this number of gains among this number of changes."""


@lru_cache(maxsize=8)
def _significant(count: int, alpha: float) -> Region:
    import numpy as np

    factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, count + 1)))))
    numbers = np.arange(count + 1)
    ways = factorials[count] - factorials - factorials[::-1]
    edges = np.array([_edge(changes, alpha, factorials) for changes in range(count + 1)])
    changes, gains = np.nonzero((numbers >= edges[:, None]) & (numbers <= numbers[:, None]))
    return Region(ways, changes, gains, factorials[changes] - factorials[gains] - factorials[changes - gains])


def _edge(changes: int, alpha: float, factorials: Floats) -> int:
    """The smallest number of gains among these changes that is significant; one more than there are where none is."""
    import numpy as np

    ways = factorials[changes] - factorials[: changes + 1] - factorials[changes::-1][: changes + 1]
    above = np.cumsum(np.exp(ways - changes * math.log(2))[::-1])[::-1]
    significant = np.flatnonzero(2 * above <= alpha + ROUNDING)
    return int(significant[0]) if len(significant) else changes + 1


def _log_chance(chance: float, heads: Whole, throws: Whole | int) -> Floats:
    """The logarithm of the probability of one sequence of throws with this number of heads."""
    import numpy as np

    if chance <= 0 or chance >= 1:
        sure: Floats = np.where(heads == (throws if chance >= 1 else 0), 0.0, -np.inf)
        return sure
    found: Floats = heads * math.log(chance) + (throws - heads) * math.log1p(-chance)
    return found


def _spread_power(count: int, rarer: float, gain: float, size: float, square: float, alpha: float) -> float:
    """Miettinen's formula, with changes of different sizes: normal, with the variance that such changes have."""
    under_none = square * (2 * rarer + gain)
    variance = under_none - (size * gain) ** 2
    if variance <= 0:
        return 1.0
    edge = NORMAL.inv_cdf(1 - alpha / 2) * math.sqrt(under_none)
    return NORMAL.cdf((size * gain * math.sqrt(count) - edge) / math.sqrt(variance))
