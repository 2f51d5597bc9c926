"""What else is drawn over the data of matplotlib and is not read: lines and bars in the colour of the ground, thick
lines, shapes in the colours of bars, lines outside of the data, axes that lie on others."""

from __future__ import annotations

from typing import Any, Sequence  # Any: artists and axes of matplotlib

from ..environment.libraries import numpy
from .axis import FAINT, ground_of, strength

THICK = 12.0
"""Points: a line that is thicker hides what is behind it."""
LARGE = 400.0
"""Square points of a mark that hides what is behind it."""
SEEN = 0.2
"""From this strength on a shape that is not read may be taken for data."""
SHARE = 0.03
"""The share of a bar, or of a panel, that must not be hidden."""
OVER = 0.25
"""The share of a panel that other axes may take: an inset, a colour bar within it."""


def hiding_ink(axes: Any, bars: Sequence[Any], read: set[int]) -> str:
    """What is drawn like data, is not read as data, and hides data. ``bars``: the rectangles that are read."""
    from matplotlib.patches import Rectangle

    boxes = [_box(bar) for bar in bars]
    first = min((bar.get_zorder() for bar in bars), default=0.0)
    for one in axes.patches:
        if id(one) in read or not isinstance(one, Rectangle) or not _visible(one) or not _in_data(one, axes):
            continue
        own, force = _box(one), strength(one.get_facecolor(), ground_of(axes))
        parts = [(_common(own, box) / max(_size(box), 1e-300), bar, box) for bar, box in zip(bars, boxes)]
        opaque = strength(one.get_facecolor()) > 0.6 and one.get_fill()
        if force < FAINT and opaque and one.get_zorder() >= first and any(share > SHARE for share, _, _ in parts):
            return "Rectangle: it has the colour of the ground and lies over the data"
        if force >= SEEN and any(_lengthens(own, box) and _alike(one, bar) for _, bar, box in parts):
            return "Rectangle: it has the colour of a bar and makes it look longer"
    return ""


def thick_lines(axes: Any, figure: Any, read: set[int]) -> str:
    """Lines and marks so thick that they hide what is behind them, and are no data."""
    from matplotlib.collections import Collection

    for line in (*axes.lines, *figure.lines):
        opaque = _visible(line) and strength(line.get_color(), (), line.get_alpha()) > 0.6
        drawn = line.get_linestyle() not in ("None", "none", "", " ") and line.get_linewidth() > THICK
        marked = line.get_marker() not in ("None", "none", "", " ", None) and line.get_markersize() ** 2 > LARGE
        if id(line) not in read and opaque and (drawn or marked) and len(line.get_xdata()):
            return "Line2D: it is so thick that it hides a part of the data"
    for cloud in axes.collections:
        if id(cloud) in read or not _visible(cloud):
            continue
        faces = [face for face in cloud.get_facecolor() if strength(face) > 0.6]
        sizes = cloud.get_sizes() if hasattr(cloud, "get_sizes") else ()
        edges = [edge for edge in cloud.get_edgecolor() if strength(edge) > 0.6]
        wide = float(numpy.max(Collection.get_linewidth(cloud), initial=0.0))
        if (faces and any(float(size) > LARGE for size in sizes)) or (edges and wide > THICK):
            return f"{type(cloud).__name__}: it is so large that it hides a part of the data"
    return ""


def other_lines(axes: Any, read: set[int]) -> str:
    """Lines and shapes that a reader takes for data and that are not read: curves outside of the data's coordinates,
    collections of lines, filled shapes."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Polygon

    ground = ground_of(axes)
    for line in axes.lines:
        if id(line) in read or not _visible(line) or _in_data(line, axes) or line.get_linestyle() in ("None", ""):
            continue
        if strength(line.get_color(), ground, line.get_alpha()) >= SEEN and _is_curve(line.get_xydata()):
            return "Line2D: it is drawn in coordinates of its own"
    for one in axes.collections:
        if isinstance(one, LineCollection) and id(one) not in read and _visible(one):
            colours = one.get_edgecolor()
            wide = float(numpy.max(one.get_linewidth(), initial=0.0))
            seen = any(strength(each, ground) * min(1.0, wide) >= SEEN for each in colours)
            if seen and any(_is_curve(path) or _slopes(path) for path in one.get_segments()[:5000]):
                return "LineCollection has no plain form"
    for one in axes.patches:
        if isinstance(one, Polygon) and id(one) not in read and _visible(one) and _in_data(one, axes):
            many = len(numpy.unique(numpy.asarray(one.get_xy())[:, 0])) > 2 and len(one.get_xy()) > 5
            if one.get_fill() and many and strength(one.get_facecolor(), ground) >= 0.35:
                return "Polygon has no plain form"
    return ""


def lies_on(front: Any, axes: Any) -> bool:
    """Whether axes without data that is read lie on these, and hold anything that is drawn."""
    left, low, right, high = axes.bbox.extents
    own = front.bbox.extents
    across = max(0.0, min(own[2], right) - max(own[0], left))
    up = max(0.0, min(own[3], high) - max(own[1], low))
    if across * up <= OVER * max((right - left) * (high - low), 1e-300):
        return False
    drawn = (*front.lines, *front.collections, *front.patches, *front.images, *front.artists, *front.texts)
    return any(_visible(one) for one in drawn)


def _is_curve(points: Any) -> bool:
    """Whether it has points on more than one straight line along an axis, such as a bracket has."""
    data = numpy.asarray(points, dtype=float).reshape(-1, 2)
    if len(data) < 3:
        return False
    steps = numpy.abs(numpy.diff(data, axis=0))
    reach = numpy.maximum(data.max(axis=0) - data.min(axis=0), 1e-300)
    slanted = ((steps / reach) > 1e-3).all(axis=1)
    return int(slanted.sum()) > 1


def _slopes(points: Any) -> bool:
    data = numpy.asarray(points, dtype=float).reshape(-1, 2)
    return len(data) == 2 and bool((numpy.abs(data[1] - data[0]) > 1e-9 * numpy.abs(data).max()).all())


def _visible(artist: Any) -> bool:
    alpha = artist.get_alpha()
    return bool(artist.get_visible()) and (alpha is None or float(numpy.max(alpha)) >= FAINT)


def _in_data(artist: Any, axes: Any) -> bool:
    get = getattr(artist, "get_data_transform", artist.get_transform)
    return all(get().contains_branch_seperately(axes.transData))


def _box(patch: Any) -> tuple[float, float, float, float]:
    x, y, wide, high = (float(part) for part in (patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height()))
    return min(x, x + wide), min(y, y + high), max(x, x + wide), max(y, y + high)


def _size(box: Sequence[float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _common(one: Sequence[float], other: Sequence[float]) -> float:
    across = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    return across * max(0.0, min(one[3], other[3]) - max(one[1], other[1]))


def _lengthens(own: Sequence[float], bar: Sequence[float]) -> bool:
    """Whether a shape begins at a bar, or behind it, is about as wide and goes on beyond its end."""
    for along, across in ((1, 0), (0, 1)):
        common = min(own[across + 2], bar[across + 2]) - max(own[across], bar[across])
        wide = bar[across + 2] - bar[across]
        length = max(bar[along + 2] - bar[along], 1e-300)
        beyond = max(own[along + 2] - bar[along + 2], bar[along] - own[along])
        touches = own[along] <= bar[along + 2] + 0.01 * length and own[along + 2] >= bar[along] - 0.01 * length
        as_wide = wide > 0 and 0.5 * wide < common and own[across + 2] - own[across] < 1.5 * wide
        if as_wide and touches and beyond > 0.02 * length:
            return True
    return False


def _alike(one: Any, bar: Any) -> bool:
    gaps = [abs(a - b) for a, b in zip(one.get_facecolor()[:3], bar.get_facecolor()[:3])]
    return bool(max(gaps) < 0.15)
