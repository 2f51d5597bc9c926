"""Whether an artist is drawn where its data says, as large as that takes, and where all of it can be seen.

An artist may carry a transformation of its own, or a shape that cuts it off. What it says of its data is then not what
is drawn. A shift by a few pixels, such as that of a label or of points side by side, is no lie.
"""

from __future__ import annotations

from typing import Any  # Any: artists, axes and transformations of matplotlib, which is imported when code draws

from ..environment.libraries import numpy

SHIFT = 10.0
"""Pixels."""
ROOM = 2.0
"""Pixels that a clipping shape may lack at the edges of its axes."""
THINNEST = 1e-4
"""Of the view: a bar that is thinner, and has no edge, is not to be seen."""


def misplaced(artist: Any, axes: Any) -> str:
    """What is wrong with the place of an artist that says where it is in data; empty when nothing is."""
    try:
        if _moved(artist, axes):
            return "a transformation of its own draws it elsewhere than its data says"
        if _cut(artist, axes):
            return "a clipping shape hides a part of it"
        if _drawn_elsewhere(artist):
            return "an effect draws it elsewhere than its data says"
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        return "its place cannot be read"
    return ""


def _moved(artist: Any, axes: Any) -> bool:
    from matplotlib.collections import PathCollection

    if isinstance(artist, PathCollection):
        found = artist.get_offset_transform()
    else:
        found = getattr(artist, "get_data_transform", artist.get_transform)()
    if found is axes.transData:
        return False
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    corners = numpy.array([[left, low], [left, high], [right, low], [right, high]])
    return not bool((abs(found.transform(corners) - axes.transData.transform(corners)) <= SHIFT).all())


def _drawn_elsewhere(artist: Any) -> bool:
    """Whether effects draw it at another place only, or a second time far away, or shake it."""
    shaken = artist.get_sketch_params()
    if shaken is not None and float(shaken[0]) > SHIFT:
        return True
    effects = artist.get_path_effects() or ()
    far = any(max(map(abs, getattr(effect, "_offset", (0, 0)))) > SHIFT for effect in effects)
    strange = any(type(effect).__module__ != "matplotlib.patheffects" for effect in effects)
    return far or strange


def _cut(artist: Any, axes: Any) -> bool:
    """Whether a shape leaves less of it than its axes do. (seaborn cuts each bar along its own edge.)"""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if not artist.get_clip_on():
        return False
    path, box = artist.get_clip_path(), artist.get_clip_box()
    shapes = [] if box is None else [box.extents]
    if path is not None and path.get_fully_transformed_path() is not None:
        shapes.append(path.get_fully_transformed_path().get_extents().extents)
    room = axes.bbox.extents
    if all(_covers(shape, room) for shape in shapes):
        return False
    if isinstance(artist, (Line2D, Patch)):
        own = artist.get_path().get_extents(artist.get_transform()).extents
        room = [*numpy.maximum(own[:2], room[:2]), *numpy.minimum(own[2:], room[2:])]
    return not all(_covers(shape, room) for shape in shapes)


def _covers(shape: Any, room: Any) -> bool:
    inside = shape[0] <= room[0] + ROOM and shape[1] <= room[1] + ROOM
    return bool(inside and shape[2] >= room[2] - ROOM and shape[3] >= room[3] - ROOM)


def too_thin(thickness: float, view: tuple[float, float]) -> bool:
    """Whether a bar without an edge is too thin to be seen."""
    return abs(float(thickness)) <= THINNEST * abs(view[1] - view[0])
