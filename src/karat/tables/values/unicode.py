"""Unicode normalisation in linear time.

The standard puts the marks that follow a letter in order, and Python does so by insertion: a letter with n marks out of
order costs n² steps. Real text has a few marks in a row. Where more than 30 follow each other, as the standard's
stream-safe form has it, each 30 are normalised by themselves.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import Literal

MARKS = 30
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SHORT = 500
"""Texts up to this length cost little, whatever they hold."""


def normalised(form: Literal["NFC", "NFKC"], text: str) -> str:
    """``unicodedata.normalize``, with long runs of marks cut into pieces."""
    if len(text) <= _SHORT or text.isascii():
        return unicodedata.normalize(form, text)
    runs = ["".join(run) for _, run in groupby(text, _is_mark)]
    if max(map(len, runs[_is_mark(text[0]) ^ 1 :: 2]), default=0) <= MARKS:
        return unicodedata.normalize(form, text)
    pieces = [run[start : start + MARKS] for run in runs for start in range(0, len(run), MARKS)]
    return "".join(unicodedata.normalize(form, piece) for piece in pieces)


def _is_mark(letter: str) -> bool:
    return unicodedata.combining(letter) != 0 or unicodedata.combining(unicodedata.normalize("NFKD", letter)[0]) != 0


def visible(text: str) -> str:
    """The text without what nobody sees: soft hyphens, zero-width characters, byte order marks, marks of direction."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def plain_digits(text: str) -> str:
    """The text with the digits of every script, and the signs around them, as ASCII has them. Every letter keeps its
    place."""
    return text if text.isascii() else "".join(map(_plain, text))


def _plain(letter: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    value = unicodedata.decimal(letter, None)
    return letter if value is None else str(value)


_SIGNS = {
    "\uff05": "%",
    "\ufe6a": "%",
    "\u066a": "%",
    "\uff0c": ",",
    "\u066c": ",",
    "\uff0e": ".",
    "\u066b": ".",
    "\uff0b": "+",
    "\uff0d": "-",
    "\ufe63": "-",
}
"""Full-width, small and Arabic signs of numbers."""
