"""English number words: ``three``, ``twenty-one``, ``two hundred and five thousand``, ``minus five``.

Words that do not make one number together are several numbers: ``three or four``, ``nineteen ninety``. What is not read
is no number at all, so that no part of it is taken for the whole: fractions and decimals (``two thirds``, ``two and a
half``, ``three point five``) and ordinals (``twenty-first``, ``two hundredth``).
"""

from __future__ import annotations

import re

from karat.tables.values.number_texts import BELOW_ZERO

_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"thousand": 10**3, "lakh": 10**5, "million": 10**6, "crore": 10**7, "billion": 10**9, "trillion": 10**12}
_HUNDRED, _DOZEN = 100, 12
_VALUES = {word: value for value, word in enumerate(_UNITS + _TEENS)} | {
    word: 20 + 10 * place for place, word in enumerate(_TENS)
}
_MULTIPLYING = ("hundred", "dozen", *_SCALES)
_WORD = re.compile(rf"(?:(?<![\w-])|(?<=ty-))(?:{'|'.join((*_VALUES, *_MULTIPLYING))})(?![\w])", re.IGNORECASE)
_JOINED = re.compile(r"(?:[ -]|\s+and\s+|,\s+|,?\s+)\Z", re.IGNORECASE)
_BELOW = re.compile(rf"\b(?:{BELOW_ZERO})\s+\Z", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:a|an)\s+\Z", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"[\s-]+(?:point\b|(?:and\s+)?(?:an?\s+|one[\s-]+|three[\s-]+)?(?:half|halves|quarters?|thirds?)\b"
    r"|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|\w+tieth)s?\b"
    r"|(?:hundred|thousand|million|billion|trillion)ths?\b)",
    re.IGNORECASE,
)
_NO_START = re.compile(r"\b(?:no\s+|(?:point|half|quarter)(?:\s+(?:of\s+)?(?:an?\s+)?|-))\Z", re.IGNORECASE)
"""What makes the words after it another number, or none: ``no one``, ``three point five``, ``half a million``."""
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013", "-"))
_SHORT = 3
"""Words of an answer in which "one" is a number; in a longer one it may be anything."""
_BEFORE = 12
"""Letters before a number that are looked at."""


def spelled_numbers(text: str) -> list[tuple[int, int, int]]:
    """Each number with its place: value, start, end."""
    text = text.translate(_HYPHENS)
    found, start, end, parts = [], 0, 0, _Parts()
    hidden = False
    short = len(text.split(None, _SHORT)) <= _SHORT
    for match in _WORD.finditer(text):
        word = match[0].lower()
        near = _JOINED.fullmatch(text, end, match.start()) is not None if end else False
        if not (near and parts.add(word)):
            if not hidden:
                found += _finished(text, parts, start, end)
            parts = _Parts()
            start = match.start()
            hidden = _NO_START.search(text, max(0, start - _BEFORE), start) is not None
            if not parts.add(word):
                article = _ARTICLE.search(text, max(0, start - _BEFORE), start)
                hidden = hidden or article is None
                start = article.start() if article else start
                parts.add("one")
                parts.add(word)
        end = match.end()
    if not hidden:
        found += _finished(text, parts, start, end)
    return found if short else [number for number in found if number[0] != 1]


def _finished(text: str, parts: _Parts, start: int, end: int) -> list[tuple[int, int, int]]:
    if not end or text[end : end + 1] == "-" or _OTHERWISE.match(text, end):
        return []
    below = _BELOW.search(text, max(0, start - _BEFORE), start)
    value = -parts.value if below else parts.value
    return [(value, below.start() if below else start, end)]


class _Parts:
    """A number that grows word by word."""

    def __init__(self) -> None:
        self._done = 0
        self._now = 0
        self._last = ""
        self._least = 10**15

    @property
    def value(self) -> int:
        return self._done + self._now

    def add(self, word: str) -> bool:
        """Whether the word continues the number; only then it counts."""
        if word in _SCALES:
            factor = _SCALES[word]
            if not self._now or factor >= self._least:
                return False
            self._done, self._now, self._least = self._done + self._now * factor, 0, factor
        elif word in ("hundred", "dozen"):
            if not 0 < self._now < _HUNDRED or self._last == word:
                return False
            self._now *= _HUNDRED if word == "hundred" else _DOZEN
        elif not self._fits(_VALUES[word]):
            return False
        else:
            self._now += _VALUES[word]
        self._last = word
        return True

    def _fits(self, value: int) -> bool:
        if not self._last:
            return True
        if not value or self._last == "dozen":
            return False
        if self._last in _TENS:
            return value < len(_UNITS) - 3
        return self._last in ("hundred", *_SCALES)
