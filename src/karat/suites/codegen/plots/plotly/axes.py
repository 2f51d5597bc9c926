"""The axes of a panel of plotly: labels, scales, ranges, and the order in which categories are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.sandbox.server.figures.tick_numbers import other_numbers
from karat.suites.codegen.plots.dates import plain_date
from karat.suites.codegen.plots.plotly.arrays import value_of, values_of
from karat.suites.codegen.plots.records import Series, Value
from karat.suites.codegen.plots.unreadable import CannotRead

NEAR = 0.03
"""How far the title of a panel may be from its middle and top, as a share of the figure."""


def text_of(found: Json) -> str:
    """A text; empty for what is none."""
    return found if isinstance(found, str) else ""


def label_of(found: Json) -> str:
    """A title, which may be written alone or with its style."""
    return text_of(found.get("text")) if isinstance(found, dict) else text_of(found)


class Axis:
    """One axis as the layout describes it."""

    def __init__(self, layout: JsonMapping, name: str) -> None:
        found = layout.get(f"{name[0]}axis{name[1:]}")
        self.stated: JsonMapping = found if isinstance(found, dict) else {}
        self.label = label_of(self.stated.get("title"))
        self.scale = "log" if self.stated.get("type") == "log" else "linear"
        self.inverted = self.stated.get("autorange") in ("reversed", "min reversed", "max reversed")
        self.range = self._range()
        self.days = self._days()
        if self.range is not None and self.range[0] > self.range[1]:
            self.inverted = True

    def _range(self) -> tuple[float, float] | None:
        ends = self.stated.get("range")
        if not isinstance(ends, list) or len(ends) != 2 or not all(isinstance(end, int | float) for end in ends):
            return None
        if self.scale == "log":
            return (10.0 ** ends[0], 10.0 ** ends[1]) if max(map(abs, ends)) < 300 else None
        return float(ends[0]), float(ends[1])

    def _days(self) -> tuple[str, str] | None:
        """The range of an axis of dates."""
        ends = self.stated.get("range")
        texts = [str(plain_date(end)) for end in ends if isinstance(end, str)] if isinstance(ends, list) else []
        return (min(texts), max(texts)) if len(texts) == 2 else None

    def tick_names(self) -> dict[Value, str]:
        """The names that its ticks are given, by the values that they are at."""
        aliases = self.stated.get("labelalias")
        if isinstance(aliases, dict):
            return {name: str(label) for name, label in aliases.items()}
        places, names = values_of(self.stated.get("tickvals")) or [], values_of(self.stated.get("ticktext")) or []
        return {place: str(name) for place, name in zip(places, names, strict=False) if name not in (None, "")}

    def other_number(self) -> str:
        """A label of a tick that says another number than its place; empty when none does."""
        around = [text_of(self.stated.get(name)) for name in ("tickprefix", "ticksuffix")]
        found = next((part for part in around if any(letter.isdigit() for letter in part)), "")
        return found or other_numbers(
            [(place, name) for one, name in self.tick_names().items() for place in _as_number(one)], self.label
        )

    def sees(self, place: float) -> bool:
        """Whether a place is within the range that is shown."""
        if self.range is None:
            return True
        low, high = sorted(self.range)
        return low <= place <= high

    def sees_day(self, value: Value) -> bool:
        """Whether a date is within the range that is shown; what is no date is no reason to leave a point out."""
        if self.days is None or not isinstance(value, str) or not value[:4].isdigit():
            return True
        return self.days[0] <= str(plain_date(value)) <= self.days[1]

    def breaks(self, value: Value) -> bool:
        """Whether a date is in one of the breaks of the axis, or a break is of a kind that is not known here."""
        for one in self.stated.get("rangebreaks") or []:
            if not isinstance(one, dict) or one.get("enabled") is False:
                continue
            bounds, listed = one.get("bounds"), one.get("values")
            day = str(plain_date(value))[:10] if isinstance(value, str) else ""
            if isinstance(listed, list):
                if any(str(plain_date(str(other)))[:10] == day for other in listed):
                    return True
            elif bounds == ["sat", "mon"] and one.get("pattern", "") not in ("hour",):
                try:
                    if date.fromisoformat(day).weekday() >= 5:
                        return True
                except ValueError:
                    return True
            elif one.get("pattern") != "hour":
                return True
        return False

    def domain(self) -> tuple[float, float]:
        """The share of the figure that it takes."""
        ends = self.stated.get("domain")
        if isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, int | float) for end in ends):
            return float(ends[0]), float(ends[1])
        return 0.0, 1.0


class Axes:
    """The pair of axes of a panel."""

    def __init__(self, layout: JsonMapping, names: tuple[str, str], traces: Sequence[JsonMapping]) -> None:
        self.x, self.y = Axis(layout, names[0]), Axis(layout, names[1])
        over = {text_of(trace.get("yaxis")) or "y" for trace in traces} - {names[1]}
        self.right_label = next((Axis(layout, name).label for name in sorted(over) if name), "")
        self.title = self._title(layout)
        self.reference_lines = _across(layout)
        self._layout = layout
        self._traces = traces

    def _title(self, layout: JsonMapping) -> str:
        notes = layout.get("annotations")
        middle, top = sum(self.x.domain()) / 2, self.y.domain()[1]
        right, centre = self.x.domain()[1], sum(self.y.domain()) / 2  # turned, beside a row of facets
        for note in notes if isinstance(notes, list) else []:
            if not isinstance(note, dict) or note.get("xref") != "paper" or note.get("yref") != "paper":
                continue
            x, y = note.get("x"), note.get("y")
            if note.get("showarrow", True) or not isinstance(x, int | float) or not isinstance(y, int | float):
                continue
            beside = note.get("textangle") in (90, -90) and abs(x - right) <= NEAR and abs(y - centre) <= NEAR
            if beside or (abs(x - middle) <= NEAR and abs(y - top) <= NEAR):
                return text_of(note.get("text"))
        return ""

    def shown(self, series: Series) -> Series:
        """The series as the axes show it: points outside of their ranges left out, categories in their order and under
        the names that their ticks are given."""
        if series.type in ("pie", "heatmap") or not series.points:
            return series
        axis, other = (self.y, self.x) if series.horizontal else (self.x, self.y)
        label = other.other_number()
        if label:
            raise CannotRead(f'a tick is labelled "{label[:40]}", which is not the number at its place')
        if series.type == "hist":
            return series
        order = {name: float(place) for place, name in enumerate(self._categories(axis, horizontal=series.horizontal))}
        kept = [point for point in series.points if axis.sees(_place(point[0], axis, order))]
        kept = [point for point in kept if axis.sees_day(point[0])]
        if series.type in ("line", "step", "scatter") and not series.right:
            kept = [point for point in kept if not isinstance(point[-1], int | float) or other.sees(float(point[-1]))]
        found = self._ordered(msgspec.structs.replace(series, points=tuple(kept)))
        names = axis.tick_names()
        places = {name: names[place] for name, place in order.items() if place in names}  # 0 is the first category
        names = {**(places if all(isinstance(point[0], str) for point in found.points) else {}), **names}
        numbers = any(not isinstance(point[0], str) for point in found.points)
        if numbers and not self._are_categories(found, names):
            return found
        points = tuple((_of_category(point[0], names.get(point[0], "")), *point[1:]) for point in found.points)
        return msgspec.structs.replace(found, points=points)

    def _are_categories(self, series: Series, names: Mapping[Value, str]) -> bool:
        """Whether the ticks name the bars at numbers: every bar has a name, and no name has a digit."""
        wordy = not any(letter.isdigit() for name in names.values() for letter in name)
        return series.type in ("bar", "box") and wordy and all(point[0] in names for point in series.points)

    def _ordered(self, series: Series) -> Series:
        """The same series with its categories from left to right, of horizontal bars from top to bottom."""
        if series.type not in ("bar", "box") or not series.points:
            return series
        axis = self.y if series.horizontal else self.x
        if all(isinstance(point[0], int | float) for point in series.points) and axis.stated.get("type") != "category":
            points = sorted(series.points, key=lambda point: _number(point[0]))
        else:
            order = {name: place for place, name in enumerate(self._categories(axis, horizontal=series.horizontal))}
            points = sorted(series.points, key=lambda point: order.get(point[0], len(order)))
        if series.horizontal != axis.inverted:
            points = points[::-1]
        return msgspec.structs.replace(series, points=tuple(points))

    def _categories(self, axis: Axis, *, horizontal: bool) -> list[Value]:
        own, other = ("y", "x") if horizontal else ("x", "y")
        sums: dict[Value, float] = {}
        for trace in self._traces:
            names, values = values_of(trace.get(own)) or [], values_of(trace.get(other)) or []
            for place, name in enumerate(names):
                value = values[place] if place < len(values) else 1
                sums[name] = sums.get(name, 0.0) + (value if isinstance(value, int | float) else 0.0)
        stated = [value_of(name) for name in axis.stated.get("categoryarray") or []]
        order = text_of(axis.stated.get("categoryorder")) or ("array" if stated else "trace")
        shown = list(sums)
        kind, _, direction = order.rpartition(" ")
        if order == "array":
            return [*stated, *(name for name in shown if name not in stated)]
        if kind in ("total", "sum", "category"):
            key = (lambda name: (sums[name], "")) if kind != "category" else (lambda name: (0.0, str(name)))
            return sorted(shown, key=key, reverse=direction == "descending")
        return shown


def _as_number(place: Value) -> list[float]:
    """The number that a tick is at; of an alias, the text that it takes the place of says it."""
    try:
        return [] if place is None else [float(place)]
    except ValueError:
        return []


def _place(value: Value, axis: Axis, order: dict[Value, float]) -> float:
    """Where a value is on an axis, in the terms of its range; the middle of the range where that is not known."""
    if axis.range is None:
        return 0.0
    if isinstance(value, int | float) and axis.stated.get("type") != "category":
        return float(value)
    if axis.stated.get("type") in ("date", "log"):
        return sum(axis.range) / 2
    return order.get(value, sum(axis.range) / 2)


def _of_category(name: Value, label: str) -> Value:
    """A category under its tick's name. One that is wrapped, cut or longer than the category still means it."""
    if not label or not isinstance(name, str | int | float):
        return name
    short, long = sorted(("".join(one.split()).casefold().rstrip(".…") for one in (str(name), label)), key=len)
    return name if isinstance(name, str) and short in long else label


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _across(layout: JsonMapping) -> tuple[float, ...]:
    """Places of lines that go across a panel."""
    shapes = layout.get("shapes")
    found: list[float] = []
    for shape in shapes[:100] if isinstance(shapes, list) else []:
        if isinstance(shape, dict):
            place = shape.get("y0") if "domain" in text_of(shape.get("xref")) else shape.get("x0")
            found += [float(place)] if isinstance(place, int | float) else []
    return tuple(found)
