"""Time and memory of right code beside the reference: the same data, the same server, the median of several runs.

    performance = 0.7 × time + 0.3 × memory
    time   = geometric mean over the scales of min(1, (reference + 2 ms) / (own + 2 ms))
    memory = geometric mean over the scales of min(1, (reference + 4 MB) / (own + 4 MB))

The scales repeat the rows of the tables ×1, ×4, ×16. Two milliseconds and four megabytes are what a run differs by from itself. Code that
does not get through a scale within the task's limits has 0 there, and so has its score.

Edge cases: code that is not right, or no reference: no score. A join grows with the square of repeated rows: a scale that the reference does not get through
itself is left out, and so are scales that would take too long or too many cells. ``growth`` is the exponent b of time = a × scale^b.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from karat.sandbox import Sandbox
from karat.suites.codegen.execution import given_tables, limits_of, snippet_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.placed_tables import placed
from karat.suites.codegen.records import Task
from karat.suites.codegen.references import plain_tables
from karat.suites.codegen.scaled_tables import scaled

TIME_WEIGHT = 0.7
MEMORY_WEIGHT = 0.3
TIME_FLOOR = 0.002
MEMORY_FLOOR = 4 * 1024**2
LONG = 0.5
"""Seconds of one run after which no larger scale is tried."""


class Scale(msgspec.Struct, frozen=True):
    """Medians at one scale, of the code and of the reference: seconds and bytes."""

    scale: int
    seconds: float
    reference_seconds: float
    peak_memory: int
    reference_peak_memory: int
    ran: bool = True

    @property
    def time(self) -> float:
        return min(1.0, (self.reference_seconds + TIME_FLOOR) / (self.seconds + TIME_FLOOR)) if self.ran else 0.0

    @property
    def memory(self) -> float:
        ratio = (self.reference_peak_memory + MEMORY_FLOOR) / (self.peak_memory + MEMORY_FLOOR)
        return min(1.0, ratio) if self.ran else 0.0


class Performance(msgspec.Struct, frozen=True):
    """The score with its parts; None with the reason why there is none."""

    score: float | None
    reason: str = ""
    time: float | None = None
    memory: float | None = None
    scales: tuple[Scale, ...] = ()
    growth: float | None = None
    reference_growth: float | None = None


def performance_of(box: Sandbox, task: Task, code: str, *, passed: bool, options: Options) -> Performance:
    """Measure the code beside the reference."""
    if not options.performance:
        return Performance(None, "switched off (option performance)")
    if not task.reference:
        return Performance(None, "no reference to measure against")
    if not passed:
        return Performance(None, "only right code is measured")
    found: list[Scale] = []
    for scale in sorted(set(options.scales)):
        if found and (max(found[-1].seconds, found[-1].reference_seconds) > LONG or not found[-1].ran):
            break
        measured = _at_scale(box, task, code, scale, options.repeats_for_timing)
        if measured is None:
            break
        found.append(measured)
    if not found:
        return Performance(None, "the reference could not be measured")
    return scored(found)


def _at_scale(box: Sandbox, task: Task, code: str, scale: int, repeats: int) -> Scale | None:
    """None: this scale cannot be had, or the reference does not get through it."""
    if scale == 1:
        return _measured(box, task, code, given_tables(task), scale, repeats)
    larger = scaled(plain_tables(box, task) or {}, scale)
    if larger is None:
        return None
    with placed(task, larger) as tables:
        return _measured(box, task, code, tables, scale, repeats)


def scored(scales: Sequence[Scale]) -> Performance:
    """The formula, over what was measured."""
    time = _geometric([scale.time for scale in scales])
    memory = _geometric([scale.memory for scale in scales])
    ran = [scale for scale in scales if scale.ran]
    return Performance(
        min(1.0, max(0.0, TIME_WEIGHT * time + MEMORY_WEIGHT * memory)),
        "",
        time,
        memory,
        tuple(scales),
        _exponent([(scale.scale, scale.seconds) for scale in ran]),
        _exponent([(scale.scale, scale.reference_seconds) for scale in scales]),
    )


def _measured(box: Sandbox, task: Task, code: str, tables: Mapping[str, Any], scale: int, repeats: int) -> Scale | None:
    limits = limits_of(task)
    reference = box.measure(snippet_of(task, task.reference).code, tables, repeats=repeats, limits=limits)
    if not reference.outcome.ok:
        return None
    own = box.measure(snippet_of(task, code).code, tables, repeats=repeats, limits=limits)
    return Scale(
        scale,
        own.wall if own.outcome.ok else own.outcome.wall,
        reference.wall,
        own.peak_memory,
        reference.peak_memory,
        own.outcome.ok,
    )


def _geometric(shares: Sequence[float]) -> float:
    if min(shares) <= 0:
        return 0.0
    return math.exp(sum(math.log(share) for share in shares) / len(shares))


def _exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """The slope of the line through the logarithms, least squares; None with fewer than two scales."""
    pairs = [(math.log(scale), math.log(seconds)) for scale, seconds in points if seconds > 0]
    if len(pairs) < 2:
        return None
    middle = sum(x for x, _ in pairs) / len(pairs)
    level = sum(y for _, y in pairs) / len(pairs)
    spread = sum((x - middle) ** 2 for x, _ in pairs)
    return round(sum((x - middle) * (y - level) for x, y in pairs) / spread, 3) if spread else None
