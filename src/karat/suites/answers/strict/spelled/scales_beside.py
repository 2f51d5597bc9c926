"""What may multiply a number and is not written right after it: ``5 (million)``, ``k€ 5``, ``5 kEUR``, ``EUR mn 5``,
``Total ($000): 5``, ``in thousands``. Each of them can be a unit or a remark, so that a person must look."""

from __future__ import annotations

import re

from karat.suites.answers.strict.spelled.multipliers import WORD, factor_of
from karat.tables.values.number_texts import CODES, CURRENCY

_CODES = "|".join(CODES)
_MONEY = rf"(?:[€$£¥₹]|(?:{_CODES})(?![A-Za-z]))"
_LETTERS = {"k": 10**3, "t": 10**3, "th": 10**3, "m": 10**6, "mm": 10**6, "mn": 10**6, "mln": 10**6, "mio": 10**6}
_LETTERS |= {"b": 10**9, "bn": 10**9, "mrd": 10**9, "grand": 10**3}
_LETTER = "mio|mln|mrd|mm|mn|bn|th|[kKtTmMbB]"
_BRACKETS = re.compile(rf"\s?[(\[](?:in\s+)?(?P<word>{WORD})s?\s?(?:{CURRENCY})?[)\]]", re.IGNORECASE)
_AFTER = re.compile(rf"\s?(?P<letter>{_LETTER})\s?(?P<money>{_MONEY})|\s(?P<grand>grand)\b")
_BEFORE = re.compile(rf"(?:(?<![A-Za-z])(?P<first>{_LETTER})\s?{_MONEY}|{_MONEY}\s?(?P<last>{_LETTER})\.?)\s?$")
_OF_ALL = re.compile(
    r"\b(?:in|usd|eur|gbp|chf|figures?)\s+(?P<scale>thousands?|millions?|billions?|trillions?|tausend|millionen"
    r"|milliarden|milliers?|millones)\b"
    r"|\((?P<of>thousands|millions|billions)\s+of\b|[$€£(]\s?['’]?(?P<zeros>000|000,?000)\s?['’]?s?\)",
    re.IGNORECASE,
)
_SCALES = {"thousand": 10**3, "tausend": 10**3, "millier": 10**3, "million": 10**6, "millone": 10**6}
_SCALES |= {"millionen": 10**6, "billion": 10**9, "milliarden": 10**9, "trillion": 10**12}
_WINDOW = 20


def scale_beside(text: str, start: int, end: int) -> int:
    """What may multiply the number there; 0 for nothing. ``end`` is after a unit, if it has one."""
    found = _BRACKETS.match(text, end)
    if found:
        return factor_of(found["word"])
    last = end
    while last > start and not text[last - 1].isdigit():
        last -= 1  # kEUR may have been read as a unit
    after = _AFTER.match(text, last)
    if after:
        return _LETTERS[(after["letter"] or after["grand"]).lower()]
    digits = next((place for place in range(start, end) if text[place].isdigit()), start)
    before = _BEFORE.search(text, max(0, digits - _WINDOW), digits)
    return _LETTERS[(before["first"] or before["last"]).lower()] if before else 0


def scale_of_all(text: str) -> int:
    """What an answer may multiply all of its numbers by: ``in thousands``, ``($000)``; 0 for nothing."""
    found = _OF_ALL.search(text)
    if found is None:
        return 0
    if found["zeros"]:
        return 10**3 if found["zeros"].count("0") == len("000") else 10**6
    word = (found["scale"] or found["of"]).lower()
    return _SCALES[word if word in _SCALES else word.removesuffix("s")]
