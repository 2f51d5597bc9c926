"""A choice under a budget as a page draws it: places in per cent, sentences, and the choice at any budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from karat.core.presentation.choice import Choice, Curves, FrontPoint, GridRow, Setting

RIGHT = 97.0
"""Where the charts end, in per cent: the last label needs room."""
LEFT, WIDE = 2.0, 96.0
"""Of the small charts of ranks."""
FRONT_TOP, FRONT_HIGH = 14.0, 190.0
CURVE_TOP, CURVE_HIGH = 24.0, 136.0
DASHES = ("", "dash", "dots")
MOST_ROWS = 100


class Tick(msgspec.Struct, frozen=True):
    """A label of an axis."""

    at: float
    text: str


class Dot(msgspec.Struct, frozen=True):
    """A point of the front."""

    x: float
    y: float
    point: FrontPoint
    words: str


class DrawnLine(msgspec.Struct, frozen=True):
    """An option of a part."""

    option: str
    look: str
    key: str
    path: str


class DrawnCurves(msgspec.Struct, frozen=True):
    """A part's curves and the chosen point; no point where its amount is nothing."""

    part: str
    lines: tuple[DrawnLine, ...]
    ticks: tuple[Tick, ...]
    chosen: Dot | None
    words: str


class RankMark(msgspec.Struct, frozen=True):
    """A needed key at its rank."""

    x: float
    found: bool


class DrawnCell(msgspec.Struct, frozen=True):
    """The ranks of a case in a part."""

    marks: tuple[RankMark, ...]
    count: str
    words: str


class DrawnRow(msgspec.Struct, frozen=True):
    """A case of the grid."""

    row: GridRow
    cells: tuple[DrawnCell, ...]


class DrawnPart(msgspec.Struct, frozen=True):
    """A column of the grid: its axis, and where the chosen amount cuts it."""

    part: str
    ticks: tuple[Tick, ...]
    cut: float
    amount: int


class ChoicePage(msgspec.Struct, frozen=True):
    """All that the page draws."""

    choice: Choice
    title: str
    budget: int
    settings: tuple[Setting, ...]
    said: str
    """Where there is no choice at this budget, why."""
    low: int
    high: int
    budget_at: float
    dots: tuple[Dot, ...]
    path: str
    picked: Dot | None
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    curves: tuple[DrawnCurves, ...]
    parts: tuple[DrawnPart, ...]
    rows: tuple[DrawnRow, ...]
    more: int
    """Rows of the grid that are not on the page."""


def choice_page(choice: Choice, budget: int | None = None) -> ChoicePage:
    """The page at a budget; at that of the run where none is given."""
    wanted = choice.budget if budget is None else max(0, budget)
    point = choice.at(wanted)
    own = wanted == choice.budget
    settings = choice.settings if own else point.settings if point is not None else ()
    low, high = _range(choice)
    most = [_most_rank(choice, place) for place in range(len(choice.settings))]
    dots = tuple(_dot(choice, one, low, high) for one in choice.front)
    picked = next((dot for dot in dots if point is not None and dot.point == point), None)
    return ChoicePage(
        choice,
        _title(choice, wanted, point, own=own),
        wanted,
        settings,
        "" if settings else _why_none(choice, wanted),
        low,
        high,
        _x(wanted, low, high),
        dots,
        _steps(dots),
        picked,
        tuple(Tick(_x(cost, low, high), f"{cost:,}") for cost in _ticks(low, high)),
        tuple(Tick(_front_y(choice, n), f"{n:,}") for n in _counts(choice.of)),
        tuple(_curves(choice, curves) for curves in choice.curves),
        tuple(_part(own, rank) for own, rank in zip(choice.settings, most, strict=True)),
        tuple(_row(row, most) for row in choice.grid[:MOST_ROWS]),
        max(0, len(choice.grid) - MOST_ROWS),
    )


def _title(choice: Choice, budget: int, point: FrontPoint | None, *, own: bool) -> str:
    passed, cost = (choice.passed, choice.cost) if own else (point.passed, point.cost) if point else (None, None)
    if passed is None:
        return _why_none(choice, budget)
    return f"{passed:,} of {choice.of:,} {choice.cases} pass with {cost:,} of {budget:,} {choice.unit}"


def _why_none(choice: Choice, budget: int) -> str:
    if budget > choice.known_to:
        return f"The choice was computed for budgets up to {choice.known_to:,} {choice.unit}"
    return f"Nothing fits into {budget:,} {choice.unit}"


# -- the front --------------------------------------------------------------------------------------------------------


def _range(choice: Choice) -> tuple[int, int]:
    """The ends of the axis of costs: all points, the budget of the run, and never a single place."""
    costs = [point.cost for point in choice.front if point.cost > 0] or [max(1, choice.cost)]
    low, high = max(1, min(costs)), max(2, *costs, min(choice.known_to, 4 * max(costs)))
    low = max(1, int(low * 0.8))
    return low, max(high, 2 * low)


def _x(cost: float, low: float, high: float, wide: float = RIGHT) -> float:
    """On a log scale; what costs nothing is at its beginning."""
    share = math.log(max(cost, low) / low) / math.log(high / low)
    return round(wide * min(1.0, share), 2)


def _front_y(choice: Choice, passed: float) -> float:
    return round(FRONT_TOP + FRONT_HIGH * (1 - passed / max(1, choice.of)), 1)


def _dot(choice: Choice, point: FrontPoint, low: int, high: int) -> Dot:
    value = "" if point.value is None else f", {choice.value} {point.value:.3f}"
    words = f"{point.cost:,} {choice.unit}: {point.passed:,} of {choice.of:,}{value}"
    return Dot(_x(point.cost, low, high), _front_y(choice, point.passed), point, words)


def _steps(dots: Sequence[Dot]) -> str:
    """Level until the next point that passes more, then up: between two points there is nothing to choose. Points with
    a better value but fewer passed cases are no step."""
    if not dots:
        return ""
    rising = [dots[0]]
    for dot in dots[1:]:
        if dot.point.passed > rising[-1].point.passed:
            rising.append(dot)
    dots = rising
    parts = [f"M{dots[0].x},{dots[0].y}"]
    for before, dot in pairwise(dots):
        parts += [f"L{dot.x},{before.y}", f"L{dot.x},{dot.y}"]
    return " ".join([*parts, f"L{RIGHT},{dots[-1].y}"])


def _ticks(low: float, high: float, most: int = 7) -> list[int]:
    """1, 2 and 5 times powers of ten; only powers of ten where those are too many."""
    found = [
        int(lead * 10**power)
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for lead in (1, 2, 5)
        if low <= lead * 10**power <= high
    ]
    return found if len(found) <= most else [one for one in found if str(one)[0] == "1"] or found[:: len(found) // most]


def _counts(of: int) -> list[int]:
    """0 to all cases in at most five steps."""
    step = max(1, math.ceil(of / 4))
    return [*range(0, of, step), of] if of else [0]


# -- curves -----------------------------------------------------------------------------------------------------------


def _curves(choice: Choice, curves: Curves) -> DrawnCurves:
    most = max([2, *(n for line in curves.lines for n, _ in line.points)])
    own = next((one for one in choice.settings if one.part == curves.part), None)
    lines = []
    for place, line in enumerate(curves.lines):
        chosen = own is not None and own.option == line.option
        dash = DASHES[place % len(DASHES)]
        look = f"ln {'a' if chosen else 'n'} {dash}".rstrip()
        lines.append(DrawnLine(line.option, look, f"l{1 + place % 3}", _curve(line.points, most)))
    return DrawnCurves(
        curves.part,
        tuple(lines),
        tuple(Tick(_x(n, 1, most), f"{n:,}") for n in _ticks(1, most, 5)),
        _chosen(choice, own, most) if own is not None else None,
        f"{choice.value} against {choice.amount} for {curves.part}",
    )


def _chosen(choice: Choice, own: Setting, most: int) -> Dot | None:
    if own.value is None:
        return None
    x, y = _x(own.amount, 1, most), round(CURVE_TOP + CURVE_HIGH * (1 - own.value), 1)
    return Dot(x, y, FrontPoint(own.amount, 0, own.value, (own,)), f"{own.option}, {choice.amount} = {own.amount:,}")


def _curve(points: Sequence[tuple[int, float]], most: int) -> str:
    """Level from one amount to just before the next where something new is found."""
    parts: list[str] = []
    last = CURVE_TOP + CURVE_HIGH
    for place, (n, value) in enumerate(points):
        x, y = _x(n, 1, most), round(CURVE_TOP + CURVE_HIGH * (1 - value), 1)
        parts += [f"M{x},{y}"] if not place else [f"L{x},{last}", f"L{x},{y}"]
        last = y
    return " ".join([*parts, f"L{RIGHT},{last}"]) if parts else ""


# -- the grid ---------------------------------------------------------------------------------------------------------


def _most_rank(choice: Choice, place: int) -> int:
    ranks = (rank for row in choice.grid for rank in (*row.cells[place].found, *row.cells[place].beyond))
    return max([2, choice.settings[place].amount + 1, *ranks])


def _part(own: Setting, most: int) -> DrawnPart:
    ticks = tuple(Tick(LEFT + _x(rank, 1, most, WIDE), f"{rank:,}") for rank in _ticks(1, most, 5))
    cut = LEFT + _x(own.amount + 0.5, 1, most, WIDE) if own.amount else 0.5
    return DrawnPart(own.part, ticks, round(cut, 2), own.amount)


def _row(row: GridRow, most: Sequence[int]) -> DrawnRow:
    cells = []
    for cell, end in zip(row.cells, most, strict=True):
        marks = [RankMark(round(LEFT + _x(rank, 1, end, WIDE), 2), found=True) for rank in cell.found]
        marks += [RankMark(round(LEFT + _x(rank, 1, end, WIDE), 2), found=False) for rank in cell.beyond]
        needed = len(cell.found) + len(cell.beyond) + cell.nowhere
        count = f"{len(cell.found):,} of {needed:,}" if cell.asked else ""
        said = [f"found at rank {', '.join(map(str, cell.found))}"] if cell.found else []
        said += [f"below at rank {', '.join(map(str, cell.beyond))}"] if cell.beyond else []
        said += [f"{cell.nowhere:,} not among the values"] if cell.nowhere else []
        cells.append(DrawnCell(tuple(marks), count, "; ".join(said) or "nothing needed"))
    return DrawnRow(row, tuple(cells))
