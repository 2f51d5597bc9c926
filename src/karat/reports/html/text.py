"""Texts and values as a page may carry them: visible, of bounded length, and never able to end the script they are
in."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite

import msgspec

from karat.core.problems import count_of
from karat.core.report import Cell, Column, directed, visible

DEEPEST = 16
EXACT = 2**53
"""Whole numbers beyond this are not exact in JavaScript; they travel as text."""


_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def readable(text: str) -> str:
    """Visible text whose marks of direction are written out too: one of them would turn round the words that follow
    it."""
    return _TURNING.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))


FILTERS: dict[str, Callable[..., object]] = {"visible": readable, "count_of": count_of, "directed": directed}
"""What the templates of this package write texts and counts with."""


def cut(text: str, longest: int) -> str:
    """The text, or its beginning and by how much it was cut."""
    if len(text) <= longest:
        return readable(text)
    return f"{readable(text[:longest])}… ({count_of(len(text) - longest, 'more character')})"


def embedded_json(value: object) -> str:
    """JSON that can be inside a script element: no ``<`` and no ``&``, and no line separator that JavaScript once
    took for one."""
    text = msgspec.json.encode(value).decode()
    for character, code in (("<", "003c"), (">", "003e"), ("&", "0026"), ("\u2028", "2028"), ("\u2029", "2029")):
        if character in text:
            text = text.replace(character, f"\\u{code}")
    return text


def embedded_size(value: object) -> int:
    """Bytes that a value takes in the page."""
    return len(embedded_json(value).encode())


def shortened(value: object, longest: int, most: int, depth: int = 0) -> object:
    """A plain value with its texts cut to this many characters and its lists to this many items, each saying what is
    not there."""
    if isinstance(value, str):
        return cut(value, longest)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < EXACT else cut(str(value), longest)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if depth >= DEEPEST:
        return "… (deeper)"
    if isinstance(value, dict):
        kept = {
            cut(str(key), longest): shortened(item, longest, most, depth + 1)
            for key, item, _ in zip(value, value.values(), range(most), strict=False)
        }
        return kept | ({"…": f"{len(value) - most:,} more"} if len(value) > most else {})
    if isinstance(value, list | tuple):
        items = [shortened(item, longest, most, depth + 1) for item in value[:most]]
        return items + ([f"… {len(value) - most:,} more"] if len(value) > most else [])
    return cut(str(value), longest)


def fitting(value: object, room: int) -> tuple[object, bool]:
    """As much of a plain value as fits into this many bytes, and whether anything is gone. None: nothing of it fits."""
    too_large = _plain_size(value) > room  # in the page it only grows
    if not too_large:
        whole = shortened(value, room, room)
        if embedded_size(whole) <= room:
            return whole, False
    for longest, most in ((1_000, 60), (300, 20), (120, 8), (60, 3)):
        if longest <= room:
            kept = shortened(value, longest, most)
            if embedded_size(kept) <= room:
                return kept, too_large or kept != shortened(value, room, room)
    return None, True


def _plain_size(value: object) -> int:
    """Bytes of the value as plain JSON; 0 where it cannot be written as it is."""
    try:
        return len(msgspec.json.encode(value))
    except (TypeError, UnicodeEncodeError):
        return 0


def cell_words(cell: Cell, column: Column, longest: int = 600) -> str:
    """A cell of a table as people read it; undefined figures are n/a."""
    if column.kind in ("text", "wrapped", "status"):
        return "" if cell is None else cut(str(cell), longest)
    if isinstance(cell, str):
        return cut(cell, longest)
    if cell is None or not isfinite(cell):
        return "n/a"
    if column.kind == "count":
        return f"{cell:,.0f}"
    if column.decimals is not None:
        return f"{cell:,.{column.decimals}f}"
    return f"{cell:.2f}" if column.kind == "score" else quantity_words(cell)


def quantity_words(value: float) -> str:
    """A quantity with as many decimals as its size asks for."""
    size = abs(value)
    if size >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.2f}" if size >= 1 else f"{value:.4f}"
