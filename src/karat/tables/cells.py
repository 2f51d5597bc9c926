"""What a cell means, and when two cells are equal.

A cell is a null, a number, a code (digits with leading zeros), a moment, or a text. Two cells are equal exactly, or after
a named normalisation. Equal is symmetric but not transitive: numbers have a tolerance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

import msgspec
from msgspec.structs import replace

from karat.tables.composition import normalised
from karat.tables.options import CompareOptions

LARGEST_SHOWN_WHOLE = 1e12
"""From here on ``.0`` does not show that a number is whole: a float may have no digits left for a fraction."""

Kind = Literal["null", "number", "code", "moment", "text"]

NULL_WORDS = frozenset({"null", "nan", "none", "nat", "na", "n/a", "<na>", "<null>", "#n/a", "\\n"})
_PLAIN = re.compile(r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,6}))?")
"""An exponent of more digits is no number's: Python refuses to read one of thousands."""
_CODE = re.compile(r"0[0-9]+")
_CURRENCY = r"(?:US\$|[$€£¥₹])"
_DECORATED = re.compile(
    rf"([+-]?)\s?{_CURRENCY}?\s?([+-]?)((?:[0-9]{{1,3}}(?:,[0-9]{{3}})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)((?:[eE][+-]?[0-9]{{1,6}})?)"
    rf"\s?(%?)\s?{_CURRENCY}?"
)
_MOMENT = re.compile(
    r"([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?\s?(Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_WHOLE = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.0*)?")
_SPACES = re.compile(r"\s+")


class Cell(msgspec.Struct, frozen=True, gc=False):
    """One cell, read. ``key`` is what a cell without a number is compared by; ``form`` names the normalisation that the
    reading needed, or is empty when it needed none.
    """

    kind: Kind
    text: str | None
    key: str = ""
    number: float = 0.0
    decimals: int = 0
    form: str = ""
    percent: bool = False
    exact: bool = False
    """A whole number that is compared exactly with another such: see :func:`as_gold`."""
    scale: float = 1.0
    """What the absolute tolerance is multiplied by: less than 1 in a column of small numbers."""

    @property
    def numeric(self) -> bool:
        """Whether it has a number to compare by, as a code has too."""
        return self.kind in ("number", "code")


NULL = Cell("null", None)


def parse(text: str | None, options: CompareOptions) -> Cell:
    """What the text means under these options: a switched-off normalisation leaves the text as it is."""
    if text is None:
        return NULL
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        return _plain(text, plain, options)
    bare = text.strip().replace("\u2212", "-")
    word = bare.lower()
    if word in ("true", "false") and options.boolean:
        return Cell("number", text, number=float(word == "true"), form="boolean")
    if word in NULL_WORDS and options.null_word:
        return Cell("null", text, form="null_word")
    first = bare[:1]
    if first.isdigit() or first in "+-.$€£¥₹U":
        moment = _MOMENT.fullmatch(bare) if options.date_format else None
        key = _moment_key(moment) if moment else None
        if key is not None:
            return Cell("moment", text, key=key, form="date_format")
        decorated = _DECORATED.fullmatch(bare) if options.separators else None
        if decorated is not None:
            return _decorated(text, decorated)
    return Cell("text", text, key=folded(text) if options.case_or_space else text)


def folded(text: str) -> str:
    """The text without what case_or_space forgives: width and composition (NFKC), case, and runs of white space."""
    if text.isascii():
        return " ".join(text.casefold().split())
    return _SPACES.sub(" ", normalised("NFKC", text).casefold()).strip()


def _plain(text: str, found: re.Match[str], options: CompareOptions) -> Cell:
    number = float(text)
    if not math.isfinite(number):
        return Cell("text", text, key=text)
    if _CODE.fullmatch(text):
        if not options.leading_zeros:
            return Cell("text", text, key=text)
        return Cell("code", text, number=number, form="leading_zeros")
    fraction, bare_fraction, exponent = found[3], found[4], found[5]
    shown = len(fraction or bare_fraction or "")
    return Cell("number", text, number=number, decimals=max(0, shown - int(exponent or 0)))


def _decorated(text: str, found: re.Match[str]) -> Cell:
    sign, inner, digits, exponent, percent = found.groups()
    value = float(digits.replace(",", "") + exponent)
    if (sign and inner) or not math.isfinite(value):
        return Cell("text", text, key=text)
    if "-" in (sign, inner):
        value = -value
    decimals = max(0, len(digits.partition(".")[2]) - int(exponent[1:] or 0))
    if percent:
        # Two decimals at least are compared on the scale that is shown, so that 12.5% is as strict as 12.5.
        return Cell("number", text, number=value / 100, decimals=max(2, decimals) + 2, form="separators", percent=True)
    return Cell("number", text, number=value, decimals=decimals, form="separators")


def _moment_key(found: re.Match[str]) -> str | None:
    """The moment in UTC to the microsecond. One without a zone is taken to be in UTC."""
    year, _, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))
        if zone and zone not in ("Z", "UTC"):
            digits = zone[1:].replace(":", "")
            offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
            moment = moment - offset if zone[0] == "+" else moment + offset
    except (ValueError, OverflowError):
        return None
    parts = (fraction or "")[:6].rstrip("0")
    return f"{moment:%Y-%m-%d %H:%M:%S}.{parts}" if parts else f"{moment:%Y-%m-%d %H:%M:%S}"


def as_shown(cell: Cell) -> Cell:
    """A number with a percent sign on the scale it is shown in: ``12.5%`` as 12.5."""
    if not cell.percent:
        return cell
    return replace(cell, number=cell.number * 100, decimals=cell.decimals - 2)


def half_unit(decimals: int) -> float:
    """How far rounding to so many decimals (two at least) moves a number."""
    return 0.5 * 10.0 ** -max(2, decimals)


def closeness(a: float, b: float, decimals: int, options: CompareOptions, scale: float = 1.0) -> str | None:
    """Why two numbers are equal: ``""`` exactly, ``tolerance``, ``rounding`` (``decimals`` is what the less precise one shows);
    None when they are not. A number halfway between two roundings may have been rounded either way.
    """
    difference = abs(a - b)
    if difference == 0:
        return ""
    largest = max(abs(a), abs(b))
    if difference <= max(options.abs_tol * scale, options.rel_tol * largest):
        return "tolerance"
    if options.rounding and difference <= half_unit(decimals) * (1 + 1e-9) + 4e-16 * largest:
        return "rounding"
    return None


def equal(a: Cell, b: Cell, options: CompareOptions) -> bool:
    """Whether two cells, read under the same options, are equal."""
    if a.numeric and b.numeric:
        if a.kind == "number" and b.kind == "number":
            if a.exact and b.exact:
                return whole(a) == whole(b)
            scale = min(a.scale, b.scale)
            return closeness(a.number, b.number, min(a.decimals, b.decimals), options, scale) is not None
        # A code keeps its zeros beside another code, and gives them up, exactly, beside a number.
        return a.text == b.text if a.kind == b.kind else a.number == b.number
    return a.kind == b.kind and a.key == b.key


def whole(cell: Cell) -> int:
    """A whole number with all its digits, also where a float would drop some."""
    return int((cell.text or "").replace(",", "").partition(".")[0])


def _whole_numbers(cells: Sequence[Cell]) -> bool:
    """Whether every number of a column is shown in full and whole: ``4921024``, ``4,921,024`` or ``4921024.0``."""
    numbers = [cell for cell in cells if cell.kind == "number"]
    return bool(numbers) and all(_is_whole(cell.text or "", cell.number) for cell in numbers)


def _is_whole(text: str, number: float) -> bool:
    # A float this large may have lost its fraction, and shows .0 all the same.
    return _WHOLE.fullmatch(text) is not None and (abs(number) < LARGEST_SHOWN_WHOLE or "." not in text)


def as_gold(cells: Sequence[Cell], options: CompareOptions) -> Sequence[Cell]:
    """A column of gold, with the tolerance that it bears.

    If all its numbers are whole and two of them differ by less than the tolerance, they are compared exactly. Such numbers name
    or count things (ids, days as 20200101): a tolerance that cannot tell gold's own values apart would take one row for
    another. If all are smaller than 1, the absolute tolerance shrinks with the largest of them: in a column of probabilities
    like 1e-20 it would make all numbers equal.
    """
    numbers = sorted({cell.number for cell in cells if cell.kind == "number"})
    if not numbers:
        return cells
    near = any(closeness(a, b, 2, options) is not None for a, b in pairwise(numbers))
    exact = near and _whole_numbers(cells)
    scale = min(1.0, max(abs(numbers[0]), abs(numbers[-1]))) or 1.0
    return _marked(cells, exact, scale) if exact or scale < 1 else cells


def as_prediction(cells: Sequence[Cell]) -> Sequence[Cell]:
    """A column of a prediction; if all its numbers are whole they may be compared exactly, where gold asks for it."""
    return _marked(cells, True, 1.0) if _whole_numbers(cells) else cells


def _marked(cells: Sequence[Cell], exact: bool, scale: float) -> Sequence[Cell]:
    known: dict[str | None, Cell] = {}
    for cell in cells:
        if cell.text not in known:
            known[cell.text] = replace(cell, exact=exact, scale=scale) if cell.kind == "number" else cell
    return [known[cell.text] for cell in cells]


def names_needed(a: Cell, b: Cell, options: CompareOptions) -> set[str]:
    """The normalisations (and ``tolerance``) without which two equal cells would not be equal."""
    if a.text == b.text:
        return set()
    names = {a.form, b.form} - {""} if a.form != b.form or a.form in ("boolean", "date_format") else set()
    if a.kind == "text":
        names.add("case_or_space")
    if a.kind == "number" and b.kind == "number":
        why = closeness(a.number, b.number, min(a.decimals, b.decimals), options, min(a.scale, b.scale))
        if why:
            names.add(why)
    return names
