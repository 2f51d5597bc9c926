"""Patterns of case files: ``*`` in names, and regular expressions with a time limit."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

SECONDS = 1.0
"""The time that one search may take."""
SHOWN = 60


class PatternTooSlow(Exception):
    """A regular expression that did not end in time: whether it is found cannot be said."""


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> regex.Pattern[str]:
    """The compiled expression. ValueError where it is not valid."""
    import regex

    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f'"{pattern[:SHOWN]}" is not a regular expression: {error}') from None


def is_found(pattern: str, text: str) -> bool:
    """Whether a regular expression is found in a text."""
    try:
        return compiled(pattern).search(text, timeout=SECONDS) is not None
    except TimeoutError:
        shown = pattern if len(pattern) <= SHOWN else f"{pattern[:SHOWN]}…"
        raise PatternTooSlow(f'the pattern "{shown}" takes longer than {SECONDS:g} s on this answer') from None


def fits(pattern: str, text: str) -> bool:
    """Whether a name is the one that a pattern with ``*`` stands for."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    *middle, last = rest
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True
