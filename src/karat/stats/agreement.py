"""How far people agree with the rule, and with one another.

- Agreement: the share of cases on which both say the same, with Wilson's 95 % interval; beside it what a rule would
  reach that always says the same.
- Cohen's kappa: agreement beyond what the two margins give by chance, κ = (po - pe) / (1 - pe), with the interval of
  Fleiss, Cohen and Everitt (1969): κ ± 1.96 standard errors, cut at -1 and 1. No interval where the standard error is
  0: all agree, or one side always says the same (then κ is 0). Not defined where both always say the same.
- Several people: Krippendorff's alpha for nominal data, 1 - Do / De over the cases that two or more have seen. It takes
  any number of verdicts for a case, and people who have seen other cases, which neither Cohen's nor Fleiss' kappa
  does. Pairs of people have their kappa, so that one sees who differs from whom.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from karat.core.results.result import Estimate
from karat.stats.intervals.rates import wilson

Z = 1.959963984540054


class Confusion(msgspec.Struct, frozen=True):
    """Two sides that say right or wrong of the same cases, counted."""

    both_right: int = 0
    only_first: int = 0
    """Right by the first, wrong by the second."""
    only_second: int = 0
    both_wrong: int = 0

    @property
    def n(self) -> int:
        """All cases."""
        return self.both_right + self.only_first + self.only_second + self.both_wrong

    @property
    def agreeing(self) -> int:
        """Cases on which both say the same."""
        return self.both_right + self.both_wrong


class Pair(msgspec.Struct, frozen=True):
    """Two people and the cases that both have seen."""

    first: str
    second: str
    counts: Confusion
    kappa: Estimate


def confusion(pairs: Iterable[tuple[bool, bool]]) -> Confusion:
    """From what the first and the second say of each case."""
    counts = Counter(pairs)
    return Confusion(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def agreement(counts: Confusion) -> Estimate:
    """The share of cases on which both say the same."""
    if not counts.n:
        return Estimate(None, 0, None, None)
    return Estimate(counts.agreeing / counts.n, counts.n, *wilson(counts.agreeing, counts.n))


def constant(counts: Confusion) -> tuple[str, Estimate]:
    """The best that a first side could reach that always says the same: (``right`` or ``wrong``, its agreement)."""
    right = counts.both_right + counts.only_second
    best = max(right, counts.n - right)
    if not counts.n:
        return "right", Estimate(None, 0, None, None)
    return ("right" if best == right else "wrong"), Estimate(best / counts.n, counts.n, *wilson(best, counts.n))


def kappa(counts: Confusion) -> Estimate:
    """Cohen's kappa with its interval; see the top of this file."""
    n = counts.n
    if not n:
        return Estimate(None, 0, None, None)
    table = ((counts.both_right / n, counts.only_first / n), (counts.only_second / n, counts.both_wrong / n))
    first = [sum(row) for row in table]
    second = [table[0][place] + table[1][place] for place in (0, 1)]
    chance = sum(a * b for a, b in zip(first, second, strict=True))
    if math.isclose(chance, 1.0):
        return Estimate(None, n, None, None)
    value = (table[0][0] + table[1][1] - chance) / (1 - chance)
    if 1.0 in (*first, *second):
        return Estimate(0.0, n, None, None)
    agreed = sum(table[i][i] * (1 - (first[i] + second[i]) * (1 - value)) ** 2 for i in (0, 1))
    missed = (1 - value) ** 2 * sum(table[i][1 - i] * (second[i] + first[1 - i]) ** 2 for i in (0, 1))
    variance = (agreed + missed - (value - chance * (1 - value)) ** 2) / ((1 - chance) ** 2 * n)
    error = math.sqrt(max(variance, 0.0))
    if error < 1e-12:
        return Estimate(value, n, None, None)
    return Estimate(value, n, max(-1.0, value - Z * error), min(1.0, value + Z * error))


def alpha(votes: Iterable[Sequence[str]]) -> Estimate:
    """Krippendorff's alpha over the verdicts on each case; ``n``: the cases that two or more have seen."""
    seen = [Counter(given) for given in votes if len(given) > 1]
    total = sum(sum(counts.values()) for counts in seen)
    if total < 2:
        return Estimate(None, len(seen), None, None)
    differing = sum(_unequal_pairs(counts) / (sum(counts.values()) - 1) for counts in seen)
    margins: Counter[str] = Counter()
    for counts in seen:
        margins.update(counts)
    expected = _unequal_pairs(margins) / (total - 1)
    return Estimate(1 - differing / expected if expected else None, len(seen), None, None)


def pairs_of(verdicts: Mapping[str, Mapping[str, bool]], most: int = 10) -> list[Pair]:
    """Every two people with common cases, those with the most first. ``verdicts``: person → case → right."""
    found = []
    for first, second in combinations(sorted(verdicts), 2):
        one, other = verdicts[first], verdicts[second]
        counts = confusion((one[case], other[case]) for case in one if case in other)
        if counts.n:
            found.append(Pair(first, second, counts, kappa(counts)))
    return sorted(found, key=lambda pair: (-pair.counts.n, pair.first, pair.second))[:most]


def _unequal_pairs(counts: Counter[str]) -> int:
    """Ordered pairs of different words."""
    total = sum(counts.values())
    return total * total - sum(number * number for number in counts.values())
