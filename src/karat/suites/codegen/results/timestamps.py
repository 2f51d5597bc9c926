"""Times with and without a zone, and spans of time: what these texts mean in a result.

Two moments with zones are compared in UTC, by ``tables``. A moment with a zone never equals one without: nobody knows
which zone the other is in. Spans are written in one form, whichever they came in (a timedelta, ``PT90M``, or pandas'
``0 days 01:30:00``), so that they are equal as texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from karat.tables.table import Table

_ZONED = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?P<zone>Z|UTC|[+-]\d{2}(?::?\d{2})?)?"
)
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_ISO = re.compile(
    r"(?P<sign>-)?P(?=\d|T\d)(?:(?P<weeks>\d{1,9})W)?(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,12}(?:\.\d{1,9})?)S)?)?"
)
_PANDAS = re.compile(
    r"(?P<sign>-)?(?P<days>\d{1,9}) days?"
    r"(?: (?P<plus>\+)?(?P<hours>\d{2}):(?P<minutes>\d{2}):(?P<seconds>\d{2}(?:\.\d{1,9})?))?"
)
_SPAN = re.compile(r"(-?)PT([0-9.]+)S")
_FACTORS = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def span_text(value: timedelta | str) -> str:
    """A span in the one form; any other text as it is.

    >>> span_text("PT90M"), span_text("0 days 01:30:00"), span_text(timedelta(minutes=90)), span_text("P90")
    ('PT5400S', 'PT5400S', 'PT5400S', 'P90')
    """
    if isinstance(value, timedelta):
        whole = (value.days * 86_400 + value.seconds) * 10**6 + value.microseconds
        return _written(Decimal(whole) / 10**6)
    iso = _ISO.fullmatch(value) if value.startswith(("P", "-P")) else None
    if iso is not None:
        return _written(_seconds(iso) * (-1 if iso["sign"] else 1))
    pandas = _PANDAS.fullmatch(value) if " day" in value else None
    if pandas is None:
        return value
    day = Decimal(pandas["days"]) * 86_400 * (-1 if pandas["sign"] else 1)
    clock = sum((Decimal(pandas[name] or 0) * _FACTORS[name] for name in ("hours", "minutes", "seconds")), Decimal(0))
    return _written(day - clock if pandas["sign"] and not pandas["plus"] else day + clock)


def seconds_of(text: str) -> Decimal | None:
    """The seconds of a span in any of these forms; None where it is none.

    >>> seconds_of("PT1H30M"), seconds_of("90")
    (Decimal('5400'), None)
    """
    written = _SPAN.fullmatch(span_text(text))
    return None if written is None else Decimal(written[1] + written[2])


def _seconds(found: re.Match[str]) -> Decimal:
    return sum((Decimal(found[name] or 0) * factor for name, factor in _FACTORS.items()), Decimal(0))


def _written(seconds: Decimal) -> str:
    text = f"{abs(seconds):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{'-' if seconds < 0 else ''}PT{text}S"


def zones_differ(gold: Table, given: Table, mapping: Sequence[int | None]) -> str:
    """The first column with moments that have a zone on one side only; empty when there is none."""
    for place, other in enumerate(mapping):
        if other is None or place >= gold.width or other >= given.width:
            continue
        if not (_may_be_moments(gold.texts(place)) and _may_be_moments(given.texts(other))):
            continue
        ours, theirs = _zones(gold.texts(place)), _zones(given.texts(other))
        mixed = ours != theirs and ours.total() == theirs.total()
        if ours and theirs and (set(ours) != set(theirs) or mixed):
            return gold.names[place]
    return ""


def _may_be_moments(texts: Sequence[str | None]) -> bool:
    first = next((text for text in texts if text is not None), "").strip()
    return first[:1] in ("[", "{") or bool(_DAY.match(first))


def _zones(texts: Sequence[str | None]) -> Counter[bool]:
    """How many moments have a zone, and how many none; also of those within lists and mappings."""
    found: Counter[bool] = Counter()
    for text in texts:
        if text is None:
            continue
        bare = text.strip()
        if bare[:1] in ("[", "{"):
            found.update(bool(one["zone"]) for one in _ZONED.finditer(bare))
        elif (one := _ZONED.fullmatch(bare)) is not None or _DAY.fullmatch(bare):
            found[bool(one and one["zone"])] += 1
    return found
