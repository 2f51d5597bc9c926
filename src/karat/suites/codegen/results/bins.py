"""Intervals of pandas as text: ``(0.0, 1.0]`` and ``(0, 1]`` are one."""

from __future__ import annotations

import re

_END = r"(?:-?[0-9]+(?:\.[0-9]+)?|-?inf)"
_BIN = re.compile(rf"(?P<left>[\[(])(?P<low>{_END}), (?P<high>{_END})(?P<right>[\])])")


def bin_text(text: str) -> str:
    """An interval with no more decimals than it needs; any other text as it is.

    >>> bin_text("(0.0, 1.50]"), bin_text("(a)")
    ('(0, 1.5]', '(a)')
    """
    found = _BIN.fullmatch(text) if text[:1] in ("(", "[") else None
    if found is None:
        return text
    return f"{found['left']}{_short(found['low'])}, {_short(found['high'])}{found['right']}"


def _short(end: str) -> str:
    return end.rstrip("0").rstrip(".") if "." in end else end
