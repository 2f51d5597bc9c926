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
        hiding = [(one, share) for one in front if _opaque(one) and (share := _share(one, axes)) > 0]
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        return "what is in front of the data cannot be read"
    if sum(share for _, share in hiding) <= HIDDEN:
        return ""
    return f"{type(hiding[0][0]).__name__}: it hides a part of the data"


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
