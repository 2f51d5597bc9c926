"""What a cell means, and when two cells are equal.

A cell is a null, a number, a code (digits with leading zeros), a moment, or a text. Two cells are equal exactly, or
after a named normalisation. Equal is symmetric but not transitive: numbers have a tolerance.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

import msgspec
from msgspec.structs import replace

from karat.core.json_types import Json
from karat.tables.options import CompareOptions
from karat.tables.values.number_texts import (
    BELOW_ZERO,
    CURRENCY,
    GROUPED,
    LAKHS,
    MINUS,
    PERCENT,
    bare_digits,
    currencies_of,
    other_money,
)
from karat.tables.values.numbers import decimals_shown, small_scale, whole_number, why_equal
from karat.tables.values.unicode import normalised, visible

Kind = Literal["null", "number", "code", "moment", "text", "nested"]

NULL_WORDS = frozenset({"null", "nan", "none", "nat", "na", "n/a", "<na>", "<null>", "#n/a", "\\n"})
_INFINITE = {
    "inf": "∞", "infinity": "∞", "∞": "∞", "+inf": "∞", "+infinity": "∞", "+∞": "∞",
    "-inf": "-∞", "-infinity": "-∞", "-∞": "-∞",
}  # fmt: skip
"""What programs write for the same float, and the key of it: no number, as nothing is near it."""
WORDS = NULL_WORDS | {"true", "false", "inf", "infinity"}
"""Words that mean something else than themselves, in any letter case; signs may stand before some."""
_PLAIN = re.compile(r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,6}))?")
"""An exponent of more digits is no number's: Python refuses to read one of thousands."""
_CODE = re.compile(r"0[0-9]+")
_DIGIT = re.compile("[0-9]")
_DECORATED = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-]|(?:{BELOW_ZERO})(?=\s))?\s?(?P<before>{CURRENCY})?\s?(?P<inner>[+-]?)"
    rf"(?P<digits>(?:{GROUPED}|{LAKHS}|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?P<power>(?:e[+-]?[0-9]{{1,6}})?)"
    rf"\s?(?P<percent>{PERCENT})?\s?(?P<after>{CURRENCY})?(?P<close>\))?",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 400
_MOMENT = re.compile(
    r"([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?\s?(Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_SPACES = re.compile(r"\s+")


class Cell(msgspec.Struct, frozen=True, gc=False):
    """One cell, read. ``key`` is what a cell without a number is compared by; ``form`` names the normalisations that
    the reading needed, with spaces between, or is empty when it needed none.
    """

    kind: Kind
    text: str | None
    key: str = ""
    number: float = 0.0
    decimals: int = 0
    form: str = ""
    whole: int | None = None
    """A whole number with all its digits, which a float may not hold; None for any other."""
    percent: bool = False
    scale: float = 1.0
    """What the absolute tolerance is multiplied by: less than 1 in a column of small numbers."""
    money: int = 0
    """The currencies that it may be an amount of, as bits; 0 where it does not say. See
    :func:`karat.tables.values.number_texts.currencies_of`."""
    parts: tuple[Cell, ...] = ()
    """The values in a nested cell; its ``key`` says how they are put together."""

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
    bare = text.strip().replace(MINUS, "-")
    word = bare.lower()
    if word in ("true", "false") and options.boolean:
        return Cell("number", text, number=float(word == "true"), whole=int(word == "true"), form="boolean")
    if word in NULL_WORDS and options.null_word:
        return Cell("null", text, form="null_word")
    if word in _INFINITE:
        return Cell("text", text, key=_INFINITE[word])
    first = bare[:1]
    if len(bare) <= _LONGEST_NUMBER and _DIGIT.search(bare):
        moment = _MOMENT.fullmatch(bare) if options.date_format else None
        key = _moment_key(moment) if moment else None
        if key is not None:
            return Cell("moment", text, key=key, form="date_format")
        decorated = _DECORATED.fullmatch(bare)
        number = _decorated(text, decorated, options) if decorated is not None else None
        if number is not None:
            return number
    if options.nested and first and first in "[{":
        nested = _nested(text, options)
        if nested is not None:
            return nested
    return Cell("text", text, key=folded(text) if options.case_or_space else composed(text))


def composed(text: str) -> str:
    """The text with each letter and its accents written in one way (NFC)."""
    return text if text.isascii() else normalised("NFC", text)


def folded(text: str) -> str:
    """The text without what case_or_space forgives: width and composition (NFKC), case, runs of white space, and what
    cannot be seen."""
    if text.isascii():
        return " ".join(text.casefold().split())
    cased = normalised("NFKC", visible(text)).casefold()
    cased = cased.replace("i\u0307", "i")  # what casefold makes of a capital I with a dot
    return _SPACES.sub(" ", normalised("NFKC", cased)).strip()


def _plain(text: str, found: re.Match[str], options: CompareOptions) -> Cell:
    number = float(text)
    if not math.isfinite(number):
        return Cell("text", text, key=text)
    exponent = found[5] or ""
    whole = None if exponent else whole_number(text, number)
    if _CODE.fullmatch(text):
        if not options.leading_zeros:
            return Cell("text", text, key=text)
        return Cell("code", text, number=number, whole=whole, form="leading_zeros")
    shown = decimals_shown(f".{found[3] or found[4] or ''}", exponent)
    return Cell("number", text, number=number, decimals=shown, whole=whole)


def _decorated(text: str, found: re.Match[str], options: CompareOptions) -> Cell | None:
    """The number with what is written around its digits; None where that makes none, or may not be forgiven."""
    sign, inner, written, exponent = found["sign"] or "", found["inner"], found["digits"], found["power"]
    in_accounts = bool(found["open"])
    if in_accounts != bool(found["close"]) or bool(sign) + bool(inner) + in_accounts > 1:
        return None
    before, after = currencies_of(found["before"]), currencies_of(found["after"])
    if other_money(before, after):
        return None
    money = before & after or before or after
    below = in_accounts or sign not in ("", "+") or inner == "-"
    digits = ("-" if below else "") + bare_digits(written)
    names = {
        "separators": len(bare_digits(written)) < len(written) or text != text.strip(),
        "negative": in_accounts or len(sign) > 1 or MINUS in text,
        "currency": bool(money),
        "percent": bool(found["percent"]),
    }
    form = " ".join(name for name, needed in names.items() if needed)
    if not all(getattr(options, name) for name in form.split()):
        return None
    value = float(digits + exponent)
    if not math.isfinite(value):
        return None
    decimals = decimals_shown(digits, exponent[1:])
    whole = None if exponent else whole_number(digits, value)
    if names["percent"]:
        # Compared as a share, which is no whole number.
        return Cell("number", text, number=value / 100, decimals=decimals + 2, form=form, percent=True, money=money)
    return Cell("number", text, number=value, decimals=decimals, whole=whole, form=form, money=money)


def _nested(text: str, options: CompareOptions) -> Cell | None:
    """A JSON list or mapping; None when the text is neither."""
    parts: list[Cell] = []

    def skeleton(value: Json) -> object:
        if isinstance(value, list):
            return [skeleton(item) for item in value]
        if isinstance(value, dict):
            return {composed(name): skeleton(item) for name, item in sorted(value.items())}
        parts.append(parse(str(value).lower() if isinstance(value, bool) else value, options))
        return _kind_of(parts[-1])

    try:
        # Numbers are read as they are written, so that none loses digits.
        value = json.loads(
            text, parse_int=str, parse_float=str, parse_constant=lambda word: None if word == "NaN" else word
        )
        if not isinstance(value, list | dict):
            return None
        key = json.dumps(skeleton({"": value}), sort_keys=True)
    except (ValueError, RecursionError, AttributeError):
        return None
    return Cell("nested", text, key=key, parts=tuple(parts))


def _kind_of(cell: Cell) -> list[str]:
    """What the part of a nested cell has in common with all that could be equal to it."""
    return ["#"] if cell.numeric else [cell.kind, cell.key]


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
    found = _DECORATED.fullmatch((cell.text or "").strip().replace(MINUS, "-"))
    if found is None:
        return cell
    digits = bare_digits(found["digits"]).lstrip("0") or "0"
    shown = parse(("-" if cell.number < 0 else "") + digits + found["power"], CompareOptions())
    return replace(cell, number=shown.number, decimals=shown.decimals, whole=shown.whole)


def equal(a: Cell, b: Cell, options: CompareOptions) -> bool:
    """Whether two cells, read under the same options, are equal."""
    if a.numeric and b.numeric:
        if other_money(a.money, b.money):
            return False
        if a.kind == "number" and b.kind == "number":
            return why_equal(a, b, options, min(a.scale, b.scale)) is not None
        # A code keeps its zeros beside another code, and gives them up, exactly, beside a number.
        if a.kind == b.kind:
            return a.text == b.text
        return a.number == b.number if a.whole is None or b.whole is None else a.whole == b.whole
    if a.kind != b.kind or a.key != b.key:
        return False
    return not a.parts or all(equal(one, other, options) for one, other in zip(a.parts, b.parts, strict=True))


def as_gold(cells: Sequence[Cell]) -> Sequence[Cell]:
    """A column of gold, with the absolute tolerance that it bears: see
    :func:`karat.tables.values.numbers.small_scale`."""
    scale = small_scale(cell.number for cell in cells if cell.kind == "number")
    if scale == 1 and not any(cell.parts for cell in cells):
        return cells
    known: dict[str | None, Cell] = {}
    for cell in cells:
        if cell.text not in known:
            known[cell.text] = replace(cell, scale=scale, parts=tuple(as_gold(cell.parts)))
    return [known[cell.text] for cell in cells]


def names_needed(a: Cell, b: Cell, options: CompareOptions) -> set[str]:
    """The normalisations (and ``tolerance``) without which two equal cells would not be equal."""
    if a.text == b.text:
        return set()
    forms = set(a.form.split()), set(b.form.split())
    names = (forms[0] ^ forms[1]) | (forms[0] & forms[1] & {"boolean", "date_format"})
    if a.kind == "text" and a.key not in _INFINITE and composed(a.text or "") != composed(b.text or ""):
        names.add("case_or_space")
    if a.kind == "number" and b.kind == "number":
        why = why_equal(a, b, options, min(a.scale, b.scale))
        if why:
            names.add(why)
    for one, other in zip(a.parts, b.parts, strict=False):
        names |= names_needed(one, other, options)
    return names
