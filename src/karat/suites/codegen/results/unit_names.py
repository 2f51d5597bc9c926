"""The unit that a text names: ``km``, ``kilometres``, ``k EUR``, ``EUR/kg``.

``°C`` and ``℃``, ``m²`` and ``m^2``, and both letters for micro are the same. Two units with a stroke or "per" between
them are a unit too.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from karat.suites.codegen.results.unit_table import CODES, KINDS, MONEY_WORDS, SCALES, SIGNS, TEMPERATURES, Unit

_POWER = re.compile(r"(?<=[A-Za-z])\s?(?:\^|\*\*)\s?(?=[23]\b)")
_PER = re.compile(r"\s*/\s*|\s+per\s+|\s+(?=[a-zA-Z]+-1$)")
_MANY = re.compile(r"(?P<many>[1-9][0-9]{0,5})?\s?(?P<unit>\D.*?)(?:-1)?")


def _written(name: str) -> str:
    """A unit's name in one spelling: ``m²`` and ``m^2`` as ``m2``, ``℃`` as ``°C``, ``km per h`` as ``km/h``."""
    plain = unicodedata.normalize("NFKC", name.replace("º", "°")).replace("\u2212", "-")
    return _PER.sub("/", _POWER.sub("", " ".join(plain.split())))


def _table() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for kind, units in KINDS.items():
        for names, factor in units.items():
            first, *_ = words = names.split()
            found |= {_written(word): Unit(kind, first, Fraction(factor)) for word in words}
    for names, (factor_, offset) in TEMPERATURES.items():
        first, *_ = words = names.split()
        found |= {_written(word): Unit("temperature", first, factor_, offset) for word in words}
    for code in CODES.split():
        found[code] = Unit(code, code)
    return found | {sign: Unit(code, code) for sign, code in (*SIGNS.items(), *MONEY_WORDS.items())}


UNITS = _table()
_WORDS = {name.casefold(): unit for name, unit in UNITS.items() if len(name) > 3 and name.isascii()}
_RATES = {"length/time": "speed", "energy/time": "power"}


def unit_of(text: str) -> Unit:
    """The unit of that name. One that is not known is a kind of its own, which only the same text is, in the singular
    or plural.

    >>> unit_of("Kilograms").name, unit_of("k EUR").factor, unit_of("widgets").kind
    ('kg', Fraction(1000, 1), '"widget"')
    >>> unit_of("kilometers per hour").factor == unit_of("km/h").factor, unit_of("EUR/kg").kind
    (True, 'EUR/mass')
    """
    name = _written(text)
    known = _simple(name) or _scaled(name) or _rate(name)
    return known or Unit(f'"{" ".join(_singular(word) for word in name.casefold().split())}"', name)


def _simple(name: str) -> Unit | None:
    joined = name.replace(" ", "_")
    word = joined.casefold()
    return UNITS.get(name) or UNITS.get(joined) or _WORDS.get(word) or _WORDS.get(word.removeprefix("degrees_"))


def _scaled(name: str) -> Unit | None:
    """A currency with a scale before it, or after its sign."""
    first = name.partition(" ")[0]
    pairs = [(scale, name[len(scale) :].strip()) for scale in (first, name[:1]) if scale in SCALES]
    pairs += [(name[len(sign) :].strip(), sign) for sign in SIGNS if name.startswith(sign)]
    for scale, currency in pairs:
        money = _simple(currency)
        if scale in SCALES and money is not None and money.kind == money.name:
            return Unit(money.kind, name, Fraction(SCALES[scale]))
    return None


def _rate(name: str) -> Unit | None:
    """A unit for each so much of another: ``EUR/kg``, ``l/100 km``."""
    over, mark, under = name.partition("/")
    found = _MANY.fullmatch(under) if mark else None
    one = (_simple(over) or _scaled(over)) if found is not None else None
    other = _simple(found["unit"]) if found is not None else None
    if found is None or one is None or other is None or one.offset or other.offset:
        return None
    kind = f"{one.kind}/{other.kind}"
    return Unit(_RATES.get(kind, kind), name, one.factor / (other.factor * int(found["many"] or 1)))


def _singular(word: str) -> str:
    for ending, instead in (
        ("ies", "y"),
        ("xes", "x"),
        ("ches", "ch"),
        ("sses", "ss"),
        ("shes", "sh"),
        ("ss", "ss"),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + instead
    return word
