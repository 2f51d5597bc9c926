"""Whether the labels of an axis of numbers say other numbers than those that stand there.

``5 %``, ``5k`` at 5,000 and ``$1,000`` say the same; ``50`` at 5 does not. ``5`` at 5,000 does where the axis is called
``in thousands``. A label that is no number (``low``, ``12:30``) says nothing.
"""

from __future__ import annotations

import re
from typing import Iterator, Sequence

SHARES = ("%", "percent", "per cent", "pct", "share", "anteil", "prozent", "pour cent", "porcentaje")
SCALES = re.compile(r"\b(?:thousands?|millions?|billions?|tausend|tsd|mio|mrd|milliers?|miles|k|mn?|bn?|000s?)\b|10\^")
THOUSANDS = tuple(1000.0**power for power in (1, 2, 3, 4, -1, -2, -3, -4))
SUFFIXES = {"k": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "b": 1e9, "bn": 1e9, "g": 1e9, "mrd": 1e9, "t": 1e12}
OF_UNITS = (*THOUSANDS, 60.0, 3600.0, 24.0, 1440.0, 86400.0, 1 / 60, 1024.0, 1024.0**2, 1024.0**3, 0.01, 100.0)
"""What units differ by: metres and kilometres, seconds and hours, bytes."""
_MARKUP = re.compile(r"\\math\w+|\\times|[${}\\]|<[^<>]*>")
_NUMBER = re.compile(r"(\d[\d.,'\u00a0\u202f ]*\d|\d)?(?:e([+-]?\d+)|\s*[x×·]?\s*10\^\s*([+-]?\d+))?")


def other_numbers(labels: Sequence[tuple[float, str]], name: str = "") -> str:
    """The first label that says another number than its place; empty when none does. ``name``: what the axis is called,
    which may say that it shows thousands."""
    parts: dict[str, list[tuple[float, str]]] = {}
    for place, label in labels:
        found = number_parts(label)
        if found is not None:
            parts.setdefault(found[2], []).append((place, label))
    for suffix, group in parts.items():
        ways = [[label for place, label in group if not says(label, place, way)] for way in _factors(suffix, name)]
        if all(ways):
            return min(ways, key=len)[0]
    return ""


def says_number(label: str, place: float) -> bool:
    """Whether a label is the number of its place: ``3 kg`` at 3."""
    return number_parts(label) is not None and not other_numbers([(place, label)])


def _factors(suffix: str, name: str) -> Iterator[float]:
    yield 1.0
    if not suffix:
        named = name.casefold()
        if any(word in named for word in SHARES):
            yield 0.01
        if SCALES.search(named):
            yield from THOUSANDS
    elif any(word in suffix for word in SHARES):
        yield 0.01
    else:
        if suffix in SUFFIXES:
            yield SUFFIXES[suffix]
        yield from OF_UNITS


def number_parts(label: str) -> tuple[str, int | None, str, bool] | None:
    """Digits, exponent, what follows and whether there is a minus; None for what is no number."""
    bare = _MARKUP.sub("", label).replace("\u2212", "-").strip().casefold()
    head = re.match(r"(?:[a-z]{1,3}(?=[$€£¥ ]))?[^\w.,]*", bare)
    start = head.end() if head else 0
    found = _NUMBER.match(bare, start)
    if found is None or not found.group():
        return None
    suffix = bare[found.end() :].strip(" .)]")
    if re.search(r"\d", suffix) or suffix[:1] in ("-", ":", "/", "–"):
        return None
    power = found.group(2) or found.group(3)
    return found.group(1) or "1", int(power) if power and len(power) < 5 else None, suffix, "-" in bare[:start]


def says(label: str, place: float, factor: float, slack: float = 0.999) -> bool:
    """Whether the label, times this factor, is its place, as far as its decimals tell; a minus may be left out, as on
    both sides of a pyramid of ages. ``slack``: how much of the last digit it may differ by; 0.999 is any rounding."""
    parts = number_parts(label)
    if parts is None:
        return True
    digits, power, _, minus = parts
    scale = factor * 10.0 ** (power or 0)
    for number, decimals in _readings(digits):
        step = scale * 10.0**-decimals
        value = -number * scale if minus else number * scale
        if any(abs(value - there) <= slack * step for there in {place, abs(place)}):
            return True
    return False


def _readings(digits: str) -> Iterator[tuple[float, int]]:
    """What digits may say: ``1,000`` is a thousand, or one with three decimals."""
    plain = re.sub(r"['\u00a0\u202f ]", "", digits)
    for point in ".,":
        whole, found, decimals = plain.partition(point)
        other = "," if point == "." else "."
        whole = whole.replace(other, "")
        if other not in decimals and point not in decimals and whole.isdigit() and (decimals.isdigit() or not found):
            yield float(f"{whole}.{decimals or 0}"), len(decimals)
    if "." in plain or "," in plain:
        bare = re.sub(r"[.,]", "", plain)
        if re.fullmatch(r"\d{1,3}(?:[.,]\d{2,3})+", plain):
            yield float(bare), 0
