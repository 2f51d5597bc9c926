"""What a number counts, where the words after it are a unit of measure or of money: ``5 km``, ``5 square km``,
``5 km/h``, ``5 US dollars``.

Two numbers are not the same where both name a unit and no unit goes by both names. ``m`` is metres or minutes; a number
without a unit, and any other word ("5 stations"), says nothing. Units are not converted into each other. Where one unit
is only a part of the other (``5 hours`` and ``5 hours per week``, ``5 km`` and ``5 square km``), a person must look.
"""

from __future__ import annotations

import re

from karat.tables.values.number_texts import CURRENCY, currencies_of

_NAMES = {
    "millimetre": "mm millimetre millimetres millimeter millimeters",
    "centimetre": "cm centimetre centimetres centimeter centimeters",
    "metre": "m metre metres meter meters mètre mètres metro metros metri",
    "kilometre": "km kms kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro "
    "kilómetros quilómetros chilometro chilometri",
    "inch": "inch inches",
    "foot": "ft foot feet",
    "yard": "yd yds yard yards",
    "mile": "mi mile miles",
    "milligram": "mg milligram milligrams",
    "gram": "g gram grams",
    "kilogram": "kg kgs kilo kilos kilogram kilograms kilogramm kilogrammes",
    "ounce": "oz ounce ounces",
    "pound": "lb lbs pound pounds",
    "tonne": "t ton tons tonne tonnes tonnen toneladas tonnellate",
    "millisecond": "ms millisecond milliseconds",
    "second": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi",
    "minute": "m min mins minute minutes minuten minuto minutos minuti",
    "hour": "h hr hrs hour hours stunde stunden std heure heures hora horas ora ore uur",
    "day": "d day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen",
    "week": "wk wks week weeks woche wochen semaine semaines semana semanas settimana settimane",
    "month": "mo mos mth mths month months monat monate monaten mois mes meses mese mesi maand maanden",
    "quarter": "quarter quarters",
    "year": "y yr yrs year years jahr jahre jahren an ans année années año años ano anos anno anni jaar",
    "millilitre": "ml millilitre millilitres milliliter milliliters",
    "litre": "l litre litres liter liters litros litri",
    "gallon": "gal gallon gallons",
    "celsius": "°c celsius",
    "fahrenheit": "°f fahrenheit",
    "kilobyte": "kb kilobyte kilobytes",
    "megabyte": "mb megabyte megabytes",
    "gigabyte": "gb gigabyte gigabytes",
    "terabyte": "tb terabyte terabytes",
    "watt": "w watt watts",
    "kilowatt": "kw kilowatt kilowatts",
    "megawatt": "mw megawatt megawatts",
    "gigawatt": "gw gigawatt gigawatts",
    "kilowatt hour": "kwh",
    "megawatt hour": "mwh",
    "gigawatt hour": "gwh",
    "microgram": "µg μg mcg ug microgram micrograms",
    "megatonne": "mt megatonne megatonnes megatons",
    "kilotonne": "kt kilotonne kilotonnes kilotons",
    "nautical mile": "nmi",
    "hectare": "ha hectare hectares hektar",
    "acre": "ac acre acres",
    "decilitre": "dl",
    "centilitre": "cl",
    "barrel": "bbl barrel barrels",
    "kilobit": "kbit kbps",
    "megabit": "mbit mbps",
    "gibibyte": "gib",
    "mebibyte": "mib",
    "kibibyte": "kib",
    "calorie": "cal calorie calories",
    "kilocalorie": "kcal cal calories kilocalories",
    "joule": "j joule joules",
    "kilojoule": "kj",
    "megajoule": "mj",
    "volt": "v volt volts",
    "ampere": "a amp amps ampere amperes",
    "kilovolt ampere": "kva",
    "bar": "bar",
    "pound per square inch": "psi",
    "pascal": "pa pascal",
    "hectopascal": "hpa",
    "kilopascal": "kpa",
    "hertz": "hz",
    "kilohertz": "khz",
    "megahertz": "mhz",
    "gigahertz": "ghz",
    "knot": "kn kt knot knots",
    "mile per hour": "mph",
    "kilometre per hour": "kmh kph",
    "cent": "cent cents ct ¢ penny pence p",
}
_SAME = {
    ("mile", "nautical", "", ""): "nautical mile",
    ("mile", "", "", "hour"): "mile per hour",
    ("kilometre", "", "", "hour"): "kilometre per hour",
    ("kilometre", "", "", "h"): "kilometre per hour",
    ("mile", "", "", "h"): "mile per hour",
}
"""Units that have a name of their own as a whole."""
_MONEY = {
    "dollar dollars": "$",
    "euro euros": "€",
    "pound pounds sterling": "£",
    "yen": "JPY",
    "yuan renminbi rmb": "CNY",
    "rupee rupees": "₹",
    "won": "₩",
    "rouble roubles ruble rubles": "₽",
    "franc francs": "CHF",
    "zloty zlotys złoty złotych zł": "PLN",
    "kč": "CZK",
    "円": "JPY",
    "元": "CNY",
    "원": "KRW",
    "руб рублей рубля рубль": "RUB",
    "rs": "₹",
    "fr": "CHF",
    "krone kroner kronor krona kr": "SEK NOK DKK ISK",
}
_OF_COUNTRY = {
    "us": "USD",
    "american": "USD",
    "canadian": "CAD",
    "australian": "AUD",
    "singapore": "SGD",
    "mexican": "MXN",
    "swiss": "CHF",
    "british": "GBP",
    "japanese": "JPY",
    "chinese": "CNY",
    "indian": "INR",
    "swedish": "SEK",
    "norwegian": "NOK",
    "danish": "DKK",
}
"""Words before the name of a currency that say whose it is."""
_UNITS: dict[str, set[str]] = {}
for _unit, _words in _NAMES.items():
    for _word in _words.split():
        _UNITS.setdefault(_word, set()).add(_unit)
_CURRENCIES = {
    word: sum(currencies_of(sign) for sign in signs.split())
    for words, signs in _MONEY.items()
    for word in words.split()
}
_KIND = rf"square|cubic|nautical|sq|cu|degrees?|grad|{'|'.join(_OF_COUNTRY)}"
_AFTER = re.compile(
    rf"[ \u00a0\u202f-]?(?:(?P<kind>{_KIND})(?:\. ?|[ -]))?(?P<word>[°º]\s?[CF]\b|[円元원¢]|[^\W\d_²³¹]+)"
    r"(?P<power>[²³23](?!\w))?(?:\s?(?:/|\bper\b|\bpro\b)\s?(?P<per>[^\W\d_]+))?(?![\d_^²³])",
    re.IGNORECASE,
)
_PAID_AFTER = re.compile(rf"\s?({CURRENCY})")


class Counted:
    """What a number counts: the units that it may be in, what makes them others (``square``, ``²``, ``/h``), and the
    currencies, as bits."""

    __slots__ = ("money", "parts", "units")

    def __init__(
        self, units: frozenset[str] = frozenset(), money: int = 0, parts: tuple[str, ...] = ("", "", "")
    ) -> None:
        self.units, self.money, self.parts = units, money, parts

    @property
    def said(self) -> bool:
        """Whether the number has a unit."""
        return bool(self.units or self.money)

    def other_than(self, other: Counted) -> bool:
        """Whether both say what they count, and it is not the same."""
        if not self.said or not other.said:
            return False
        if self.units & other.units and self.parts != other.parts:
            return True
        return not (self.units & other.units or self.money & other.money)

    def part_of(self, other: Counted) -> bool:
        """Whether both have a unit in common, and one of them more: ``km`` and ``km²``."""
        return bool(self.units & other.units) and self.parts != other.parts


def counted(text: str, end: int, sign: str | None) -> Counted:
    """What a number counts that ends there in the text, with this sign or code of a currency before it."""
    after = _PAID_AFTER.match(text, end)
    if sign or after:
        return Counted(money=currencies_of(sign or (after[1] if after else "")))
    found = _AFTER.match(text, end)
    if found is None:
        return Counted()
    word, kind = found["word"].lower().replace(" ", "").replace("º", "°"), (found["kind"] or "").lower()
    if kind in _OF_COUNTRY and word in _CURRENCIES:
        return Counted(money=currencies_of(_OF_COUNTRY[kind]))
    units = frozenset(_UNITS.get(word, ()))
    power = {"²": "2", "³": "3", "square": "2", "sq": "2", "cubic": "3", "cu": "3"}
    parts = (
        kind if kind == "nautical" else "",
        power.get(found["power"] or kind, found["power"] or ""),
        min(_UNITS.get((found["per"] or "").lower(), {(found["per"] or "").lower()})),
    )
    whole = frozenset(_SAME[unit, *parts] for unit in units if (unit, *parts) in _SAME)
    if whole:
        return Counted(whole)
    return Counted(units, _CURRENCIES.get(word, 0), parts if units else ("", "", ""))
