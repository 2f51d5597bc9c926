"""Single traces of plotly as series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.invisible import is_clear, is_zero, nothing_of
from karat.suites.codegen.plots.plotly.arrays import array_of, value_of, values_of
from karat.suites.codegen.plots.plotly.axes import text_of
from karat.suites.codegen.plots.records import Point, Series, Value
from karat.suites.codegen.plots.unreadable import CannotRead

FEW = 20
"""Lines with fewer points than this mark them, where no mode is stated."""
WHISKERS = 1.5


def visible(trace: JsonMapping) -> bool:
    """Whether it is drawn at all."""
    return trace.get("visible", True) is True and not is_zero(trace.get("opacity", 1))


def _name(trace: JsonMapping) -> str:
    return text_of(trace.get("name"))


def _xy(trace: JsonMapping) -> tuple[list[Value], list[Value]]:
    """Both arrays; one that is not stated counts."""
    x, y = values_of(trace.get("x")), values_of(trace.get("y"))
    if x is None and y is None:
        return [], []
    long = len(y or []) if x is None else len(x)
    counted = _counting(trace, "x", long), _counting(trace, "y", long)
    x, y = (x if x is not None else counted[0]), (y if y is not None else counted[1])
    size = min(len(x), len(y))
    return x[:size], y[:size]


def _counting(trace: JsonMapping, axis: str, size: int) -> list[Value]:
    start, step = trace.get(f"{axis}0", 0), trace.get(f"d{axis}", 1)
    if not isinstance(start, int | float) or not isinstance(step, int | float):
        return list(range(size))
    return [value_of(float(start + place * step)) for place in range(size)]


def _bar(trace: JsonMapping, _layout: JsonMapping) -> list[Series]:
    x, y = _xy(trace)
    flat = trace.get("orientation") == "h"
    base = trace.get("base")
    if base is not None and base != 0:
        raise CannotRead("bars with a base of their own")
    if trace.get("offset") is not None and not is_zero(trace.get("offset")):
        raise CannotRead("bars beside their places")
    if is_zero(trace.get("width")) or _unseen(trace.get("marker")):
        return []
    points = zip(y, x, strict=True) if flat else zip(x, y, strict=True)
    return [Series("bar", tuple(point for point in points if point[1] is not None), _name(trace), flat)]


def _unseen(marker: Json) -> bool:
    """Whether bars of this style are not to be seen: neither they nor their outlines."""
    stated: JsonMapping = marker if isinstance(marker, dict) else {}
    outline = stated.get("line")
    outlined = isinstance(outline, dict) and not is_zero(outline.get("width", 0)) and not nothing_of(outline)
    return is_zero(stated.get("opacity")) or (is_clear(stated.get("color")) and not outlined)


def _scatter(trace: JsonMapping, _layout: JsonMapping) -> list[Series]:
    x, y = _xy(trace)
    points = tuple(zip(x, y, strict=True))
    mode = text_of(trace.get("mode")) or ("lines+markers" if len(points) < FEW else "lines")
    if nothing_of(trace.get("line")):
        mode = mode.replace("lines", "")
    if nothing_of(_marker(trace)):
        mode = mode.replace("markers", "")
    fill, stack = text_of(trace.get("fill")) or "none", text_of(trace.get("stackgroup"))
    name = _name(trace)
    if text_of(trace.get("groupnorm")):
        raise CannotRead("areas that are scaled to shares")
    if trace.get("selectedpoints") is not None and trace.get("unselected") is not None:
        raise CannotRead("points that are shown by a selection")
    if stack or fill in ("tozeroy", "tozerox"):
        return [Series("area", points, name, stacked=bool(stack))]
    band = fill in ("toself", "tonext") or (fill in ("tonexty", "tonextx") and "lines" not in mode)
    if band and "markers" not in mode:
        return []
    if "lines" in mode:
        line = trace.get("line")
        shape = line.get("shape", "linear") if isinstance(line, dict) else "linear"
        kind: Literal["line", "step"] = "step" if shape in ("hv", "vh", "hvh", "vhv") else "line"
        return [Series(kind, points, name, markers="markers" in mode)]
    return [Series("scatter", points, name)] if "markers" in mode else []


def _marker(trace: JsonMapping) -> JsonMapping:
    """The style of its marks: their colour is that of the line where none is stated."""
    marker, line = trace.get("marker"), trace.get("line")
    stated: JsonMapping = marker if isinstance(marker, dict) else {}
    colour = line.get("color") if isinstance(line, dict) else None
    return stated if "color" in stated or colour is None else {**stated, "color": colour}


def _pie(trace: JsonMapping, layout: JsonMapping) -> list[Series]:
    labels, values = values_of(trace.get("labels")), values_of(trace.get("values"))
    hidden = layout.get("hiddenlabels")
    if isinstance(hidden, list) and any(str(label) in map(str, hidden) for label in labels or []):
        raise CannotRead("a pie with wedges that are hidden")
    if labels is None:
        labels = list(range(len(values or [])))
    sums: dict[Value, float] = {}
    for label, value in zip(labels, values if values is not None else [1] * len(labels), strict=False):
        if isinstance(value, int | float) and value >= 0:
            sums[label] = sums.get(label, 0) + value
    total = sum(sums.values())
    points = tuple((label, value_of(part / total)) for label, part in sums.items()) if total else ()
    return [Series("pie", points)]


def _histogram(trace: JsonMapping, _layout: JsonMapping) -> list[Series]:
    flat = trace.get("orientation") == "h" or (trace.get("x") is None and trace.get("y") is not None)
    own, other = ("y", "x") if flat else ("x", "y")
    values, weights = values_of(trace.get(own)), values_of(trace.get(other))
    if values is None:
        return []
    function = text_of(trace.get("histfunc")) or ("count" if weights is None else "sum")
    if text_of(trace.get("histnorm")) or function not in REDUCE or _cumulative(trace):
        raise CannotRead("a histogram that is scaled, cumulated or of another function than count, sum, avg, min, max")
    rows = list(zip(values, weights if weights is not None else [1] * len(values), strict=False))
    if function == "count":
        rows = [(value, 1) for value, _ in rows]
    if any(isinstance(value, str) for value in values):
        groups: dict[Value, list[float]] = {}
        for value, weight in rows:
            if isinstance(weight, int | float):
                groups.setdefault(value, []).append(weight)
        bars = tuple((value, value_of(REDUCE[function](group))) for value, group in groups.items())
        return [Series("bar", bars, _name(trace), flat)]
    bins = trace.get(f"{own}bins")
    return [Series("hist", _binned(rows, bins, function), _name(trace), flat)]


REDUCE: dict[str, Callable[[list[float]], float]] = {
    "count": lambda group: float(len(group)),
    "sum": lambda group: float(sum(group)),
    "avg": lambda group: sum(group) / len(group),
    "min": lambda group: float(min(group)),
    "max": lambda group: float(max(group)),
}


def _cumulative(trace: JsonMapping) -> bool:
    found = trace.get("cumulative")
    return isinstance(found, dict) and bool(found.get("enabled"))


def _binned(rows: list[tuple[Value, Value]], bins: Json, function: str) -> tuple[Point, ...]:
    stated = [bins.get(name) for name in ("start", "end", "size")] if isinstance(bins, dict) else []
    numbers = [part for part in stated if isinstance(part, int | float)]
    if len(numbers) != 3 or numbers[2] <= 0 or (numbers[1] - numbers[0]) / numbers[2] > 10_000:
        raise CannotRead("a histogram without xbins (start, end, size): its bins are chosen where it is shown")
    start, end, size = numbers
    count = max(1, int(np.ceil((end - start) / size - 1e-9)))
    groups: list[list[float]] = [[] for _ in range(count)]
    for value, weight in rows:
        if isinstance(value, int | float) and isinstance(weight, int | float):
            place = int((value - start) // size)
            if 0 <= place < count:
                groups[place].append(weight)
    return tuple(
        (
            value_of(float(start + place * size)),
            value_of(float(start + (place + 1) * size)),
            value_of(REDUCE[function](group)) if group else 0,
        )
        for place, group in enumerate(groups)
    )


def _box(trace: JsonMapping, _layout: JsonMapping) -> list[Series]:
    flat = trace.get("orientation") == "h" or (trace.get("y") is None and trace.get("x") is not None)
    own, other = ("x", "y") if flat else ("y", "x")
    names, stated = values_of(trace.get(other)), [values_of(trace.get(name)) for name in STATED]
    arrays = [part for part in stated if part is not None]
    if len(arrays) == len(STATED):
        places = names if names is not None else [_name(trace)] * len(arrays[0])
        return [Series("box", tuple(zip(places, *arrays, strict=False)), _name(trace), flat)]
    values = values_of(trace.get(own))
    if values is None:
        return []
    groups: dict[Value, list[float]] = {}
    places = names if names is not None else [_name(trace)] * len(values)
    for place, value in zip(places, values, strict=False):
        if isinstance(value, int | float):
            groups.setdefault(place, []).append(value)
    method = text_of(trace.get("quartilemethod")) or "linear"
    if method != "linear":
        raise CannotRead(f'quartiles by the method "{method[:40]}"')
    return [Series("box", tuple((place, *_five(group)) for place, group in groups.items()), _name(trace), flat)]


STATED = ("q1", "median", "q3", "lowerfence", "upperfence")


def _five(group: list[float]) -> tuple[Value, ...]:
    """Quartiles as plotly.js takes them, and the last points within 1.5 times their distance."""
    q1, median, q3 = (float(part) for part in np.quantile(group, [0.25, 0.5, 0.75], method="hazen"))
    reach = WHISKERS * (q3 - q1)
    low = min([value for value in group if value >= q1 - reach], default=q1)
    high = max([value for value in group if value <= q3 + reach], default=q3)
    return tuple(value_of(float(part)) for part in (q1, median, q3, min(low, q1), max(high, q3)))


def _heatmap(trace: JsonMapping, _layout: JsonMapping) -> list[Series]:
    rows = array_of(trace.get("z"))
    colours = trace.get("colorscale")
    stops = (
        [str(one[1]) for one in colours if isinstance(one, list) and len(one) == 2] if isinstance(colours, list) else []
    )
    if trace.get("transpose") is True or (len(stops) > 1 and len(set(stops)) == 1):
        raise CannotRead("a heatmap that is turned, or of one colour")
    if rows is None or not all(isinstance(row, list | dict) for row in rows):
        return []
    matrix = [values_of(row) or [] for row in rows]
    width = max((len(row) for row in matrix), default=0)
    x, y = values_of(trace.get("x")), values_of(trace.get("y"))
    across, down = x if x is not None else list(range(width)), y if y is not None else list(range(len(matrix)))
    if len(across) < width or len(down) < len(matrix):
        raise CannotRead("a heatmap with fewer names than columns or rows")
    points = [
        (across[column], down[row], value) for row, values in enumerate(matrix) for column, value in enumerate(values)
    ]
    return [Series("heatmap", tuple(points))]


TRACES: dict[str, Callable[[JsonMapping, JsonMapping], list[Series]]] = {
    "bar": _bar,
    "scatter": _scatter,
    "scattergl": _scatter,
    "pie": _pie,
    "histogram": _histogram,
    "box": _box,
    "heatmap": _heatmap,
}
