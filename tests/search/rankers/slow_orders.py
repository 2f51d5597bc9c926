"""Rankings written down once more, slowly: sorted lists, fractions and loops, from the words of the spec."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def slow_ranks(scores: Sequence[float]) -> list[int]:
    """1 + the number of other values that score at least as much."""
    return [1 + sum(other >= own for place, other in enumerate(scores) if place != at) for at, own in enumerate(scores)]


def slow_rrf(models: Sequence[Sequence[float]], k: int) -> list[Fraction]:
    """Σ 1 / (k + rank), exactly."""
    ranks = [slow_ranks(scores) for scores in models]
    return [sum((Fraction(1, k + of[place]) for of in ranks), Fraction()) for place in range(len(models[0]))]


def slow_minmax(scores: Sequence[float]) -> list[Fraction]:
    exact = [Fraction(score) for score in scores]
    low, high = min(exact), max(exact)
    return [(score - low) / (high - low) if high > low else Fraction() for score in exact]


def slow_reranked(first: Sequence[float], second: Sequence[float], depth: int) -> list[int]:
    """Those whose first rank is within the depth by the second scores, the others as they were."""
    ranks = slow_ranks(first)
    within = [place for place, rank in enumerate(ranks) if rank <= depth]
    inside = dict(zip(within, slow_ranks([second[place] for place in within]), strict=True))
    return [inside.get(place, rank) for place, rank in enumerate(ranks)]


def slow_mmr(near: Sequence[float], similar: Sequence[Sequence[float]], share: float, truth: int) -> int:
    """The place of the truth in the whole list, when it loses every tie and all other ties go to the first value."""
    taken: list[int] = []
    while truth not in taken:
        gains = {}
        for place in range(len(near)):
            if place not in taken:
                gain = near[place]
                if taken:
                    gain = share * near[place] - (1 - share) * max(similar[other][place] for other in taken)
                gains[place] = gain
        best = [place for place, gain in gains.items() if gain == max(gains.values())]
        taken.append(next((place for place in best if place != truth), truth))
    return len(taken)
