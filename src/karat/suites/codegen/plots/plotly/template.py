"""What a plotly figure takes from its template, the room that it has, and axes that show no numbers of their own."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.plotly.axes import text_of
from karat.suites.codegen.plots.plotly.ground import part_of
from karat.suites.codegen.plots.unreadable import CannotRead

SMALLEST = 30.0
"""Pixels along a side in which anything is to be seen."""
NO_BARS = 0.98
"""Gaps between bars that leave nothing of them."""


def with_template(layout: JsonMapping, traces: Sequence[JsonMapping]) -> tuple[JsonMapping, list[JsonMapping]]:
    """The layout and the traces with what their template says of them."""
    template = part_of(layout, "template")
    said, kinds = part_of(template, "layout"), part_of(template, "data")
    frame = dict(layout)
    for name, stated in said.items():
        if name not in ("xaxis", "yaxis", "annotations", "shapes", "images"):
            frame[name] = _merged(stated, frame.get(name)) if name in frame else stated
    for letter in "xy":
        stated = said.get(f"{letter}axis")
        own = [name for name in layout if name.startswith(f"{letter}axis")]
        for name in {*own, f"{letter}axis"}:
            if isinstance(stated, dict):
                frame[name] = _merged(stated, frame.get(name, {}))
    seen: dict[str, int] = {}
    found: list[JsonMapping] = []
    for trace in traces:
        kind = text_of(trace.get("type")) or "scatter"
        offered = kinds.get(kind)
        at = seen.get(kind, 0)
        seen[kind] = at + 1
        base = offered[at % len(offered)] if isinstance(offered, list) and offered else None
        found.append(_trace(base, trace) if isinstance(base, dict) else trace)
    return frame, found


def _trace(base: JsonMapping, trace: JsonMapping) -> JsonMapping:
    marker = {name: value for name, value in part_of(base, "marker").items() if name not in ("line", "colorbar")}
    plain = {name: value for name, value in base.items() if name not in ("type", "marker")}
    merged = _merged({**plain, **({"marker": marker} if marker else {})}, trace)
    return merged if isinstance(merged, dict) else trace


def _merged(base: Json, own: Json) -> Json:
    """Mappings part by part; anything else as it is stated."""
    if not isinstance(base, dict) or not isinstance(own, dict):
        return own
    return {**base, **{name: _merged(base.get(name), value) for name, value in own.items()}}


def check_room(layout: JsonMapping) -> None:
    """Raise CannotRead for a figure in which nothing can be seen."""
    for side, ends in (("width", "lr"), ("height", "tb")):
        size, margin = layout.get(side), part_of(layout, "margin")
        around = [found for end in ends if isinstance(found := margin.get(end), int | float)]
        if isinstance(size, int | float) and size - sum(around) < SMALLEST:
            raise CannotRead("a figure without room for what it shows")
    gaps = [layout.get(name) for name in ("bargap", "bargroupgap")]
    if any(isinstance(gap, int | float) and gap >= NO_BARS for gap in gaps):
        raise CannotRead("bars without a width")


def check_numbers(layout: JsonMapping, own: str, first: str, trace: JsonMapping) -> None:
    """Raise CannotRead where the values of a trace stand at an axis without numbers, and another axis of the panel has
    others; where the values are categories or dates of their axis; and where its labels are moved or cut."""
    axes = {name: part_of(layout, f"{name[0]}axis{name[1:]}") for name in _axes_on(layout, first)}
    mine = axes.get(own, {})
    others = [axis for name, axis in axes.items() if name != own and _numbered(axis)]
    if not _numbered(mine) and any(axis.get("range") != mine.get("range") or not mine.get("range") for axis in others):
        raise CannotRead("the axis of a series shows no numbers, and another one shows others")
    for name in (own, first, "x"):
        shift = part_of(layout, f"{name[0]}axis{name[1:]}").get("ticklabelshift", 0)
        if isinstance(shift, int | float) and abs(shift) > 15:
            raise CannotRead("labels of ticks are drawn at other places than their ticks")
    if mine.get("showexponent") == "none" and mine.get("exponentformat") != "none" and not mine.get("tickformat"):
        raise CannotRead("an axis that hides the power of its numbers")
    if trace.get("type") == "bar" and trace.get("orientation") != "h" and mine.get("type") == "category":
        raise CannotRead("bars whose values are categories")


def _axes_on(layout: JsonMapping, first: str) -> list[str]:
    found = [first]
    for name, axis in layout.items():
        if name.startswith("yaxis") and isinstance(axis, dict) and axis.get("overlaying") == first:
            found.append(f"y{name[5:]}")
    return found


def _numbered(axis: JsonMapping) -> bool:
    return axis.get("visible", True) is not False and axis.get("showticklabels", True) is not False
