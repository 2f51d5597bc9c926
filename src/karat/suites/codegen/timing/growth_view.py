"""How time grows with rows, as a picture: both axes logarithmic, so that the slope of a line is its exponent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from karat.core.case_form import Curve as ShownCurve
from karat.core.case_form import CurvePoint, Curves
from karat.suites.codegen.timing.records import Curve, Growth

FLOOR = 1e-5
"""Net seconds that a point is drawn at when a run took less."""


def growth_view(growth: Growth) -> Curves | None:
    """The code beside its reference; None without points."""
    named = [("code", growth.own_curve, False), ("reference", growth.reference_curve, True)]
    drawn = [(name, curve, other) for name, curve, other in named if curve.points]
    if not drawn:
        return None
    rows = [float(point.rows) for _, curve, _ in drawn for point in curve.points]
    times = [seconds for _, curve, _ in drawn for _, seconds in _medians(curve)]
    across, down = _Axis(rows), _Axis(times)
    return Curves(
        "Growth",
        tuple(
            ShownCurve(
                f"{name}: exponent {_exponent(curve)}",
                tuple(
                    CurvePoint(across.place(count), 100 - down.place(seconds), f"{count:,} rows, {_seconds(seconds)}")
                    for count, seconds in _medians(curve)
                ),
                other,
            )
            for name, curve, other in drawn
        ),
        "rows",
        "seconds",
        tuple((across.place(tick), _count(tick)) for tick in across.ticks),
        tuple((100 - down.place(tick), _seconds(tick)) for tick in down.ticks),
        growth.flag.replace("_", " "),
    )


def _medians(curve: Curve) -> list[tuple[int, float]]:
    return [(point.rows, max(median(point.seconds), FLOOR)) for point in curve.points if point.seconds]


def _exponent(curve: Curve) -> str:
    if curve.exponent is None:
        return "not known"
    least = "at least " if curve.ran_out_of_time else ""
    ends = "" if curve.low is None or curve.high is None else f" ({curve.low:.2f} – {curve.high:.2f})"
    return f"{least}{curve.exponent:.2f}{ends}"


class _Axis:
    """Whole powers of ten around the values."""

    def __init__(self, values: Sequence[float]) -> None:
        self.low = math.floor(math.log10(min(values)) + 1e-9)
        self.high = max(math.ceil(math.log10(max(values)) - 1e-9), self.low + 1)
        self.ticks = [10.0**power for power in range(self.low, self.high + 1)]

    def place(self, value: float) -> float:
        """In per cent from the low end."""
        return 100 * (math.log10(value) - self.low) / (self.high - self.low)


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
