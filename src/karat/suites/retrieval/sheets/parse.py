"""Parsing a sheet once, though two parts of a run read it: the cases, and the system that answers them."""

from __future__ import annotations

from karat.sheet import Sheet, parse

_LAST: dict[bytes, Sheet] = {}
"""The text that was parsed last → its tree. A tree cannot be changed, so it can be shared."""


def parse_once(data: bytes, file: str) -> Sheet:
    """As ``parse``, but the same text again is not parsed again. ``file`` is its name in errors; a sheet with errors is
    not kept."""
    sheet = _LAST.get(data)
    if sheet is None:
        sheet = parse(data, file)
        _LAST.clear()
        _LAST[data] = sheet
    return sheet
