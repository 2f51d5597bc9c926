"""The numbers in an answer.

Read: signs, exponents, thousands separators, a leading decimal point, currency signs, percent signs, units, and the words
thousand, million, billion, trillion. Not numbers: dates, times, ordinals, list markers, versions, digits inside a word.
"""

from __future__ import annotations

import math
import re

import msgspec

from karat.tables.numbers import NOISE, SLACK, decimals_shown, small_scale, whole_number, why_equal
from karat.tables.options import CompareOptions

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
_THOUSAND, _MILLION, _BILLION, _TRILLION = 10**3, 10**6, 10**9, 10**12
_WORDS = {
    "thousand": _THOUSAND,
    "million": _MILLION,
    "mn": _MILLION,
    "billion": _BILLION,
    "bn": _BILLION,
    "trillion": _TRILLION,
    "tn": _TRILLION,
}
_LETTERS = {"k": _THOUSAND, "m": _MILLION, "b": _BILLION, "t": _TRILLION}


class Number(msgspec.Struct, frozen=True):
    """A number as it is shown, where it stands, and what a word or letter multiplies it by: 1 unless one does; several where it
    may or may not.
    """

    number: float
    decimals: int
    whole: int | None
    start: int
    end: int
    text: str
    factors: tuple[int, ...] = (1,)
    percent: bool = False


class Value(msgspec.Struct, frozen=True):
    """What a number comes to: see :class:`karat.tables.numbers.Figure`."""

    number: float
    decimals: int = 0
    whole: int | None = None
    unit: float = 1.0
    """What a precision in decimals is multiplied by: 100 for a number in percent, whose precision is that of the share."""

    def times(self, factor: int) -> Value:
        """So many times as large, with as many digits."""
        return Value(
            self.number * factor,
            self.decimals - (len(str(factor)) - 1),
            None if self.whole is None else self.whole * factor,
        )

    def hundredth(self) -> Value:
        """As a share of 1, of a number in percent. A share is no whole number."""
        return Value(self.number / 100, self.decimals + 2)

    def hundredfold(self) -> Value:
        """In percent, of a share."""
        return self.times(100)

    def in_percent(self) -> Value:
        """The same number, which has a percent sign."""
        return msgspec.structs.replace(self, unit=100.0)


def find_numbers(text: str) -> list[Number]:
    """The numbers in a text, from left to right."""
    masked = _NOT_NUMBERS.sub(lambda match: " " * len(match[0]), text)
    return [number for match in _NUMBER.finditer(masked) if math.isfinite((number := _number(match)).number)]


def _number(match: re.Match[str]) -> Number:
    digits, power = match["digits"].replace(",", ""), match["power"]
    if (match["sign"] or match["inner"]) in ("-", "\u2212"):
        digits = f"-{digits}"
    number = float(digits + power)
    whole = None if power or not math.isfinite(number) else whole_number(digits, number)
    factors: tuple[int, ...] = (1,)
    if match["word"]:
        factors = (_WORDS[match["word"].lower()],)
    elif match["unit"] and match["unit"].lower() in _LETTERS:
        # 5m may be metres or millions.
        factors = (1, _LETTERS[match["unit"].lower()])
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    decimals = decimals_shown(digits, power[1:])
    return Number(
        number, decimals, whole, start, match.end(), match[0].strip(), factors, percent=bool(match["percent"])
    )


def agrees(number: Number, gold: Value, tolerance: Tolerance) -> str | None:
    """Why a number of the answer, percent signs aside, is the gold number under one of its readings: ``""`` exactly,
    ``tolerance``, ``rounding``; None when it is not.
    """
    for factor in number.factors:
        why = _agrees(number, factor, gold, tolerance)
        if why is not None:
            return why
    return None


def _agrees(number: Number, factor: int, gold: Value, tolerance: Tolerance) -> str | None:
    shown = Value(number.number, number.decimals, number.whole)
    if tolerance.precision is not None:
        return _within(shown.times(factor), gold, tolerance.precision)
    options, scale = tolerance.options, small_scale((gold.number,))
    if factor == 1 or number.whole is not None:
        return why_equal(shown.times(factor), gold, options, scale)
    # 1.2 million: on the scale that is shown, so that it may stand for 1234567. What is given in full is the more precise.
    zeros = len(str(factor)) - 1
    in_words = Value(gold.number / factor, max(0, gold.decimals) + zeros)
    return why_equal(shown, in_words, options, scale / factor)


def _within(value: Value, gold: Value, precision: int) -> str | None:
    if value.whole is not None and gold.whole is not None:
        difference = float(abs(value.whole - gold.whole))
    else:
        difference = abs(value.number - gold.number)
        if difference <= NOISE * abs(gold.number):
            return ""
    if difference == 0:
        return ""
    return "tolerance" if difference <= 10.0**-precision * gold.unit * SLACK else None


class Tolerance(msgspec.Struct, frozen=True):
    """How far a number may be from gold. ``precision``, where gold sets it, stands instead of the rest: so many decimals."""

    options: CompareOptions = CompareOptions()
    precision: int | None = None
