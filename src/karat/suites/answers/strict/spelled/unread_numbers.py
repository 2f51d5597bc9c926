"""Numbers that an answer may mean and that are not read for certain, so that a person must look where they are gold:

- English words beside digits ("In 2023, five closed"), fractions and decimals ("two and a half million", "two thirds",
  "three point five"), and ``½``, ``3½``, ``2/3``;
- none and one in words ("none of them", "exactly one"), years ("nineteen ninety-nine", ``FY2024``);
- a number that a word puts below zero ("fell by 5", "moins 5"), the first of a range in percent (``12-15%``), products
  (``1.2 × 1000``), ``1_234_567``;
- powers: ``10^3``, ``10³``, which may also be a mark of a footnote;
- number words of other languages from 0 to 99, with what multiplies them ("zwei Millionen"), and numbers in Chinese
  signs.
"""

from __future__ import annotations

import math
import re
import unicodedata

from karat.suites.answers.strict.spelled.context_numbers import in_context
from karat.suites.answers.strict.spelled.foreign_words import words_of_numbers
from karat.suites.answers.strict.spelled.multipliers import WORD, factor_of
from karat.suites.answers.strict.spelled.number_words import spelled_numbers
from karat.tables.values.number_texts import BELOW_ZERO

_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ONE = rf"(?:{'|'.join(_ONES)}|[0-9]{{1,9}})"
_FRACTION = re.compile(
    rf"(?<![\w.,])(?:(?P<whole>{_ONE})\s+and\s+)?(?:(?P<times>an?|{_ONE})[\s-]+)?(?P<part>{'|'.join(_PARTS)})s?\b"
    rf"(?:\s+(?:of\s+)?(?:an?\s+)?(?P<word>{WORD}))?",
    re.IGNORECASE,
)
_POINT = re.compile(
    rf"\b(?P<whole>{_ONE})\s+point\s+(?P<digits>{_ONE}(?:\s+{_ONE}){{0,8}})(?:\s+(?P<word>{WORD}))?", re.IGNORECASE
)
_SIGN = re.compile(rf"(?P<whole>[0-9]{{1,9}})?\s?(?P<sign>[¼-¾⅐-⅞])(?:\s?(?P<word>{WORD}))?", re.IGNORECASE)
_SLASH = re.compile(
    r"(?<![\w./,-])(?:(?P<whole>[0-9]{1,9})[ -])?(?P<over>[0-9]{1,9})\s?[/⁄]\s?(?P<under>[0-9]{1,9})(?![\w/.-])"
)
_POWER = re.compile(
    r"(?<![\w.,])(?P<base>[0-9]{1,6}(?:\.[0-9]{1,6})?)(?:\s?\^\s?[({]?(?P<to>[-+−]?[0-9]{1,3})[)}]?|(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{1,3}))(?![\w.])"
)
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "+-0123456789-")
_WORDS = re.compile(r"(?:[^\W\d_]|[\u0900-\u0963])+")
_BELOW = re.compile(rf"\b(?:{BELOW_ZERO}|moins|menos|meno|минус)\s$", re.IGNORECASE)
_MULTIPLIER = re.compile(rf"\s*(?:{WORD})", re.IGNORECASE)
_CHINESE = re.compile("[零〇一二两兩三四五六七八九十百千万萬亿億点]+")
_CHINESE_DIGITS = {sign: value % 10 for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}
_CHINESE_GROUPS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
Found = tuple[float, int, int]
"""Value, start, end."""


def unread_numbers(text: str) -> list[Found]:
    """What may be meant as a number in a text and is not read as one for certain."""
    found = [(float(value), start, end) for value, start, end in spelled_numbers(text)]
    for match in _FRACTION.finditer(text):
        share = _one(match["times"] or "1") / _PARTS[match["part"].lower()]
        found.append(_found(match, (_one(match["whole"] or "0") + share) * _factor(match["word"])))
    for match in _POINT.finditer(text):
        digits = "".join(str(round(_one(each))) for each in match["digits"].split())
        found.append(_found(match, float(f"{round(_one(match['whole']))}.{digits}") * _factor(match["word"])))
    for match in _SIGN.finditer(text):
        whole = float(match["whole"] or 0)
        found.append(_found(match, (whole + unicodedata.numeric(match["sign"])) * _factor(match["word"])))
    found += [
        _found(match, float(match["whole"] or 0) + int(match["over"]) / int(match["under"]))
        for match in _SLASH.finditer(text)
        if int(match["under"])
    ]
    for match in _POWER.finditer(text):
        base, power = float(match["base"]), int((match["to"] or match["raised"]).translate(_RAISED))
        if base and abs(power * math.log10(base)) < 300:
            found.append(_found(match, base**power))
    found += _chinese(text) + in_context(text)
    return found + _other_words(text)


def _one(word: str) -> float:
    word = word.lower()
    return 1 if word in ("a", "an") else float(_ONES.index(word) if word in _ONES else word)


def _factor(word: str | None) -> int:
    return factor_of(word) if word else 1


def _found(match: re.Match[str], value: float) -> Found:
    return value, match.start(), match.end()


def _other_words(text: str) -> list[Found]:
    known, found = words_of_numbers(), []
    words = [(match[0].lower().replace("ß", "ss"), match.start(), match.end()) for match in _WORDS.finditer(text)]
    at = 0
    while at < len(words):
        taken = 1
        for length in (4, 3, 2, 1):
            some = words[at : at + length]
            value = known.get(" ".join(word for word, _, _ in some)) if len(some) == length else None
            if value is None:
                continue
            end = some[-1][2]
            times = _MULTIPLIER.match(text, end)
            factor = factor_of(times[0].strip()) if times else 1
            sign = -1 if _BELOW.search(text, max(0, some[0][1] - 12), some[0][1]) else 1
            found.append((sign * value * factor, some[0][1], times.end() if times else end))
            taken = length
            break
        at += taken
    return found


def _chinese(text: str) -> list[Found]:
    found = []
    for match in _CHINESE.finditer(text):
        value = _chinese_value(match[0])
        if value is not None:
            found.append((value, match.start(), match.end()))
    return found


def _chinese_value(signs: str) -> float | None:
    whole, _, rest = signs.partition("点")
    if "点" in rest or not whole or any(sign not in _CHINESE_DIGITS for sign in rest):
        return None
    if len(whole) > 1 and all(sign in _CHINESE_DIGITS for sign in whole):  # 二〇二三
        total = int("".join(str(_CHINESE_DIGITS[sign]) for sign in whole[:15]))
    else:
        total = _grouped(whole)
    digits = "".join(str(_CHINESE_DIGITS[sign]) for sign in rest)
    return float(f"{total}.{digits}") if digits else float(total)


def _grouped(signs: str) -> int:
    total = section = digit = 0
    for sign in signs[:40]:
        if sign in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[sign]
        elif sign in _CHINESE_UNITS:
            section, digit = section + (digit or 1) * _CHINESE_UNITS[sign], 0
        else:
            total, section, digit = (total + section + digit) * _CHINESE_GROUPS[sign], 0, 0
    return total + section + digit
