"""Code and reference in alternation at one scale: AB, BA, AB, …, so that whatever slows the machine down meets both.

Each pair is one ratio: (own + 2 ms) / (reference + 2 ms), both net of an empty snippet's time, by the server's clock.
Time in which no processor was free does not count (the kernel keeps that account): it says nothing of the code.
While the interval of their median (``intervals``) is wider than ±15 % and there are fewer than 33, the number of pairs
is doubled, unless the score is the same to 0.05 over the whole interval (15 times as long or 20 times). If the interval
contains 1, no difference is seen. A small difference must be seen a second time, in as many new pairs: on a busy
machine one interval in fifty lies above 1 by chance.

With a counter of instructions three pairs are enough. Where two counts of the same code differ by more than 1 %, the
clock decides after all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

from karat.sandbox import Outcome
from karat.suites.codegen.timing.intervals import Interval, interval_of
from karat.suites.codegen.timing.records import TIME_FLOOR

MOST_PAIRS = 33
COUNTED_PAIRS = 3
SAME_COUNT = 0.01
COUNT_FLOOR = 5_000_000
"""Instructions that a run differs by from itself, as 2 ms are of its time."""
CLEAR = 1.5
"""A ratio above this need not be seen twice."""
PATIENCE = 5.0
"""Seconds of runs at one scale after which no further pair is begun, once there are a few."""
BUSY_PATIENCE = 3
"""On a busy machine, which lets runs wait, this many times as long."""
SETTLED = 0.05
FEW = 3
LONG = 0.5
"""Seconds of a first run that is too long to be made for nothing."""
EMPTY = "result = 0"
EMPTY_RUNS = 5


Timed = tuple[Interval, bool]
"""The median ratio with its interval, and whether a difference is seen."""


class Empty(NamedTuple):
    """What a run costs that does nothing."""

    seconds: float
    events: float | None


def empty_run(run: Callable[[str], Outcome]) -> Empty:
    """The shortest of a few, after one that does not count: more would be taken from code than it costs."""
    outcomes = [run(EMPTY) for _ in range(EMPTY_RUNS + 1)][1:]
    counts = [outcome.counted for outcome in outcomes if outcome.counted is not None]
    return Empty(min(outcome.busy for outcome in outcomes), median(counts) if counts else None)


class Pairs:
    """The runs of the code and of its reference over one set of tables."""

    def __init__(self, run: Callable[[str], Outcome], own: str, reference: str, empty: Empty) -> None:
        self._run, self._codes, self._empty = run, (own, reference), empty
        self.runs: tuple[list[Outcome], list[Outcome]] = ([], [])
        self.failed: tuple[Outcome | None, Outcome | None] = (None, None)
        """The first runs that did not end well."""
        self._turn, self._begun = 0, time.monotonic()
        self._warm_up()

    def all_ran(self) -> bool:
        return self.failed == (None, None)

    def _warm_up(self) -> None:
        """A first run of each touches what no later one has to; it counts only if it took long."""
        self._pair()
        if self.all_ran() and all(outcomes[0].wall < LONG for outcomes in self.runs):
            for outcomes in self.runs:
                outcomes.clear()

    def _pair(self) -> None:
        for which in (0, 1) if self._turn % 2 else (1, 0):
            outcome = self._run(self._codes[which])
            self.runs[which].append(outcome)
            if not outcome.ok:
                own, reference = self.failed
                self.failed = (own or outcome, reference) if which == 0 else (own, reference or outcome)
        self._turn += 1

    def until(self, count: int) -> None:
        """Go on until there are this many pairs, one has failed or the time is up."""
        while self.all_ran() and len(self.runs[0]) < count:
            if self._long() and len(self.runs[0]) >= FEW:
                return
            self._pair()

    def _long(self) -> bool:
        took = sum(outcome.busy for outcomes in self.runs for outcome in outcomes)
        return took > PATIENCE or time.monotonic() > self._begun + BUSY_PATIENCE * PATIENCE

    def net(self, which: int) -> list[float]:
        """Seconds of the code (0) or the reference (1) beyond those of an empty snippet."""
        return [max(0.0, outcome.busy - self._empty.seconds) for outcome in self.runs[which]]

    def ratios(self, start: int = 0) -> list[float]:
        """Own / reference of every pair from that one on."""
        own, reference = (self.net(which)[start:] for which in (0, 1))
        return [(one + TIME_FLOOR) / (two + TIME_FLOOR) for one, two in zip(own, reference, strict=True)]

    def by_clock(self, repeats: int) -> Timed | None:
        """The ratio with its interval, and whether a difference is seen; None when a run did not end well."""
        wanted = repeats
        self.until(wanted)
        while self.all_ran() and wanted < MOST_PAIRS and _undecided(interval_of(self.ratios())):
            wanted = min(2 * wanted, MOST_PAIRS)
            self.until(wanted)
        if not self.all_ran():
            return None
        found = interval_of(self.ratios())
        if found.contains(1.0) or found.low > CLEAR or found.high < 1:
            return found, not found.contains(1.0)
        first = len(self.runs[0])
        self.until(2 * first)
        if not self.all_ran():
            return None
        again = self.ratios(first)
        return interval_of(self.ratios()), not again or interval_of(again).low > 1

    def by_count(self) -> Timed | None:
        """The same by the counter; None where there is none, or where its counts do not repeat."""
        empty = self._empty.events
        self.until(COUNTED_PAIRS)
        counts = [[one.counted for one in outcomes if one.counted is not None] for outcomes in self.runs]
        if empty is None or not self.all_ran() or any(len(found) < len(self.runs[0]) for found in counts):
            return None
        if not all(repeats(found) for found in counts):
            return None
        own, reference = ([max(0.0, one - empty) + COUNT_FLOOR for one in found] for found in counts)
        ratios = [one / two for one, two in zip(own, reference, strict=True)]
        found = Interval(median(ratios), min(ratios) * (1 - SAME_COUNT), max(ratios) * (1 + SAME_COUNT), 1.0)
        return found, not found.contains(1.0)


def _undecided(found: Interval) -> bool:
    """Whether more pairs could change the score."""
    return found.wide and min(1.0, 1 / found.low) - min(1.0, 1 / found.high) > SETTLED


def repeats(counts: Sequence[int]) -> bool:
    """Whether the counts of one code agree within 1 %."""
    return max(counts) <= (1 + SAME_COUNT) * min(counts)
