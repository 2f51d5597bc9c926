"""Channels of an encoding: the field of each, what is computed of it, its label and scale."""

from __future__ import annotations

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.dates import plain_date
from karat.suites.codegen.plots.plotly.arrays import value_of
from karat.suites.codegen.plots.records import Value
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.labels import says_the_same
from karat.suites.codegen.plots.vega.transforms import Bins, grouped, reduced
from karat.suites.codegen.plots.vega.values import Row, field_of, in_unit, shown

DISCRETE = ("nominal", "ordinal")
SPLITTING = ("color", "fill", "stroke", "detail", "shape", "strokeDash")
GROUPING = (
    "x",
    "y",
    "x2",
    "y2",
    "theta",
    "xOffset",
    "yOffset",
    "row",
    "column",
    "facet",
    "size",
    "opacity",
    "text",
    *SPLITTING,
)
_TITLES = {"count": "Count of Records", "average": "Average of {}", "distinct": "Distinct of {}"}


def title_text(found: Json) -> str:
    """A title, which may be a text, lines of it, or an object with one."""
    if isinstance(found, dict):
        found = found.get("text")
    if isinstance(found, list):
        found = " ".join(str(part) for part in found)
    return found if isinstance(found, str) else ""


class Channel:
    """One channel that shows a field."""

    def __init__(self, name: str, stated: JsonMapping) -> None:
        self.name = name
        self.stated = stated
        field = stated.get("field")
        self.field = field if isinstance(field, str) else ""
        if isinstance(field, dict):
            raise CannotRead("a field that is repeated")
        aggregate = stated.get("aggregate")
        if aggregate is not None and not isinstance(aggregate, str):
            raise CannotRead("an aggregate that is no word")
        self.aggregate = aggregate or ""
        self.bin = stated.get("bin")
        self.unit = str(stated.get("timeUnit") or "")
        if isinstance(stated.get("timeUnit"), dict):
            raise CannotRead("a time unit with parameters")
        axis = stated.get("axis")
        self.axis: JsonMapping = axis if isinstance(axis, dict) else {}
        self.labelled = "labelExpr" in self.axis
        """Whether an expression labels each tick with its own number."""
        self.type = str(stated.get("type") or ("quantitative" if aggregate or self.bin else "nominal"))
        scale = stated.get("scale")
        self.scale: JsonMapping = scale if isinstance(scale, dict) else {}
        check_channel(self)

    @property
    def binned(self) -> bool:
        return self.bin not in (None, False)

    @property
    def binned_before(self) -> bool:
        """Whether the field holds bins already: their upper ends are in another field, which is not read."""
        found = self.bin == "binned" or (isinstance(self.bin, dict) and bool(self.bin.get("binned")))
        if found:
            raise CannotRead("bins that were made before")
        return False

    @property
    def discrete(self) -> bool:
        return self.type in DISCRETE or self.binned

    @property
    def key(self) -> str:
        """The name of what it shows in a row that was prepared."""
        return f"\0{self.name}"

    @property
    def label(self) -> str:
        """The label of its axis."""
        axis = self.stated.get("axis")
        for place in (axis if isinstance(axis, dict) else {}, self.stated):
            if "title" in place:
                return title_text(place["title"])
        if "axis" in self.stated and axis is None:
            return ""
        if self.aggregate:
            return _TITLES.get(self.aggregate, f"{self.aggregate.capitalize()} of {{}}").format(self.field)
        if self.binned:
            return f"{self.field} (binned)"
        return f"{self.field} ({self.unit})" if self.unit else self.field

    @property
    def scale_type(self) -> str:
        kind = self.scale.get("type")
        return str(kind) if kind in ("log", "symlog", "sqrt", "pow") else "linear"

    @property
    def range(self) -> tuple[float, float] | None:
        ends = self.scale.get("domain")
        if isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, int | float) for end in ends):
            return float(ends[0]), float(ends[1])
        return None

    def has_place(self, value: Value) -> bool:
        """Whether a category is one of those that its axis lists."""
        ends = [self.scale.get(name) for name in ("domainMin", "domainMax")]
        low, high = (end if isinstance(end, int | float) else None for end in ends)
        if isinstance(value, int | float) and (
            (low is not None and value < low) or (high is not None and value > high)
        ):
            return False
        listed = self.scale.get("domain")
        if not isinstance(listed, list) or not self.discrete or self.binned:
            return True
        return any(value_of(one) == value for one in listed)

    def sees(self, value: Value) -> bool:
        """Whether a number or date is within the range that its axis states."""
        if self.range is not None:
            return not isinstance(value, int | float) or min(self.range) <= value <= max(self.range)
        ends = self.scale.get("domain")
        days = [shown(end, "temporal") for end in ends] if isinstance(ends, list) and self.type == "temporal" else []
        texts = sorted(str(plain_date(day)) for day in days if isinstance(day, str))
        return len(texts) != 2 or not isinstance(value, str) or texts[0] <= str(plain_date(value)) <= texts[1]


def check_channel(channel: Channel) -> None:
    """Raise CannotRead for what is computed where the plot is shown, or draws values at other places."""
    stated, legend, header = channel.stated, channel.stated.get("legend"), channel.stated.get("header")
    for part in (legend, header):
        if isinstance(part, dict) and "labelExpr" in part and not says_the_same(str(part["labelExpr"])):
            raise CannotRead("names that are computed")
    if "impute" in stated:
        raise CannotRead("values that are filled in where there are none")
    if channel.name in ("x", "y") and isinstance(channel.scale.get("range"), list):
        raise CannotRead("an axis with a range of its own in pixels")
    if channel.type == "quantitative" and channel.axis.get("formatType") == "time":
        raise CannotRead("numbers that are labelled as times")


def channels_of(encoding: JsonMapping) -> dict[str, Channel]:
    """Every channel that shows a field or counts rows."""
    found: dict[str, Channel] = {}
    for name, stated in encoding.items():
        if isinstance(stated, dict) and ("field" in stated or "aggregate" in stated):
            found[name] = Channel(name, stated)
    return found


def prepared(rows: list[Row], channels: dict[str, Channel]) -> list[Row]:
    """Rows as they are drawn, with what each channel shows under its key; aggregated where a channel is."""
    used = {name: channel for name, channel in channels.items() if name in GROUPING}
    bins = {
        name: Bins([field_of(row, channel.field) for row in rows], channel.bin)
        for name, channel in used.items()
        if channel.binned and not channel.binned_before
    }
    plain = {name: channel for name, channel in used.items() if not channel.aggregate}
    made: list[Row] = []
    for row in rows:
        fresh = dict(row)
        for name, channel in plain.items():
            value = field_of(row, channel.field)
            if name in bins:
                fresh[channel.key] = bins[name].edges(value) if isinstance(value, int | float) else None
            elif channel.unit and value is not None:
                fresh[channel.key], fresh[f"{channel.key} sorted"] = in_unit(value, channel.unit)
            else:
                fresh[channel.key] = shown(value, channel.type)
        made.append(fresh)
    if len(plain) == len(used):
        return made
    found: list[Row] = []
    for group in grouped(made, lambda row: tuple(repr(row[channel.key]) for channel in plain.values())):
        first = dict(group[0])
        for channel in used.values():
            if channel.aggregate:
                first[channel.key] = reduced(channel.aggregate, [field_of(row, channel.field) for row in group])
        found.append(first)
    return found


def drawn_value(row: Row, channel: Channel) -> Value:
    """What a channel shows of a row."""
    found = row.get(channel.key)
    if isinstance(found, tuple):
        return f"{found[0]:g} – {found[1]:g}"
    return shown(found, channel.type if isinstance(found, int | float) and not channel.unit else "")
