"""What repair strategies are worth, over a whole run.

    P(right | first wrong) = wrong first answers that the strategy made right / wrong first answers
    calls, tokens, cost, seconds per additional right answer = their sums / answers made right

- All strategies are tried on the same wrong first answers. A strategy that stops early is charged only what it used.
- The interval is over tasks where a task was tried several times, and over clusters where tasks are variants.
- Differences are paired: for each wrong first answer, right (1) or not (0) by one strategy less the other. p is that of
  the exact sign test over tasks (or clusters) that differ; Holm corrects it for the number of pairs of strategies.

Edge cases: no answer made right: no price. A sum of which a part is not known is not known. All pairs alike: no
interval, p is 1.

By hand: 10 wrong first answers. repair makes 4 right with 20 calls at 0.01: 0.2 / 4 = 0.05 each. fresh makes 3 right
with 20 calls: 0.067. The difference is 0.4 − 0.3 = 0.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import msgspec

from karat.core.results.clusters import clusters_of
from karat.core.results.result import Estimate, Estimator, RunResult
from karat.suites.codegen.details import details_of
from karat.suites.codegen.repair.records import StrategyResult


class StrategyFigures(msgspec.Struct, frozen=True):
    """One strategy over all wrong first answers."""

    strategy: str
    wrong_at_first: int
    right: int
    share: Estimate
    calls: int
    no_change: int
    """How often an answer was one that it had given before."""
    tokens: float | None
    cost: float | None
    seconds: float | None
    calls_each: float | None
    """Calls per answer that was made right; the others likewise."""
    tokens_each: float | None
    cost_each: float | None
    seconds_each: float | None


class StrategyDifference(msgspec.Struct, frozen=True):
    """One strategy less another, on the same wrong first answers."""

    strategy: str
    other: str
    difference: Estimate
    p: float
    p_holm: float


Tried = tuple[str, dict[str, StrategyResult]]
"""The cluster of a wrong first answer, and what each strategy made of it."""


def tried_strategies(result: RunResult) -> list[Tried]:
    """Every wrong first answer that strategies were tried on."""
    clusters = clusters_of(result.cases) or [case.id for case in result.cases]
    found: list[Tried] = []
    for case, cluster in zip(result.cases, clusters, strict=True):
        for attempt in case.repeats or (case,):
            details = details_of(attempt)
            if details is not None and details.strategies:
                found.append((cluster, {one.strategy: one for one in details.strategies}))
    return found


def strategy_figures(tried: Sequence[Tried], estimate: Estimator) -> list[StrategyFigures]:
    """In the order in which they were tried; only answers that all of them were tried on."""
    names, complete = _complete(tried)
    clusters = [cluster for cluster, _ in complete]
    found = []
    for name in names:
        results = [by_name[name] for _, by_name in complete]
        values = [float(one.right) for one in results]
        right, calls = int(sum(values)), sum(one.times_asked for one in results)
        called = [one for one in results if one.times_asked]
        sums = [_sum([getattr(one, amount) for one in called]) for amount in ("tokens", "cost", "latency")]
        each = [None if total is None or not right else total / right for total in (calls, *sums)]
        share, unchanged = estimate(values, "rate", clusters), sum(one.ended == "no_change" for one in results)
        found.append(StrategyFigures(name, len(results), right, share, calls, unchanged, *sums, *each))
    return found


def strategy_differences(tried: Sequence[Tried], estimate: Estimator) -> list[StrategyDifference]:
    """Every pair of strategies."""
    names, complete = _complete(tried)
    clusters = [cluster for cluster, _ in complete]
    pairs = list(combinations(names, 2))
    gaps = [[float(by[one].right) - float(by[two].right) for _, by in complete] for one, two in pairs]
    chances = [_sign_test(values, clusters) for values in gaps]
    corrected = holm(chances)
    found = []
    for (one, two), values, p, p_holm in zip(pairs, gaps, chances, corrected, strict=True):
        difference = estimate(values, "quantity", clusters)
        if len(set(values)) < 2:
            difference = Estimate(difference.mean, difference.n, None, None)
        found.append(StrategyDifference(one, two, difference, p, p_holm))
    return found


def _complete(tried: Sequence[Tried]) -> tuple[list[str], list[Tried]]:
    names = list(dict.fromkeys(name for _, by_name in tried for name in by_name))
    return names, [one for one in tried if len(one[1]) == len(names)]


def _sign_test(values: Sequence[float], clusters: Sequence[str]) -> float:
    """Two-sided and exact, over the clusters whose mean is not 0."""
    sums: dict[str, float] = {}
    for cluster, value in zip(clusters, values, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value
    ups, downs = sum(total > 0 for total in sums.values()), sum(total < 0 for total in sums.values())
    count = ups + downs
    tail = sum(comb(count, heads) for heads in range(min(ups, downs) + 1))
    return min(1.0, float(2 * tail / 2**count))


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's correction, in the order given."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected, largest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = largest
    return corrected


def _sum(values: Sequence[int | float | None]) -> float | None:
    """None when a part is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
