"""How the settings of a run were chosen under a budget, in terms that any suite can fill and any page can draw.

A suite whose runs carry such a choice in their notes returns it from ``Suite.choice``. Everything is named by the suite
(``unit``, ``amount``, ``value``, ``option``), so that a page needs to know nothing about it.
"""

from __future__ import annotations

import msgspec


class Setting(msgspec.Struct, frozen=True):
    """What was chosen for one part: an option, and how much of it."""

    part: str
    option: str
    amount: int
    cost: int | None = None
    """In the choice as a whole; None where only the sum is known."""
    value: float | None = None
    again: str = ""
    """How often a resample leads to the same, in words."""


class FrontPoint(msgspec.Struct, frozen=True):
    """A choice that no other one beats in cost, passed cases and value together. One cost may have several."""

    cost: int
    passed: int
    value: float | None
    settings: tuple[Setting, ...]


class Line(msgspec.Struct, frozen=True):
    """One option of a part: its value at each amount."""

    option: str
    points: tuple[tuple[int, float], ...]


class Curves(msgspec.Struct, frozen=True):
    """The options of a part beside each other."""

    part: str
    lines: tuple[Line, ...]


class GridCell(msgspec.Struct, frozen=True):
    """Of one case and one part: at which ranks what was needed came, and what did not come at all."""

    found: tuple[int, ...] = ()
    beyond: tuple[int, ...] = ()
    """Ranks below the chosen amount."""
    nowhere: int = 0
    """Needed, and not among the values."""
    asked: bool = True
    """Whether the case needs anything here."""


class GridRow(msgspec.Struct, frozen=True):
    """A case over the parts."""

    case_id: str
    title: str
    passed: bool | None
    cells: tuple[GridCell, ...]


class HeldOut(msgspec.Struct, frozen=True):
    """Passed cases when each is left out of the choice, with a 95 % interval."""

    passed: float
    low: float
    high: float
    method: str


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    unit: str
    """What a budget is counted in: ``tokens``."""
    amount: str
    """``n``"""
    value: str
    """``recall``"""
    option: str
    """``model``"""
    cases: str
    """``questions``"""
    budget: int
    cost: int
    passed: int
    of: int
    proof: str
    settings: tuple[Setting, ...]
    held_out: HeldOut | None
    remarks: tuple[str, ...]
    front: tuple[FrontPoint, ...]
    complete: bool
    """Whether no point of the front is left out."""
    known_to: int
    """The largest budget that the front was computed for."""
    curves: tuple[Curves, ...]
    grid: tuple[GridRow, ...]
    """Worst first."""

    def at(self, budget: int) -> FrontPoint | None:
        """The best choice within a budget; None: nothing fits, or the front does not reach that far."""
        if budget > self.known_to:
            return None
        within = [point for point in self.front if point.cost <= budget]
        return max(within, key=lambda point: (point.passed, point.value or 0.0, -point.cost), default=None)
