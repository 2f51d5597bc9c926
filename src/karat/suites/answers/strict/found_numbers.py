"""The numbers in an answer.

Read: what :mod:`karat.tables.values.number_texts` lists, exponents and powers of ten, digits of any script, a leading
decimal point, units, per mille and basis points, and what multiplies a number (see ``multipliers``); where there are no
digits at all, English number words (see ``number_words``). Not numbers: dates, times, ordinals, list markers, versions,
digits inside a word. What can be read in two ways has the second one in ``Number.others``: ``12 480`` may be two
numbers, ``(5.2)`` is below zero in accounts, but often an aside, and ``5 k`` may be 5000. What a number counts, a unit
or money, is in ``Number.counted``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Set

import msgspec

from karat.suites.answers.strict.spelled.multipliers import LETTERS, MAYBE, MORE, WORD, factor_of
from karat.suites.answers.strict.spelled.no_numbers import NO_NUMBERS
from karat.suites.answers.strict.spelled.number_words import spelled_numbers
from karat.suites.answers.strict.spelled.scales_beside import scale_beside, scale_of_all
from karat.suites.answers.strict.spelled.unread_numbers import unread_numbers
from karat.suites.answers.strict.units import Counted, counted
from karat.suites.answers.strict.words import BESIDE
from karat.tables.options import CompareOptions
from karat.tables.values.number_texts import BELOW_ZERO, CURRENCY, GROUPED, LAKHS, MINUS, PERCENT, bare_digits
from karat.tables.values.numbers import NOISE, SLACK, decimals_shown, small_scale, whole_number, why_equal
from karat.tables.values.unicode import plain_digits

_DASH = "\u2010\u2011\u2012\u2013"
_PERCENT = (
    rf"{PERCENT}|percentage\s+points?\b|prozent(?:punkte?n?)?\b|pour\s?cent\b|por\s?cien(?:to)?\b|por\s?cento\b"
    r"|per\s?cento\b|pro[cs]ent\b|proc\.|процент(?:а|ов|ы)?\b|パーセント|퍼센트"
    r"|百分点|p\.?p\.?(?!\w)|%?-?points? de pourcentage\b"
)
_PER_CENT = rf"(?P<part>‰|per\s?mille\b|promille\b|bps?\b|basis[ -]points?\b)|(?P<percent>{_PERCENT})"
_POWER = (
    rf"(?:e[-+]?[0-9]+|\s?[x×*·⋅]\s?10(?:\s?(?:\^|\*\*)\s?[({{]?[-+{MINUS}]?[0-9]+[)}}]?|[⁺⁻]?[⁰¹²³⁴-⁹]+)(?![0-9]))?"
)
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹" + MINUS, "+-0123456789-")
_EXPONENT = re.compile(r"[-+]?[0-9]+$")
_NUMBER = re.compile(
    rf"(?<!{BESIDE})(?:(?<![.第])|(?<=\brs\.)|(?<=\bfr\.)|(?<=\bno\.)|(?<=\bnr\.))(?<!{MORE})(?<![A-Za-z]-)(?P<open>\()?(?P<sign>[-+{MINUS}]|(?<!\S)[{_DASH}](?=[0-9.$€£¥])"
    rf"|(?<![0-9)%]\s)(?<!\bor\s)\b(?:{BELOW_ZERO})(?=\s))?\s?(?P<paid>{CURRENCY})?\s?(?P<inner>[-{MINUS}]?)"
    rf"(?P<digits>(?:{GROUPED}|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)(?P<power>{_POWER})"
    rf"(?:\s?(?:{_PER_CENT})|(?:\s?|-)(?P<word>{WORD})"
    rf"|(?P<unit>(?(paid)\s?[KMBT](?![A-Za-z])|(?!))|(?:[cdkm]?m|mi|ft|yd|in)[23²³](?![0-9])|[A-Za-zµ°\u00df-\u024f\u0370-\u052f]{{1,4}})(?=(?P<after>\s?{CURRENCY})?))?"
    rf"(?P<close>\))?(?!(?![⁰¹²³⁴-⁹⁺⁻]){BESIDE}|{MORE})(?!\.[0-9])",
    re.IGNORECASE,
)
_MAYBE = re.compile(rf"\s?({'|'.join(sorted(MAYBE, key=len, reverse=True))})(?![\w&-])")
_LAKHS = re.compile(rf"(?<![\w.,]){LAKHS}(?![\w.,]*\d)")
_DECIMAL_COMMA = re.compile(
    rf"(?<![\w.,])(?P<sign>[-{MINUS}]?)"
    r"(?P<whole>[0-9]{1,3}(?:\.[0-9]{3})+(?=(?P<rest>,[0-9]+)?)"
    r"|(?:[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)(?=(?P<only>,[0-9]+)))"
    rf"(?:,[0-9]+)?(?:\s?(?:(?P<percent>{_PERCENT})|(?P<word>{WORD})))?(?![\w])(?![.,][0-9])",
    re.IGNORECASE,
)


_BULLET = re.compile(rf"^[^\S\n]*[-+*•{MINUS}{_DASH}—](?=[^\S\n]+\S)", re.MULTILINE)
_MARKER = re.compile(r"^[^\S\n]*(?P<n>[0-9]{1,3})[.)](?=\s+\S)", re.MULTILINE)


class Number(msgspec.Struct, frozen=True):
    """A number as it is shown, where it is, and what a word or letter multiplies it by: 1 unless one does; several
    where it may or may not.
    """

    number: float
    decimals: int
    whole: int | None
    start: int
    end: int
    text: str
    factors: tuple[int, ...] = (1,)
    percent: bool = False
    others: tuple[Number, ...] = ()
    """What may be meant instead."""
    doubtful: bool = False
    """Whether what may be meant instead is as likely, so that this reading alone settles nothing."""
    counted: Counted = Counted()


class Value(msgspec.Struct, frozen=True):
    """What a number comes to: see :class:`karat.tables.values.numbers.Figure`."""

    number: float
    decimals: int = 0
    whole: int | None = None
    unit: float = 1.0
    """What a precision in decimals is multiplied by: 100 for a number in percent, whose precision is that of the
    share."""

    def times(self, factor: int) -> Value:
        """This many times as large, with as many digits."""
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
    text = plain_digits(text)
    masked = NO_NUMBERS.sub(_blank, text)
    markers = [match["n"] for match in _MARKER.finditer(text)]
    if len(markers) > 1 or markers == ["1"]:  # "42. These are the stations." is no list
        masked = _MARKER.sub(_blank, masked)
    whole = text.strip().strip(".")
    bullets = {match.end() for match in _BULLET.finditer(text)}
    masked = _BULLET.sub(_blank, masked) if bullets else masked
    of_all = scale_of_all(text)
    found = [
        _number(text, match, of_all, bullets, alone=match[0].strip() == whole) for match in _NUMBER.finditer(masked)
    ]
    return [number for number in found if math.isfinite(number.number)] or [
        Number(float(value), 0, value, start, end, text[start:end]) for value, start, end in spelled_numbers(text)
    ]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def with_decimal_comma(text: str) -> list[Number]:
    """The numbers that a text has where a comma is a decimal point and points group the digits: ``0,5``, ``1.234,56``
    and ``1.234``."""
    found = []
    for match in _DECIMAL_COMMA.finditer(plain_digits(text)):
        before = match["whole"].replace(".", "").replace(" ", "")
        rest = (match["rest"] or match["only"] or "").removeprefix(",")
        digits = f"{'-' if match['sign'] else ''}{before}{'.' if rest else ''}{rest}"
        number = float(digits)
        if math.isfinite(number):
            whole = whole_number(digits, number)
            percent = bool(match["percent"])
            factors = (factor_of(match["word"]),) if match["word"] else (1,)
            found.append(Number(number, len(rest), whole, *match.span(), match[0], factors, percent=percent))
    return found


def with_lakhs(text: str) -> list[Number]:
    """The numbers that a text has where digits may be in groups of two: ``12,34,567``."""
    places = ((match, bare_digits(match[0])) for match in _LAKHS.finditer(plain_digits(text)))
    return [Number(float(digits), 0, int(digits), *match.span(), match[0]) for match, digits in places]


def otherwise(text: str) -> list[Number]:
    """What may be meant as a number and is not read as one: a decimal comma, lakhs, words (see ``unread_numbers``)."""
    plain = plain_digits(text)
    unread = [
        Number(
            value,
            decimals_shown(repr(value), ""),
            int(value) if value.is_integer() else None,
            start,
            end,
            plain[start:end],
        )
        for value, start, end in unread_numbers(plain)
    ]
    return [*with_decimal_comma(text), *with_lakhs(text), *unread]


def _number(text: str, match: re.Match[str], of_all: int, bullets: Set[int], *, alone: bool) -> Number:
    """``alone``: the answer is nothing but this number. ``of_all``: what the answer may multiply its numbers by.
    ``bullets``: where a dash that begins a line ends, which may be the sign of a number."""
    digits, power = bare_digits(match["digits"]), _e_notation(match["power"])
    in_brackets = bool(match["open"] and match["close"] and not match["sign"] and not match["inner"])
    below = (match["sign"] or match["inner"] or "+") != "+"
    if below or (in_brackets and alone):
        digits = f"-{digits}"
    number = float(digits + power)
    whole = None if power or not math.isfinite(number) else whole_number(digits, number)
    factors: tuple[int, ...] = (1,)
    if match["word"]:
        factors = (factor_of(match["word"]),)
    elif match["paid"] and (maybe := _MAYBE.match(match.string, match.end("power"))) is not None:
        factors = (MAYBE[maybe[1]],)
    elif (letter := (match["unit"] or "").strip()) in LETTERS:
        # 5m may be metres or millions; 5M, 5k and €5m are no metres.
        sure = letter in "kKMB" or match["paid"] or match["after"]
        factors = (LETTERS[letter],) if sure else (1, LETTERS[letter])
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    decimals = decimals_shown(digits, power[1:])
    end = match.end()
    shown = match[0].strip()
    if not in_brackets:
        start += len(match["open"] or "")
        end -= len(match["close"] or "")
        shown = shown[len(match["open"] or "") : len(shown) - len(match["close"] or "")]
    percent = bool(match["percent"] or match["part"])
    if match["part"]:
        divisor = 100 if match["part"][0] in "bB" else 10  # basis points, or per mille
        number, decimals, whole = number / divisor, decimals + len(str(divisor)) - 1, None
    last = "word" if match["word"] else "unit" if factors != (1,) and match["unit"] else "power"
    what = counted(match.string, match.end(last), match["paid"])
    found = Number(number, decimals, whole, start, end, shown, factors, percent=percent, counted=what)
    others: list[Number] = []
    maybe = _MAYBE.match(match.string, match.end("power")) if factors == (1,) or match["word"] == "mil" else None
    if maybe is not None:
        others.append(msgspec.structs.replace(found, factors=(MAYBE[maybe[1]],)))
    doubtful = maybe is not None and not match["word"]
    scale = 0
    if factors == (1,) and not percent:
        scale = scale_beside(text, match.start(), match.end()) or of_all
    if scale:
        others.append(msgspec.structs.replace(found, factors=(scale,)))
        doubtful = True
    place = match.start("digits")
    after_bullet = len(text[:place].rstrip(" ")) in bullets and text[:place].rstrip(" ")[-1:] in _DASHES
    accounted = _SIGN_AFTER.match(text, match.end()) or _BELOW_BEFORE.search(text, max(0, place - 12), place)
    if not below and (after_bullet or accounted):
        others.append(msgspec.structs.replace(found, number=-number, whole=None if whole is None else -whole))
        doubtful = doubtful or accounted is not None or len(text[:place].split()) == 1
    if in_brackets and not accounted:
        others.append(msgspec.structs.replace(found, number=-number, whole=None if whole is None else -whole))
    if match["gap"] == " ":
        parts = match["digits"].split(" ")
        others += [
            Number(float(part), decimals_shown(part, ""), whole_number(part, float(part)), start, end, part)
            for part in parts
        ]
    return msgspec.structs.replace(found, others=tuple(others), doubtful=doubtful)


_DASHES = frozenset(f"-{MINUS}{_DASH}—")
_SIGN_AFTER = re.compile(r"-(?=[\s.,;)]|$)")
_BELOW_BEFORE = re.compile(rf"(?:\bdown\s+(?:by\s+)?|[▼↓▾]\s?|{CURRENCY}\s?\()$", re.IGNORECASE)
"""What says that a number is or may be below zero: ``down 5``, ``▼5``, ``5-``, ``$(5)`` of accounts. A dash that begins
a line may be a bullet, or the sign of the number after it."""


def _e_notation(power: str) -> str:
    """``e-9`` of ``e-9``, ``× 10^-9`` and ``·10⁻⁹``."""
    if not power or power[0] in "eE":
        return power
    after = power.partition("10")[2].strip(" ^(){}").translate(_RAISED)
    found = _EXPONENT.search(after)
    return f"e{found[0]}" if found else ""


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
    # 1.2 million: on the scale that is shown, so that it may stand for 1234567. What is given in full is the more
    # precise.
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
    """How far a number may be from gold. ``precision``, where gold sets it, replaces the rest: a number of
    decimals."""

    options: CompareOptions = CompareOptions()
    precision: int | None = None
