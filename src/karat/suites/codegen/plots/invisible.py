"""What a specification draws and nobody can see: marks without a colour, a width or a size, and what others hide."""

from __future__ import annotations

import re

from karat.core.json_types import Json, JsonMapping

_CLEAR = re.compile(r"transparent|none|(?:rgb|hsl)a?\(.*[,/]\s*0*(?:\.0+)?%?\s*\)|#[0-9a-f]{6}00|#[0-9a-f]{3}0", re.I)
_ALPHA = re.compile(r"(?:rgb|hsl)a\(.*,\s*([0-9]*\.?[0-9]+)\s*\)", re.I)
_OPAQUE = re.compile(r"(?:rgb|hsl)\([^,/]*,[^,/]*,[^,/]*\)", re.I)

OPAQUE = 0.6
"""The least opacity of a shape that hides anything."""


def is_clear(colour: Json) -> bool:
    """Whether a colour in CSS's words, or every one of a list of them, lets all light through."""
    if isinstance(colour, list):
        return bool(colour) and all(is_clear(one) for one in colour)
    if not isinstance(colour, str):
        return False
    text = colour.strip()
    return bool(_CLEAR.fullmatch(text)) and not _OPAQUE.fullmatch(text)


def is_zero(found: Json) -> bool:
    """Whether it is 0, or a list of nothing but zeros."""
    if isinstance(found, list):
        return bool(found) and all(is_zero(one) for one in found)
    return isinstance(found, int | float) and not isinstance(found, bool) and found == 0


def nothing_of(style: Json) -> bool:
    """Whether a plotly ``marker`` or ``line`` of this style is not to be seen."""
    stated: JsonMapping = style if isinstance(style, dict) else {}
    bare = any(is_zero(stated.get(name)) for name in ("opacity", "width", "size"))
    return bare or is_clear(stated.get("color"))


def covers(shapes: Json) -> bool:
    """Whether one of plotly's shapes is filled, lets no light through and is in front of the data."""
    return any(_covers(shape) for shape in (shapes if isinstance(shapes, list) else []))


def _covers(shape: Json) -> bool:
    if not isinstance(shape, dict) or shape.get("type", "rect") == "line" or shape.get("layer", "above") != "above":
        return False
    fill, opacity = shape.get("fillcolor"), shape.get("opacity", 1)
    if not isinstance(fill, str) or is_clear(fill) or shape.get("visible", True) is not True:
        return False
    share = _ALPHA.search(fill.strip())
    seen = float(share.group(1)) if share else 1.0
    return seen * (float(opacity) if isinstance(opacity, int | float) else 1.0) >= OPAQUE
