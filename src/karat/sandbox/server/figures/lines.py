"""Lines, steps, areas and clouds of points of matplotlib.

Left out are lines across the whole panel (they are reference lines), the lines of error bars, bands around a line, and
lines that seaborn fits to what it draws.
A filled area whose edge a line follows is one series; so are a line and the points drawn on it.
"""

from __future__ import annotations

from typing import Any  # Any: lines, collections and their arrays, as matplotlib gives them

from ..environment.libraries import numpy
from .axis import FAINT, AxisReader, Names, Value, colour, ground_of, plain, strength
from .tick_numbers import says_number

Found = dict[str, Any]
NONE = ("None", "none", "", " ", None)
MOST_COLOURS = 50
GAPS = 40.0
"""Widths of a line: gaps that are longer than this, and than ten times the dashes, hide most of it."""
MANY = 50
"""This many points that are hardly visible one by one are visible together."""


class Line:
    """A Line2D with its points in data coordinates."""

    def __init__(self, artist: Any, fitted: bool = False) -> None:
        from matplotlib.lines import Line2D

        self.fitted = fitted

        data = numpy.asarray(Line2D.get_xydata(artist), dtype=float).reshape(-1, 2)
        self.x, self.y = data[:, 0], data[:, 1]
        self.label = artist.get_label()
        self.step = str(Line2D.get_drawstyle(artist)).startswith("steps")
        self.markers = Line2D.get_marker(artist) not in NONE
        ground = () if artist.get_path_effects() else ground_of(artist.axes)  # a white line may have an outline
        alpha, dots = Line2D.get_alpha(artist), artist.axes.figure.get_dpi() / 72
        wide = min(1.0, float(Line2D.get_linewidth(artist)) * dots)
        self.drawn = Line2D.get_linestyle(artist) not in NONE and not _hardly_dashed(artist)
        self.drawn = self.drawn and wide * strength(Line2D.get_color(artist), ground, alpha) >= FAINT
        faces = Line2D.get_markerfacecolor(artist), Line2D.get_markeredgecolor(artist)
        large = min(1.0, (float(Line2D.get_markersize(artist)) * dots) ** 2)
        many = 1 + len(data) / MANY
        seen = max(strength(face, ground, alpha) for face in faces) * large * many
        self.markers = self.markers and seen >= FAINT
        every = Line2D.get_markevery(artist)
        self.some = self.markers and not self.drawn and every is not None and every != 1
        """Whether it shows some of its points only."""
        self.colours = [colour(Line2D.get_color(artist)), colour(Line2D.get_markerfacecolor(artist))]

    @property
    def shows(self) -> bool:
        return bool(len(self.x)) and (self.drawn or self.markers)

    def is_interval_of(self, others: list[Line], bars: list[tuple[float, float]]) -> bool:
        """Whether it is the line of an error bar: straight up or across, over the end of a bar or a point of a line."""
        if isinstance(self.label, str) and self.label and not self.label.startswith("_"):
            return False
        x, y = self.x[~numpy.isnan(self.x)], self.y[~numpy.isnan(self.y)]
        if len(x) < 2 or len(y) < 2:
            return len(x) == 0 or len(y) == 0 or self._over(x, y, others, bars)
        return self._over(x, y, others, bars)

    def _over(self, x: Any, y: Any, others: list[Line], bars: list[tuple[float, float]]) -> bool:
        kinds = len(numpy.unique(x)), len(numpy.unique(y))
        upright, lying = (
            (len(x), kinds[0]) == (2, 1) or kinds == (3, 2),
            (len(y), kinds[1]) == (2, 1) or kinds == (2, 3),
        )
        if self.markers or not (upright or lying) or len(x) not in (2, 6):  # 6: with a cap at both ends
            return False
        middle_x, middle_y = (x.min() + x.max()) / 2, (y.min() + y.max()) / 2
        for left, right in bars:
            at = middle_x if upright else middle_y
            if left <= at <= right:
                return True
        for other in others:
            if other is self or len(other.x) < 3:
                continue
            near = numpy.isclose(other.x, middle_x) if upright else numpy.isclose(other.y, middle_y)
            low, high, there = (y.min(), y.max(), other.y) if upright else (x.min(), x.max(), other.x)
            if bool(numpy.any(near & (there >= low) & (there <= high))):
                return True
        return False


class Area:
    """A filled area: its two edges over the same places."""

    def __init__(self, artist: Any) -> None:
        from matplotlib.collections import PolyCollection

        paths: Any = PolyCollection.get_paths(artist)
        upper, lower = [], []
        for path in paths:
            count = (len(path.vertices) - 3) // 2
            upper.append(path.vertices[1 : count + 1])
            lower.append(path.vertices[count + 2 : 2 * count + 2][::-1])
        none = numpy.empty((0, 2))
        top, bottom = (numpy.concatenate(part) if part else none for part in (upper, lower))
        turned = getattr(artist, "t_direction", "x") == "y"
        self.x = top[:, 1] if turned else top[:, 0]
        self.top, self.bottom = (edge[:, 0] if turned else edge[:, 1] for edge in (top, bottom))
        self.turned = turned
        self.label = artist.get_label()
        face = PolyCollection.get_facecolor(artist)
        self.colour = colour(face[0]) if len(face) else ()

    @property
    def shows(self) -> bool:
        return len(self.x) > 0 and len(self.x) == len(self.top) == len(self.bottom)

    def stand_on(self, edges: list[Any]) -> bool:
        """Find its lower edge: the one that is 0, or the edge of another area. Whether it is the latter."""
        for upper, lower in ((self.top, self.bottom), (self.bottom, self.top)):
            if bool(numpy.all(lower == 0)):
                self.top, self.bottom = upper, lower
                return False
        for upper, lower in ((self.top, self.bottom), (self.bottom, self.top)):
            if any(len(edge) == len(lower) and numpy.allclose(edge, lower, equal_nan=True) for edge in edges):
                self.top, self.bottom = upper, lower
                return True
        return False

    def follows(self, line: Line) -> bool:
        """Whether the line is one of its edges."""
        if len(line.x) != len(self.x) or not numpy.allclose(line.x, self.x, equal_nan=True):
            return False
        return any(numpy.allclose(line.y, edge, equal_nan=True) for edge in (self.top, self.bottom))

    def is_band_of(self, line: Line) -> bool:
        """Whether it lies around the line, or is a band between two lines on both sides of zero."""
        if len(line.x) < 2 or self.follows(line):
            return False
        low, high = numpy.minimum(self.top, self.bottom), numpy.maximum(self.top, self.bottom)
        order = numpy.argsort(line.x)
        at = numpy.interp(self.x, line.x[order], line.y[order])
        slack = 1e-9 * max(float(numpy.nanmax(numpy.abs(high), initial=0)), 1e-300)
        return bool(numpy.all((at >= low - slack) & (at <= high + slack))) and bool(numpy.any(low != 0))


def read_lines(
    lines: list[Line],
    areas: list[Area],
    bars: list[tuple[float, float]],
    axes: tuple[AxisReader, AxisReader],
    names: Names,
) -> list[Found]:
    """The series of these lines and areas."""
    x, y = axes
    lines = [line for line in lines if line.shows]
    lines = [line for line in lines if not line.is_interval_of(lines, bars)]
    areas = [area for area in areas if area.shows and not any(area.is_band_of(line) for line in lines)]
    lines = [line for line in lines if not line.fitted]
    found: list[Found] = []
    used: list[Line] = []
    edges: list[Any] = []
    for area in areas:
        edge = next((line for line in lines if line not in used and area.follows(line)), None)
        if edge is not None:
            used.append(edge)
        own = area.label if edge is None or not _is_name(edge.label) else edge.label
        below = area.stand_on(edges)
        edges.append(area.top)
        points = _points(area.x, area.top - area.bottom, x, y, area.top)
        colours = [area.colour, *(edge.colours if edge is not None else ())]
        found.append({"type": "area", "name": names.of(own, *colours), "points": points, "stacked": below})
    if any(one["stacked"] for one in found):
        found = [{**one, "stacked": True} for one in found]
    for line in lines:
        if line not in used:
            kind = "step" if line.step else "line" if line.drawn else "scatter"
            points = _points(line.x, line.y, x, y)
            name = names.of(line.label, *line.colours)
            found.append({"type": kind, "name": name, "points": points, "markers": line.markers and line.drawn})
    return found


def _is_name(label: Any) -> bool:
    return isinstance(label, str) and bool(label) and not label.startswith("_")


def _points(xs: Any, ys: Any, x: AxisReader, y: AxisReader, ends: Any = None) -> list[list[Value]]:
    """Those within the view, in their order. ``ends``: where they are drawn, if their values are not that."""
    order = numpy.flatnonzero(x.sees(xs) & y.sees(ys if ends is None else ends)).tolist()
    if x.is_category and x.covers(value for value in xs if value == value):
        order = sorted(order, key=lambda place: xs[place], reverse=x.inverted)
        return [[x.value(xs[at]), _value(y, ys[at])] for at in order]
    if x.dates or x.freq is not None:
        return [[x.value(xs[at]) if not x.is_category else _bare(x, xs[at]), _value(y, ys[at])] for at in order]
    return [[plain(xs[at]), _value(y, ys[at])] for at in order]


def _bare(axis: AxisReader, place: Any) -> Value:
    return axis.value(place)


def _value(axis: AxisReader, place: Any) -> Value:
    found = axis.value(place) if axis.dates or axis.is_category else plain(place)
    return plain(place) if isinstance(found, str) and not axis.dates and says_number(found, float(place)) else found


def read_clouds(artists: list[Any], x: AxisReader, y: AxisReader, names: Names) -> list[Found]:
    """The series of clouds of points; one that has the colours of the legend is split by them."""
    from matplotlib.collections import PathCollection

    found: list[Found] = []
    for artist in artists:
        data: Any = numpy.ma.filled(numpy.ma.asarray(PathCollection.get_offsets(artist), dtype=float), numpy.nan)
        data = data.reshape(-1, 2)
        seen = _visible_points(artist, len(data))
        faces = PathCollection.get_facecolor(artist)
        if not len(faces):
            faces = PathCollection.get_edgecolor(artist)
        faces = faces[seen] if len(faces) == len(data) else faces
        data = data[seen]
        own = [colour(face) for face in faces] if len(faces) in (1, len(data)) else []
        kinds = list(dict.fromkeys(own)) if len(own) <= 100_000 else []
        split = 1 < len(kinds) <= MOST_COLOURS and all(kind in names.by_colour for kind in kinds)
        if not split:
            name = names.of(artist.get_label(), *kinds[:1] if len(kinds) == 1 else ())
            found.append({"type": "scatter", "name": name, "points": _points(data[:, 0], data[:, 1], x, y)})
            continue
        for kind in kinds:
            mine = numpy.array([one == kind for one in own])
            points = _points(data[mine, 0], data[mine, 1], x, y)
            found.append({"type": "scatter", "name": names.by_colour[kind], "points": points})
    return [one for one in found if one["points"]]


def shows_points(artist: Any) -> bool:
    """Whether any point of a cloud is to be seen."""
    return bool(_visible_points(artist, len(artist.get_offsets())).any())


def _visible_points(artist: Any, count: int) -> Any:
    """Which points have a size, of a cloud that has a colour at all."""
    from matplotlib.collections import PathCollection

    sizes = numpy.asarray(PathCollection.get_sizes(artist), dtype=float)
    faces, edges = PathCollection.get_facecolor(artist), PathCollection.get_edgecolor(artist)
    ground, many = ground_of(artist.axes), 1 + count / MANY
    if all(strength(one, ground) * many < FAINT for one in (*faces, *edges)):
        return numpy.zeros(count, dtype=bool)
    dots = (artist.axes.figure.get_dpi() / 72) ** 2
    large = numpy.minimum(1.0, sizes * dots) * many >= FAINT
    return numpy.resize(large, count) if len(sizes) else numpy.ones(count, dtype=bool)


def _hardly_dashed(artist: Any) -> bool:
    """Whether a line of dashes is nearly all gaps."""
    found = getattr(artist, "_unscaled_dash_pattern", None) or (0, None)
    parts = [float(part) for part in found[1] or ()]
    gaps = parts[1::2]
    return bool(gaps) and sum(parts) > 0 and sum(gaps) > GAPS and sum(gaps) > 10 * (sum(parts) - sum(gaps))


def marked(found: list[Found]) -> list[Found]:
    """A line and the very same points on it are one line with markers."""
    lines = [one for one in found if one["type"] == "line"]
    kept = []
    for one in found:
        shown = sorted(map(repr, one["points"])) if one["type"] == "scatter" else None
        twin = next((line for line in lines if sorted(map(repr, line["points"])) == shown), None)
        if twin is None or (one["name"] and twin["name"] and one["name"] != twin["name"]):
            kept.append(one)
        else:
            twin["markers"] = True
            twin["name"] = twin["name"] or one["name"]
    return kept
