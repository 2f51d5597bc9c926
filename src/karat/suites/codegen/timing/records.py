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
    seconds: float
    reference_seconds: float
    peak_memory: int
    reference_peak_memory: int
    ran: bool = True
    same_time: bool = False
    """No difference in time is seen."""
    same_memory: bool = False
    wrong: bool = False
    """It ran, and its result is not the reference's there."""
    ratio: float | None = None
    """The median of own / reference over the pairs, each with 2 ms added."""
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    """How sure it is that the median lies between ``low`` and ``high``."""
    pairs: int = 0

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
    seconds: tuple[float, ...]


class Curve(msgspec.Struct, frozen=True):
    """How time grows with rows: seconds = a × rows ^ exponent, from the last two sizes."""

    points: tuple[GrowthPoint, ...] = ()
    exponent: float | None = None
    low: float | None = None
    high: float | None = None
    ran_out_of_time: bool = False
    """The next size ran out of time, and the exponent is the smallest that explains it."""


class Growth(msgspec.Struct, frozen=True):
    """The code's curve beside the reference's; ``reason`` says why there is none."""

    own_curve: Curve = Curve()
    reference_curve: Curve = Curve()
    flag: str = ""
    """``grows_faster``, or empty."""
    reason: str = ""
