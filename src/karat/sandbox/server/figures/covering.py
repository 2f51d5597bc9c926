"""What hides the data of a panel: opaque shapes and pictures that are drawn in front of it, and filters of pixels.

What is behind them cannot be seen, and what is drawn on them may show anything. A shape that lets light through hides
nothing, and neither does the disc that makes a ring of a pie.
"""

from __future__ import annotations

from typing import Any  # Any: artists and axes of matplotlib, which is imported when code draws

from ..environment.libraries import numpy

OPAQUE = 0.6
"""The least opacity of what hides anything."""
HIDDEN = 0.03
"""The share of a panel that may be hidden: a mark or a box of text is no cover."""

FEW = 0.05
"""The share of bars and points that boxes of text may hide."""
MOST = 0.5
"""The same share for a legend, which is placed where there is room."""
BLOCKS = 4
"""A text with this many letters that are filled rectangles is a drawing, not words."""


def covered(axes: Any, data: list[Any], figure: Any) -> str:
    """What hides a part of the data of these axes; empty when nothing does. ``data``: the artists that were read."""
    from matplotlib.patches import Wedge

    filtered = next((one for one in (*data, axes) if one.get_agg_filter() is not None), None)
    if filtered is not None:
        return f"{type(filtered).__name__}: a filter changes how it is drawn"
    read = {id(one) for one in data}
    try:
        order = sorted(axes.get_children(), key=lambda artist: artist.get_zorder())
        lowest = next((at for at, artist in enumerate(order) if id(artist) in read), len(order))
        front = [one for one in order[lowest:] if id(one) not in read and one is not axes.patch]
        front = [] if any(isinstance(one, Wedge) for one in data) else front
        front += [one for one in (*figure.patches, *figure.images, *figure.artists) if one is not figure.patch]
        boxes = _boxes([*front, *figure.texts, *figure.legends], data, axes)
        if boxes:
            return f"{boxes}: it hides a part of the data"
        hiding = [(one, share) for one in front if _opaque(one) and (share := _share(one, axes)) > 0]
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        return "what is in front of the data cannot be read"
    if sum(share for _, share in hiding) <= HIDDEN:
        return ""
    return f"{type(hiding[0][0]).__name__}: it hides a part of the data"


def _boxes(front: list[Any], data: list[Any], axes: Any) -> str:
    """The kind of a box of text that hides data: an edge of a bar, a point. A label on each bar is too small, and the
    ground of a legend hides anything only where it is over most of the data."""
    from matplotlib.legend import Legend

    ends = _ends(data, axes)
    hidden = numpy.zeros(len(ends), dtype=bool)
    for one in front:
        box = _box(one, axes)
        if box is None:
            continue
        corners = ((ends >= box[:2]) & (ends <= box[2:])).all(axis=2)
        inside = (corners & numpy.roll(corners, 1, axis=1)).any(axis=1)  # an edge of a bar, a point
        if isinstance(one, Legend):
            if len(ends) and inside.mean() > MOST:
                return "Legend"
            continue
        hidden = hidden | inside
        if len(ends) and hidden.mean() > FEW:
            return type(one).__name__
    return ""


def _box(artist: Any, axes: Any) -> Any:
    """Left, low, right and high of what is opaque behind a text, where that takes more than a mark's room."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.colors import to_rgba
    from matplotlib.text import Text

    renderer = RendererAgg(8, 8, axes.figure.get_dpi())  # it measures texts, in a figure of any size
    ground = None
    if isinstance(artist, Text) and artist.get_text():
        if sum("\u2580" <= letter <= "\u259f" for letter in artist.get_text()) >= BLOCKS:
            found = artist.get_window_extent(renderer).extents
            return found if _large(found, axes) else None
        ground = artist.get_bbox_patch()
        if ground is not None:
            artist.update_bbox_position_size(renderer)
    elif hasattr(artist, "get_children") and hasattr(artist, "get_frame_on"):
        ground = artist.get_frame() if hasattr(artist, "get_frame") else None
        ground = ground if artist.get_frame_on() else None
    elif type(artist).__name__ in ("AnchoredText", "AnchoredOffsetbox", "AnnotationBbox"):
        artist.get_window_extent(renderer)
        ground = artist.patch if artist.patch.get_visible() else None
    if ground is None or not artist.get_visible() or not ground.get_visible() or not ground.get_fill():
        return None
    alpha = artist.get_alpha() if isinstance(artist, Text) else None
    if to_rgba(ground.get_facecolor())[3] * (1.0 if alpha is None else alpha) < OPAQUE:
        return None
    found = ground.get_window_extent(renderer).extents
    return found if _large(found, axes) else None


def _large(box: Any, axes: Any) -> bool:
    left, low, right, high = axes.bbox.extents
    across = max(0.0, min(box[2], right) - max(box[0], left))
    up = max(0.0, min(box[3], high) - max(box[1], low))
    return bool(across * up > HIDDEN * max((right - left) * (high - low), 1e-300))


def _ends(data: list[Any], axes: Any) -> Any:
    """Where the data is, on the screen: the corners of each bar; of others each point, as often."""
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    bars: list[Any] = []
    points: list[Any] = []
    for one in data:
        if isinstance(one, Rectangle):
            x, y, wide, high = one.get_x(), one.get_y(), one.get_width(), one.get_height()
            bars.append([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]])
        elif isinstance(one, Line2D):
            points.append(numpy.asarray(one.get_xydata(), dtype=float).reshape(-1, 2))
        elif isinstance(one, Collection):
            at = numpy.asarray(one.get_offsets(), dtype=float).reshape(-1, 2)
            points += [at] if len(at) > 1 else [path.vertices for path in one.get_paths()]
    places = [numpy.repeat(at[:, None, :], 4, axis=1) for at in points]
    places += [numpy.asarray(bars, dtype=float)] if bars else []
    if not places:
        return numpy.zeros((0, 4, 2))
    every = numpy.concatenate(places)
    shown = axes.transData.transform(every.reshape(-1, 2)).reshape(-1, 4, 2)
    return shown[numpy.isfinite(shown).all(axis=(1, 2))]


def hides(front: Any, axes: Any) -> bool:
    """Whether the ground of axes that are drawn later hides a part of these."""
    own = front.patch
    return front.get_zorder() >= axes.get_zorder() and _opaque(own) and _share(own, axes) > HIDDEN


def _opaque(artist: Any) -> bool:
    """Whether it is to be seen, and nothing through it."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba
    from matplotlib.image import _ImageBase
    from matplotlib.patches import ConnectionPatch, FancyArrowPatch, Patch

    alpha = artist.get_alpha()
    if not artist.get_visible() or (alpha is not None and float(numpy.max(alpha)) < OPAQUE):
        return False
    if isinstance(artist, _ImageBase):
        return True
    if isinstance(artist, (FancyArrowPatch, ConnectionPatch)):
        return False
    if isinstance(artist, Patch):
        return bool(artist.get_fill()) and to_rgba(artist.get_facecolor())[3] >= OPAQUE
    if isinstance(artist, PolyCollection):
        faces = numpy.asarray(artist.get_facecolor()).reshape(-1, 4)
        return bool(len(faces)) and bool((faces[:, 3] >= OPAQUE).any())
    return False


def _share(artist: Any, axes: Any) -> float:
    """The share of the panel that it takes."""
    left, low, right, high = axes.bbox.extents
    found = artist.get_window_extent().extents
    across = max(0.0, min(found[2], right) - max(found[0], left))
    up = max(0.0, min(found[3], high) - max(found[1], low))
    return float(across * up / max((right - left) * (high - low), 1e-300))
