"""What a specification draws and nobody can see: marks without a colour, a width or a size."""

from __future__ import annotations

import re

from karat.core.json_types import Json, JsonMapping

_CLEAR = re.compile(r"transparent|none|(?:rgb|hsl)a?\(.*[,/]\s*0*(?:\.0+)?%?\s*\)|#[0-9a-f]{6}00|#[0-9a-f]{3}0", re.I)
_OPAQUE = re.compile(r"(?:rgb|hsl)\([^,/]*,[^,/]*,[^,/]*\)", re.I)


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
