"""How many cases make a batch: as many as take about 200 ms, by what the last ones took."""

from __future__ import annotations

TARGET = 0.2
"""Seconds that a batch should take: long beside the 3 ms that sending one costs, short beside a person's patience."""
LARGEST = 1_000
GROWTH = 4
"""How much larger than the last batch the next one may be: a few quick cases say little about the rest."""


class Pace:
    """The seconds per case that were measured, and the batch size that follows from them."""

    def __init__(self) -> None:
        self.size = 1
        self._seconds: float | None = None

    def measured(self, count: int, seconds: float) -> None:
        """This many cases took this long."""
        each = max(seconds, 1e-7) / count
        # Slower cases count at once, quicker ones slowly: too small a batch costs less than one that is too large.
        self._seconds = each if self._seconds is None else max(each, (self._seconds + each) / 2)
        self.size = max(1, min(LARGEST, int(TARGET / self._seconds), GROWTH * max(count, self.size // GROWTH)))
