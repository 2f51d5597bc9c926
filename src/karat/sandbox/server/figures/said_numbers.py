"""Whether the texts at marks say the numbers that the marks show: the labels of bars, notes at points.

A text claims a number where it is one (``5``, ``$1,200``, ``45 %``, ``1.2k``), or one after a name (``North: 5``,
``Peak = 5``). ``n = 12``, ``+4 %``, ``#1``, ``p < 0.05``, ``Covid-19`` and a year claim nothing about a mark. What is
claimed may be the value, the end of a stack, or a sum; or, with all of its kind in the same way, a share or a growth.
"""

from __future__ import annotations

import re
from typing import Collection, Iterable, Iterator, NamedTuple, Sequence

from .tick_numbers import SCALES, SUFFIXES, THOUSANDS, number_parts, says

MOST = 3_000
"""Texts of a panel that are looked at."""
_MARKUP = re.compile(r"<br ?/?>", re.I)
_TAGS = re.compile(r"<[^<>]*>|\$\\[a-z]+\{|\\math\w+|[${}](?=[^\d]|$)")
_PIECES = re.compile(r"[\n;|]| [-–—] |[()\[\]]|(?<=[^\W\d]),\s+(?=\S)|/(?=\D)")
_LETTER = re.compile(r"[^\W\d_]")
_NUMBER = re.compile(r"(?: ?(?P<joint>[:=]) ?| )(?P<number>[^\w\s]{0,2} ?\d.*)", re.S)
"""What follows a name, in a text whose blanks are single spaces."""
_NO_VALUE = re.compile(r"[#+±×~≈<>≤≥▲▼△▽↑↓↗↘⬆⬇Δ∆]|^x\s?\d|^[-−\u2212]\s*\d[\d.,]*\s*%")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b", re.I)
_VALUE_WORDS = re.compile(
    r"\b(?:max(?:imum)?|min(?:imum)?|peak|highest|lowest|high|low|value|best|worst|record|hoch|tief|wert|pic)\b", re.I
)
_OTHER = re.compile(
    r"^(?:n|p|r|r2|r²|k|t|f|z|μ|µ|σ|ρ|α|β|χ²|n_\w+|id|no|nr|rank|year|age|week|day|page|fig(?:ure)?|mean|avg|average|"
    r"median|std|sd|se|count|target|goal|forecast|total|sum|version|v)\.?$",
    re.I,
)


class Mark(NamedTuple):
    """What a reader may say of one mark. ``plain``: its value, the end of its stack, sums; ``derived``: shares and
    growths, each by its kind; an unknown one is 0."""

    plain: tuple[float, ...]
    derived: dict[str, float | None]


class Label(NamedTuple):
    """A text and the marks that it may be about."""

    text: str
    marks: tuple[Mark, ...]


class Shown(NamedTuple):
    """A mark as it is drawn: the place on the axis of the categories, the series, the value, where it ends."""

    place: object
    series: int
    value: float
    end: float


def marks_of(shown: Sequence[Shown]) -> list[Mark]:
    """What may be said of each of these marks of a panel, which are given in the order of each series."""
    by_series: dict[int, list[float]] = {}
    by_place: dict[object, float] = {}
    for one in shown:
        by_series.setdefault(one.series, []).append(one.value)
        by_place[one.place] = by_place.get(one.place, 0.0) + one.value
    everything = sum(one.value for one in shown)
    largest = max((abs(total) for total in by_place.values()), default=0.0)
    met: dict[int, list[float]] = {}
    found: list[Mark] = []
    for one in shown:
        own, before = by_series[one.series], met.setdefault(one.series, [])
        total, at = sum(own), by_place[one.place]
        reached = sum(before) + one.value
        derived = {
            "of the series": _ratio(one.value, total),
            "of the place": _ratio(one.value, at),
            "of all": _ratio(one.value, everything),
            "of the largest": _ratio(one.value, max(map(abs, own))),
            "of the largest place": _ratio(at, largest),
            "place of all": _ratio(at, everything),
            "cumulated": _ratio(reached, total),
            "the sum so far": reached,
            "growth": _ratio(one.value - before[-1], abs(before[-1])) if before else None,
            "growth since the first": _ratio(one.value - before[0], abs(before[0])) if before else None,
            "of the first": _ratio(one.value, own[0]),
        }
        before.append(one.value)
        plain = (one.value, one.end, at)
        found.append(Mark((*plain, *(-value for value in plain)), derived))
    return found


def _ratio(one: float, other: float) -> float | None:
    return one / other if other else None


def other_values(labels: Iterable[Label], axis: str = "", names: Sequence[str] = ()) -> str:
    """The first text that says another number than its mark shows; empty when none does. ``axis``: what the axis of
    the values is called; ``names``: of categories and series, which may stand before a number."""
    known = {name.strip().casefold() for name in names if name.strip()}
    groups: dict[tuple[int, str], list[tuple[str, Label]]] = {}
    for label in list(labels)[:MOST]:
        for place, claim in enumerate(claims(label.text, known)):
            found = number_parts(claim)
            if found is not None and label.marks and not _is_year(claim, label.marks):
                groups.setdefault((place, found[2]), []).append((claim, label))
    for (_, unit), group in groups.items():
        wrong = _first_wrong(group, unit, axis)
        if wrong:
            return wrong
    return ""


def _first_wrong(group: list[tuple[str, Label]], unit: str, axis: str) -> str:
    kinds = {kind for _, label in group for mark in label.marks for kind in mark.derived}
    least = ""
    ways: list[str | None] = [None, *sorted(kinds)]
    fewest = len(group) + 1
    for factor in _factors(unit, axis):
        for way in ways:
            wrong = [claim for claim, label in group if not _holds(claim, label, way, factor)]
            if not wrong:
                return ""
            if len(wrong) < fewest:
                fewest, least = len(wrong), wrong[0]
    return least


def _is_year(claim: str, marks: Sequence[Mark]) -> bool:
    """A year, where no value can be meant."""
    year = re.fullmatch(r"\s*(?:18|19|20|21)\d\d\s*", claim) is not None
    return year and not any(1000 <= abs(value) <= 4000 for mark in marks for value in mark.plain)


def _holds(claim: str, label: Label, way: str | None, factor: float) -> bool:
    for mark in label.marks:
        if way is None:
            if any(says(claim, value, factor) for value in mark.plain):
                return True
        elif way in mark.derived:
            value = mark.derived[way]
            if says(claim, 0.0 if value is None else value, factor) or (factor == 0.01 and says(claim, 1.0, factor)):
                return True
    return False


def _factors(unit: str, axis: str) -> Iterator[float]:
    yield 1.0
    if unit.startswith("%") or unit in ("percent", "pct", "prozent"):
        yield 0.01
    elif unit in SUFFIXES:
        yield SUFFIXES[unit]
    elif unit and unit.split()[0] in SUFFIXES:  # 1.2 mio eur
        yield SUFFIXES[unit.split()[0]]
    elif unit and unit.split()[0] in _WORDS:
        yield _WORDS[unit.split()[0]]
    if not unit and SCALES.search(axis.casefold()):
        yield from THOUSANDS
    if not unit and "%" in axis:
        yield 0.01
    if unit and _UNITS.fullmatch(unit):
        yield from (*THOUSANDS, 60.0, 3600.0, 1 / 60, 24.0, 1024.0, 1024.0**2, 1024.0**3)


_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "tsd": 1e3, "cr": 1e7, "lakh": 1e5}
_UNITS = re.compile(r"k?g|mg|t|[kcm]?m|m?s|min|h|d|m?l|[kmgt]i?b|[kmg]?wh?")


def claims(said: str, names: Collection[str] = ()) -> list[str]:
    """The numbers that a text claims, as it writes them."""
    found: list[str] = []
    if said.strip().casefold() in names:
        return found  # a name that looks like a number
    for piece in _PIECES.split(_TAGS.sub("", _MARKUP.sub("\n", said))):
        bare = piece.partition("±")[0].strip(" \t,.:*†‡")
        if not bare or not any(letter.isdigit() for letter in bare):
            continue
        claim = _claimed(bare, names)
        if claim and not _NO_VALUE.search(claim) and not _ORDINAL.search(claim):
            found.append(claim)
    return found


def _claimed(piece: str, names: Collection[str]) -> str:
    """The number of a piece of text, with its unit; empty where it claims none."""
    if number_parts(piece) is not None and not re.match(r"[a-z]{1,3}\s|[A-Za-z]{1,2}\s?\d", piece):  # day 1, Q3
        return piece if _is_amount(piece) else ""
    piece = " ".join(piece.split())
    letter = _LETTER.search(piece)
    named = _NUMBER.search(piece, letter.end()) if letter else None
    if named is None:
        return ""
    name, number = piece[: named.start()].strip().casefold(), named["number"].strip()
    if not _is_amount(number):
        return ""
    if name in names or _VALUE_WORDS.search(name):
        return number
    return number if named["joint"] and not _OTHER.match(name) else ""


def _is_amount(text: str) -> bool:
    """A number with at most one word after it, or two where the first is ``million``; not a year with a word."""
    found = number_parts(text)
    if found is None:
        return False
    words = found[2].split()
    counted = words[:1] and (words[0] in SUFFIXES or words[0] in _WORDS)
    if words and not counted and re.fullmatch(r"(?:18|19|20|21)\d\d", found[0]) and words[0][:1].isalpha():
        return False
    return len(words) <= (2 if counted else 1)
