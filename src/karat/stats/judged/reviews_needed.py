"""How many more reviews make the interval of a corrected rate as narrow as somebody wishes.

The sample so far is taken as typical: it is repeated to the length that is tried, the rest is cut by as much, and the
interval is computed as it will be shown. Before the first review, people are assumed to call half of the answers right
and the judge to be of no help, which needs the most reviews.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.stats.judged.corrected import corrected_rate


def reviews_for_width(
    human: Sequence[float],
    judge: Sequence[float],
    rest: Sequence[float],
    *,
    settled: Sequence[float] = (),
    width: float,
) -> int | None:
    """Reviews beyond those that there are; None where reviewing all the rest would not do.

    >>> reviews_for_width([], [], [1.0] * 1000, width=0.1)
    381
    """
    if not 0 < width < 1:
        raise ValueError("a width is between 0 and 1")
    known, others = len(human), len(rest)

    def narrow(more: int) -> bool:
        found = _projected(human, judge, rest, settled, known + more)
        return found is not None and found <= width

    if not narrow(others):
        return None
    low, high = -1, others  # low is too few, high is enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle, high)
    return high


def _projected(
    human: Sequence[float], judge: Sequence[float], rest: Sequence[float], settled: Sequence[float], reviewed: int
) -> float | None:
    """The width of the interval after ``reviewed`` reviews; None where there is no interval."""
    left = len(human) + len(rest) - reviewed
    if human:
        people, said = _spread(human, reviewed), _spread(judge, reviewed)
        found = corrected_rate(people, said, _spread(rest, left), settled=settled)
    else:
        people = [float(place % 2) for place in range(reviewed)]
        found = corrected_rate(people, [0.5] * reviewed, [0.5] * left, settled=settled)
    return None if found.low is None or found.high is None else found.high - found.low


def _spread(values: Sequence[float], count: int) -> list[float]:
    """As many values in the same proportions."""
    return [values[place * len(values) // count] for place in range(count)] if values else []
