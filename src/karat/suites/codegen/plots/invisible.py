"""What a specification draws and nobody can see: marks without a colour, a width or a size, and what others hide."""

from __future__ import annotations

import re

from karat.core.json_types import Json, JsonMapping

_CLEAR = re.compile(r"transparent|none|(?:rgb|hsl)a?\(.*[,/]\s*0*(?:\.0+)?%?\s*\)|#[0-9a-f]{6}00|#[0-9a-f]{3}0", re.I)
_ALPHA = re.compile(r"(?:rgb|hsl)a\(.*,\s*([0-9]*\.?[0-9]+)\s*\)", re.I)
_OPAQUE = re.compile(r"(?:rgb|hsl)\([^,/]*,[^,/]*,[^,/]*\)", re.I)

_NAMED = {"white": "ffffff", "black": "000000", "gray": "808080", "grey": "808080", "whitesmoke": "f5f5f5"}

FAINT = 0.02
"""Less opacity, or less of a difference to the ground, is not to be seen."""
OPAQUE = 0.6
"""The least opacity of a shape that hides anything."""


def is_clear(colour: Json) -> bool:
    """Whether a colour in CSS's words, or every one of a list of them, lets all light through."""
    if isinstance(colour, list):
        return bool(colour) and all(is_clear(one) for one in colour)
    if not isinstance(colour, str):
        return False
    text = colour.strip()
    share = _ALPHA.fullmatch(text)
    return bool(_CLEAR.fullmatch(text) and not _OPAQUE.fullmatch(text)) or bool(share and float(share[1]) < FAINT)


def plain_colour(colour: Json) -> str:
    """A colour as six hexadecimal digits; one with another name as it is, empty when there is none that is opaque."""
    if not isinstance(colour, str) or is_clear(colour):
        return ""
    text = "".join(colour.split()).lower()
    short = re.fullmatch(r"#([0-9a-f])([0-9a-f])([0-9a-f])f?", text)
    if short:
        return "".join(2 * digit for digit in short.groups())
    parts = re.fullmatch(r"rgba?\((\d+),(\d+),(\d+)(?:,[\d.]+)?\)", text)
    if parts:
        return "".join(f"{min(255, int(part)):02x}" for part in parts.groups())
    return text[1:7] if text.startswith("#") else _NAMED.get(text, text)


def all_in(colour: Json, ground: str) -> bool:
    """Whether a colour, or every one of a list of them, is that of the ground or lets all light through."""
    found = colour if isinstance(colour, list) else [colour]
    return bool(found) and all(is_clear(one) or _alike(plain_colour(one), ground) for one in found)


def _alike(one: str, other: str) -> bool:
    if not all(re.fullmatch(r"[0-9a-f]{6}", colour) for colour in (one, other)):
        return one == other
    parts = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (0, 2, 4)]
    return max(abs(a - b) for a, b in parts) < FAINT * 255


def is_zero(found: Json) -> bool:
    """Whether it is 0 or hardly more, or a list of nothing else."""
    if isinstance(found, list):
        return bool(found) and all(is_zero(one) for one in found)
    return isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < FAINT


def all_gaps(dashes: Json) -> bool:
    """Whether a line of these dashes (``5px,9px``, ``[5, 9]``) is nearly all gaps."""
    parts = re.findall(r"[\d.]+", dashes) if isinstance(dashes, str) else dashes
    if not isinstance(parts, list) or len(parts) < 2:
        return False
    try:
        sizes = [float(part) for part in parts if isinstance(part, str | int | float)]
    except ValueError:
        return False
    gaps, marks = sum(sizes[1::2]), sum(sizes[::2])
    return gaps > 40 and gaps > 10 * marks


def nothing_of(style: Json) -> bool:
    """Whether a plotly ``marker`` or ``line`` of this style is not to be seen."""
    stated: JsonMapping = style if isinstance(style, dict) else {}
    bare = any(is_zero(stated.get(name)) for name in ("opacity", "width", "size"))
    return bare or is_clear(stated.get("color")) or all_gaps(stated.get("dash"))


def covers(shapes: Json) -> bool:
    """Whether one of plotly's shapes is filled, lets no light through and is in front of the data."""
    return any(_covers(shape) for shape in (shapes if isinstance(shapes, list) else []))


def _covers(shape: Json) -> bool:
    if not isinstance(shape, dict) or shape.get("type", "rect") == "line" or shape.get("layer", "above") != "above":
        return False
    return shape.get("visible", True) is True and hides(shape.get("fillcolor"), shape.get("opacity", 1))


def behind(shapes: Json) -> bool:
    """Whether one of plotly's shapes is filled, opaque and stands at data, like a bar."""
    for shape in shapes if isinstance(shapes, list) else []:
        if isinstance(shape, dict) and shape.get("type", "rect") in ("rect", "path"):
            refs = [str(shape.get(f"{axis}ref", axis)) for axis in "xy"]
            at_data = not any(ref == "paper" or "domain" in ref for ref in refs)
            if at_data and hides(shape.get("fillcolor"), shape.get("opacity", 1)):
                return True
    return False


def hides(fill: Json, opacity: Json = 1) -> bool:
    """Whether nothing is seen through a fill."""
    if not isinstance(fill, str) or is_clear(fill):
        return False
    share = _ALPHA.search(fill.strip())
    seen = float(share.group(1)) if share else 1.0
    return seen * (float(opacity) if isinstance(opacity, int | float) else 1.0) >= OPAQUE
