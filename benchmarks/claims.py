"""Every claim that a benchmark makes, in one form: this project, its peer, the ratio, the target, what it cost, and how
it grows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec


class Cost(msgspec.Struct, frozen=True):
    """Seconds on the clock, seconds of processor (user and system), and the peak of memory in MB (0: not known)."""

    wall: float
    cpu: float
    peak_mb: float = 0.0


class Claim(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One figure with its target.

    ``unit``: ``×`` for a ratio of this project and its peer, ``s``, ``MB``, or ``n^`` for a fitted exponent.
    """

    benchmark: str
    what: str
    value: float
    unit: str = "×"
    at_most: float | None = None
    at_least: float | None = None
    ours: Cost | None = None
    peer: Cost | None = None
    note: str = ""
    """What to know before believing it."""
    date: str = ""
    machine: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the other claims."""
        return self.benchmark, self.what

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    @property
    def target(self) -> str:
        """``≥ 50×``."""
        sign, limit = ("≤", self.at_most) if self.at_most is not None else ("≥", self.at_least)
        return "" if limit is None else f"{sign} {shown(limit, self.unit)}"


_found: list[Claim] = []
_benchmark = ""


def begin(benchmark: str) -> None:
    """The claims that follow are this benchmark's."""
    global _benchmark
    _benchmark = benchmark


def add(claim: Claim) -> None:
    """One more claim of the benchmark that runs. Each needs a name of its own: it is recorded by it."""
    named = msgspec.structs.replace(claim, benchmark=_benchmark)
    if named.key in {one.key for one in _found}:
        raise ValueError(f"{_benchmark} claims {claim.what!r} twice")
    _found.append(named)


def take() -> list[Claim]:
    """All claims so far, which are forgotten."""
    taken = list(_found)
    _found.clear()
    return taken


def fitted_exponent(costs: Mapping[int, float], largest: int = 3) -> float:
    """The power of the size that the cost grows with: the slope of the logarithms over the largest sizes, by least
    squares. Small sizes are left out: there the cost of starting hides the growth."""
    points = [(math.log(size), math.log(costs[size])) for size in sorted(costs)[-largest:]]
    middle, level = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    return sum((x - middle) * (y - level) for x, y in points) / sum((x - middle) ** 2 for x, _ in points)


def shown(value: float, unit: str) -> str:
    """A figure with its unit."""
    text = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"n^{text}" if unit == "n^" else f"{text}×" if unit == "×" else f"{text} {unit}"


HEAD = ("benchmark", "claim", "figure", "target", "", "CPU", "wall", "memory", "peer: CPU", "wall", "memory")


def rows(found: Sequence[Claim]) -> list[list[str]]:
    """One row for each claim."""
    return [
        [
            claim.benchmark,
            claim.what,
            shown(claim.value, claim.unit),
            claim.target,
            "" if not claim.target else "met" if claim.met else "MISSED",
            *_cost(claim.ours),
            *_cost(claim.peer),
        ]
        for claim in found
    ]


def _cost(cost: Cost | None) -> list[str]:
    if cost is None:
        return ["", "", ""]
    seconds = [f"{value:.3g} s" if value else "" for value in (cost.cpu, cost.wall)]
    return [*seconds, f"{cost.peak_mb:,.0f} MB" if cost.peak_mb else ""]
