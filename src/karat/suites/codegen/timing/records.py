"""What is measured of code beside its reference."""

from __future__ import annotations

from typing import Literal

import msgspec

TIME_FLOOR = 0.002
MEMORY_FLOOR = 4 * 1024**2
Clock = Literal["paired", "instructions"]
GROWS_FASTER = "grows_faster"


class Scale(msgspec.Struct, frozen=True):
    """The runs at one scale, of the code and of the reference: seconds net of an empty snippet's, and bytes."""

    scale: int
    """How many times the task's rows the tables had."""
    seconds: float
    """The code's time, without that of an empty snippet."""
    reference_seconds: float
    """The reference's time, likewise."""
    peak_memory: int
    """The code's peak memory in bytes."""
    reference_peak_memory: int
    """The reference's peak memory in bytes."""
    ran: bool = True
    """Whether the code finished within the task's limits."""
    same_time: bool = False
    """Whether no difference in time can be shown."""
    same_memory: bool = False
    """Whether no difference in memory can be shown."""
    wrong: bool = False
    """Whether the code ran but its result differs from the reference's at this scale."""
    ratio: float | None = None
    """The median of the code's time / the reference's over the pairs, with 2 ms added to each."""
    low: float | None = None
    """The lower end of the interval of that median."""
    high: float | None = None
    """The upper end of the interval of that median."""
    confidence: float | None = None
    """How certain it is that the median lies between ``low`` and ``high``."""
    pairs: int = 0
    """How many pairs of runs were measured."""

    @property
    def counts(self) -> bool:
        """Whether it got through with the right result."""
        return self.ran and not self.wrong

    @property
    def time_ratio(self) -> float:
        """Own / reference, 2 ms added to each."""
        if self.ratio is not None:
            return self.ratio
        return (self.seconds + TIME_FLOOR) / (self.reference_seconds + TIME_FLOOR)

    @property
    def time(self) -> float:
        if not self.counts:
            return 0.0
        return 1.0 if self.same_time else min(1.0, 1 / self.time_ratio)

    @property
    def memory(self) -> float:
        if self.same_memory and self.counts:
            return 1.0
        ratio = (self.reference_peak_memory + MEMORY_FLOOR) / (self.peak_memory + MEMORY_FLOOR)
        return min(1.0, ratio) if self.counts else 0.0


class GrowthPoint(msgspec.Struct, frozen=True):
    """The net seconds of the runs with this many rows, all tables together."""

    rows: int
    """Rows of all tables together."""
    seconds: tuple[float, ...]
    """The time of each run, without that of an empty snippet."""


class Curve(msgspec.Struct, frozen=True):
    """How time grows with rows: seconds = a × rows ^ exponent, from the last two sizes."""

    points: tuple[GrowthPoint, ...] = ()
    """The measurements, one per size."""
    exponent: float | None = None
    """The exponent, from the last two sizes."""
    low: float | None = None
    """The lower end of its interval."""
    high: float | None = None
    """The upper end of its interval."""
    ran_out_of_time: bool = False
    """Whether the next size ran out of time; the exponent is then the smallest that explains it."""


class Growth(msgspec.Struct, frozen=True):
    """The code's curve beside the reference's; ``reason`` says why there is none."""

    own_curve: Curve = Curve()
    """How the code's time grows."""
    reference_curve: Curve = Curve()
    """How the reference's time grows."""
    flag: str = ""
    """``grows_faster``, or empty."""
    reason: str = ""
    """Why there is no curve."""
