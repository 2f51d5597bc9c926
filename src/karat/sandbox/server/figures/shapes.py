"""Pies, heatmaps and boxes of matplotlib."""

from __future__ import annotations

from typing import Any  # Any: wedges, meshes, images and the artists of boxes, with their arrays

from ..environment.libraries import numpy
from .axis import AxisReader, Names, Value, colour, plain
from .bars import MET

FIELDS = "fields"
"""Where the middle of each field of a heatmap is, and its value."""
Found = dict[str, Any]


def read_wedges(wedges: list[Any], names: Names, texts: list[Any]) -> list[Found]:
    """Pies, one for each size of ring: the share of a wedge is its angle."""
    from matplotlib.patches import Wedge

    rings: dict[float, list[Any]] = {}
    for wedge in wedges:
        rings.setdefault(round(float(wedge.r), 6), []).append(wedge)
    found: list[Found] = []
    for ring in rings.values():
        points: list[list[Value]] = []
        for place, wedge in enumerate(ring):
            label = Wedge.get_label(wedge)
            name = names.of(label, colour(wedge.get_facecolor()))
            if not name and len(texts) == len(ring):
                name = str(texts[place].get_text())[:500]
            points.append([name, plain(abs(wedge.theta2 - wedge.theta1) / 360)])
        found.append({"type": "pie", "points": points})
    return found


def read_stairs(artist: Any, names: Names) -> Found:
    """What ``stairs`` draws: counts between edges."""
    from matplotlib.patches import StepPatch

    values, edges, _ = StepPatch.get_data(artist)
    points = [[plain(left), plain(right), plain(value)] for left, right, value in zip(edges, edges[1:], values)]
    face = artist.get_facecolor() if artist.get_fill() else artist.get_edgecolor()
    name = names.of(artist.get_label(), colour(face))
    return {"type": "hist", "name": name, "points": points, "horizontal": artist.orientation == "horizontal"}


def read_mesh(mesh: Any, x: AxisReader, y: AxisReader) -> Found:
    """A QuadMesh: the value of each field, by the names of its column and row."""
    from matplotlib.collections import QuadMesh

    places = numpy.asarray(QuadMesh.get_coordinates(mesh), dtype=float)
    rows, columns = places.shape[0] - 1, places.shape[1] - 1
    values: Any = numpy.ma.filled(numpy.ma.asarray(mesh.get_array(), dtype=float), numpy.nan).reshape(rows, columns)
    across = [(places[0, at, 0] + places[0, at + 1, 0]) / 2 for at in range(columns)]
    down = [(places[at, 0, 1] + places[at + 1, 0, 1]) / 2 for at in range(rows)]
    return _matrix(values, across, down, x, y)


def read_fields(fields: Any, x: AxisReader, y: AxisReader) -> Found | None:
    """What ``pcolor`` draws: one polygon a field. The corners of those that have no value are not kept."""
    values: Any = numpy.ma.filled(numpy.ma.asarray(type(fields).get_array(fields), dtype=float), numpy.nan).reshape(-1)
    corners = [numpy.asarray(path.vertices, dtype=float)[:4] for path in type(fields).get_paths(fields)]
    if len(corners) != len(values):
        values = values[~numpy.isnan(values)]
    if len(corners) != len(values) or any(len(one) != 4 for one in corners):
        return None
    named = x.is_category, y.is_category
    points = [
        [
            x.value((one[:, 0].min() + one[:, 0].max()) / 2, near=named[0]),
            y.value((one[:, 1].min() + one[:, 1].max()) / 2, near=named[1]),
            plain(value),
        ]
        for one, value in zip(corners, values)
    ]
    return {"type": "heatmap", "points": points}


def read_image(image: Any, x: AxisReader, y: AxisReader) -> Found | None:
    """An AxesImage of one value a field; a picture in colours is no data."""
    from matplotlib.image import AxesImage

    data = AxesImage.get_array(image)
    if data is None or getattr(data, "ndim", 0) != 2:
        return None
    values: Any = numpy.ma.filled(numpy.ma.asarray(data, dtype=float), numpy.nan)
    left, right, bottom, top = (float(end) for end in AxesImage.get_extent(image))
    rows, columns = values.shape
    upper = getattr(image, "origin", "upper") == "upper"
    first, last = (top, bottom) if upper else (bottom, top)
    across = [left + (right - left) * (at + 0.5) / columns for at in range(columns)]
    down = [first + (last - first) * (at + 0.5) / rows for at in range(rows)]
    return _matrix(values, across, down, x, y)


def _matrix(values: Any, across: list[float], down: list[float], x: AxisReader, y: AxisReader) -> Found:
    columns = [x.value(place, near=x.is_category) for place in across]
    rows = [y.value(place, near=y.is_category) for place in down]
    points = [
        [columns[column], rows[row], plain(values[row, column])]
        for row in range(len(rows))
        for column in range(len(columns))
    ]
    fields = [
        (float(across[column]), float(down[row]), float(values[row, column]))
        for row in range(len(rows))
        for column in range(len(columns))
        if values[row, column] == values[row, column]
    ]
    return {"type": "heatmap", "points": points, FIELDS: fields}


def read_boxes(drawn: dict[str, list[Any]], vertical: bool, x: AxisReader, y: AxisReader, names: Names) -> Found | None:
    """What one call of ``bxp`` drew: quartiles from the box, whiskers from their lines, places from the medians."""
    axis = x if vertical else y
    count = len(drawn.get("medians", ()))
    boxes, whiskers = drawn.get("boxes", []), drawn.get("whiskers", [])
    points: list[list[Value]] = []
    met: list[float] = []
    turned = -1 if (not vertical) != axis.inverted else 1
    faces: list[tuple[int, ...]] = []
    for place in range(count):
        along, across = _ends(drawn["medians"][place], vertical)
        median = (across[0] + across[1]) / 2
        lines = [_ends(line, vertical)[1] for line in whiskers[2 * place : 2 * place + 2]]
        ends = [end for line in lines for end in line]
        if len(boxes) == count:
            low, high = _ends(boxes[place], vertical)[1]
        else:
            low, high = (max(lines[0]), min(lines[1])) if len(lines) == 2 else (median, median)
        figures = [low, median, high, min(ends, default=low), max(ends, default=high)]
        met.append(turned * (along[0] + along[1]) / 2)
        name = axis.value((along[0] + along[1]) / 2, near=True)
        points.append([name, *(plain(figure) for figure in figures)])
        if len(boxes) == count:
            face = getattr(boxes[place], "get_facecolor", None)
            faces.append(colour(face() if face is not None else boxes[place].get_color()))
    if not points:
        return None
    order = sorted(range(len(points)), key=lambda at: met[at])
    name = names.of("", faces[0]) if len(set(faces)) == 1 and faces else ""
    return {
        "type": "box",
        "name": name,
        "points": [points[at] for at in order],
        MET: [met[at] for at in order],
        "horizontal": not vertical,
    }


def _ends(artist: Any, vertical: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where an artist begins and ends, along the categories and along the values."""
    get = getattr(artist, "get_xydata", None)
    data = numpy.asarray(get() if get is not None else artist.get_path().vertices, dtype=float)
    data = data[~numpy.isnan(data).any(axis=1)]
    if get is None:
        data = data[:-1] if len(data) > 2 else data
    x, y = ((float(data[:, at].min()), float(data[:, at].max())) for at in (0, 1))
    return (x, y) if vertical else (y, x)
