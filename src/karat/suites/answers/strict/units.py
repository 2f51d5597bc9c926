"""What a number counts, where the word after it is a unit of measure or of money: ``5 km``, ``5 miles``, ``5 euros``.

Two numbers are not the same where both name a unit and no unit goes by both names. ``m`` is metres or minutes; a number
without a unit, and any other word ("5 stations"), says nothing. Units are not converted into each other.
"""

from __future__ import annotations

import re

from karat.tables.values.number_texts import CURRENCY, currencies_of

_NAMES = {
    "millimetre": "mm millimetre millimetres millimeter millimeters",
    "centimetre": "cm centimetre centimetres centimeter centimeters",
    "metre": "m metre metres meter meters",
    "kilometre": "km kms kilometre kilometres kilometer kilometers",
    "inch": "inch inches",
    "foot": "ft foot feet",
    "yard": "yd yds yard yards",
    "mile": "mi mile miles",
    "milligram": "mg milligram milligrams",
    "gram": "g gram grams",
    "kilogram": "kg kgs kilo kilos kilogram kilograms",
    "ounce": "oz ounce ounces",
    "pound": "lb lbs pound pounds",
    "tonne": "t ton tons tonne tonnes",
    "millisecond": "ms millisecond milliseconds",
    "second": "s sec secs second seconds",
    "minute": "m min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "d day days",
    "week": "wk wks week weeks",
    "month": "mo mos mth mths month months",
    "quarter": "quarter quarters",
    "year": "y yr yrs year years",
    "millilitre": "ml millilitre millilitres milliliter milliliters",
    "litre": "l litre litres liter liters",
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
}
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
    "zloty zlotys": "PLN",
}
_UNITS: dict[str, set[str]] = {}
for _unit, _words in _NAMES.items():
    for _word in _words.split():
        _UNITS.setdefault(_word, set()).add(_unit)
_CURRENCIES = {word: currencies_of(sign) for words, sign in _MONEY.items() for word in words.split()}
_AFTER = re.compile(r"[ \u00a0\u202f-]?(°?[A-Za-z]+)(?![\w/²³^])")
_PAID_AFTER = re.compile(rf"\s?({CURRENCY})")


class Counted:
    """What a number counts: the units that it may be in, and the currencies, as bits."""

    __slots__ = ("money", "units")

    def __init__(self, units: frozenset[str] = frozenset(), money: int = 0) -> None:
        self.units, self.money = units, money

    def other_than(self, other: Counted) -> bool:
        """Whether both say what they count, and it is not the same."""
        if not (self.units or self.money) or not (other.units or other.money):
            return False
        return not (self.units & other.units or self.money & other.money)


def counted(text: str, end: int, sign: str | None) -> Counted:
    """What a number counts that ends there in the text, with this sign or code of a currency before it."""
    after = _PAID_AFTER.match(text, end)
    if sign or after:
        return Counted(money=currencies_of(sign or (after[1] if after else "")))
    found = _AFTER.match(text, end)
    word = found[1].lower() if found else ""
    return Counted(frozenset(_UNITS.get(word, ())), _CURRENCIES.get(word, 0))
