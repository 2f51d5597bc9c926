"""The numbers in an answer.

Read: signs, exponents, thousands separators, a leading decimal point, currency signs, percent signs, units, and the words
thousand, million, billion, trillion. Not numbers: dates, times, ordinals, list markers, versions, digits inside a word.
"""

from __future__ import annotations

import re

import msgspec

from karat.tables.cells import half_unit

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_NOT_NUMBERS = re.compile(
    rf"\b[0-9]{{4}}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}(?:[t ][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?)?(?:z|\s?utc)?\b"
    rf"|\b[0-9]{{1,2}}[/.-][0-9]{{1,2}}[/.-][0-9]{{4}}\b"
    rf"|\b{_MONTH}\s+[0-9]{{1,2}}(?:st|nd|rd|th)?(?:,?\s+[0-9]{{4}})?\b|\b[0-9]{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?(?:\s+[0-9]{{4}})?\b"
    rf"|\b{_MONTH},?\s+[0-9]{{4}}\b"
    r"|\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?\b"
    r"|\b[0-9]+(?:st|nd|rd|th)\b"
    r"|^\s*[0-9]{1,3}[.)](?=\s+\S)"
    r"|\b[0-9]+(?:\.[0-9]+){2,}\b",
    re.IGNORECASE | re.MULTILINE,
)
_CURRENCY = r"(?:US\$|[$€£¥₹])"
_NUMBER = re.compile(
    rf"(?<![\w.])(?<![A-Za-z]-)(?P<sign>[-+\u2212]?)\s?{_CURRENCY}?\s?(?P<inner>[-\u2212]?)"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)(?P<power>(?:e[-+]?[0-9]+)?)"
    r"(?:\s?(?P<percent>%|percent\b|per cent\b)|\s?(?P<word>thousand|million|billion|trillion|mn|bn|tn)\b|(?P<unit>[A-Za-zµ°]{1,4}))?"
    r"(?![\w])(?!\.[0-9])",
    re.IGNORECASE,
)
_WORDS = {"thousand": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12, "tn": 1e12}
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


class Number(msgspec.Struct, frozen=True):
    """A number as it is shown, where it stands, and what it may be multiplied by: 1 unless a word, a letter or a sign says so."""

    shown: float
    decimals: int
    start: int
    end: int
    text: str
    factors: tuple[float, ...] = (1.0,)
    percent: bool = False


def find_numbers(text: str) -> list[Number]:
    """The numbers in a text, from left to right."""
    masked = _NOT_NUMBERS.sub(lambda match: " " * len(match[0]), text)
    return [_number(match) for match in _NUMBER.finditer(masked)]


def _number(match: re.Match[str]) -> Number:
    digits, power = match["digits"].replace(",", ""), match["power"]
    shown = float(digits + power)
    if (match["sign"] or match["inner"]) in ("-", "\u2212"):
        shown = -shown
    decimals = max(0, len(digits.partition(".")[2]) - int(power[1:] or 0))
    factors: tuple[float, ...] = (1.0,)
    if match["word"]:
        factors = (_WORDS[match["word"].lower()],)
    elif match["unit"] and match["unit"].lower() in _LETTERS:
        # 5m may be metres or millions.
        factors = (1.0, _LETTERS[match["unit"].lower()])
    elif match["percent"]:
        # Both ways of writing a share: 12.5% is 12.5 in percent, and 0.125.
        factors = (1.0, 0.01)
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    return Number(shown, decimals, start, match.end(), match[0].strip(), factors, bool(match["percent"]))


def agrees(number: Number, gold: float, gold_decimals: int, tolerance: Tolerance) -> str | None:
    """Why a number of the answer is the gold number under one of its readings: ``""`` exactly, ``tolerance``, ``rounding``;
    None when it is not. Rounding is judged on the scale that is shown.
    """
    for factor in number.factors:
        value = gold / factor
        difference = abs(number.shown - value)
        if difference <= 4e-16 * abs(value):
            return ""
        if tolerance.precision is not None:
            if abs(number.shown * factor - gold) <= 10.0**-tolerance.precision * (1 + 1e-9):
                return "tolerance"
            continue
        if difference <= max(tolerance.abs_tol / factor, tolerance.rel_tol * max(abs(value), abs(number.shown))):
            return "tolerance"
        decimals = min(number.decimals, gold_decimals if factor == 1.0 else number.decimals)
        if tolerance.rounding and difference <= half_unit(decimals) * (1 + 1e-9):
            return "rounding"
    return None


class Tolerance(msgspec.Struct, frozen=True):
    """How far a number may be from gold. ``precision``, where gold sets it, stands instead of the rest: so many decimals."""

    rel_tol: float = 1e-4
    abs_tol: float = 1e-9
    rounding: bool = True
    precision: int | None = None
