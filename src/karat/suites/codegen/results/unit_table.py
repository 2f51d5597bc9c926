"""Units that results may be in: what each measures, and how it becomes the first unit of its kind.

A value in a unit becomes ``value × factor + offset`` of the base unit; only temperatures have an offset. Symbols are
told apart by case (``m`` is a metre, ``M`` a million), words are not.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec


class Unit(msgspec.Struct, frozen=True):
    """A unit: what it measures, and its value in the base unit. ``name`` is how it is written in messages."""

    kind: str
    name: str
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)


_KINDS: dict[str, dict[str, str]] = {
    "length": {
        "m metre metres meter meters": "1",
        "mm millimetre millimetres millimeter millimeters": "1/1000",
        "cm centimetre centimetres centimeter centimeters": "1/100",
        "km kilometre kilometres kilometer kilometers": "1000",
        "um µm μm micrometre micrometer": "1/1000000",
        "in inch inches": "254/10000",
        "ft foot feet": "3048/10000",
        "yd yard yards": "9144/10000",
        "mi mile miles": "1609344/1000",
        "nmi nautical_mile nautical_miles": "1852",
    },
    "mass": {
        "kg kilogram kilograms": "1",
        "g gram grams": "1/1000",
        "mg milligram milligrams": "1/1000000",
        "t tonne tonnes metric_ton": "1000",
        "lb lbs pound pounds": "45359237/100000000",
        "oz ounce ounces": "45359237/1600000000",
    },
    "time": {
        "s sec secs second seconds": "1",
        "ms millisecond milliseconds": "1/1000",
        "us µs μs microsecond microseconds": "1/1000000",
        "min mins minute minutes": "60",
        "h hr hrs hour hours": "3600",
        "d day days": "86400",
        "week weeks wk": "604800",
    },
    "area": {
        "m2 m² m^2 m**2 meter**2 metre**2 sqm square_metre square_meter square_metres square_meters": "1",
        "cm2 cm² cm^2 cm**2 centimeter**2": "1/10000",
        "km2 km² km^2 km**2 kilometer**2 square_kilometre square_kilometer": "1000000",
        "ha hectare hectares": "10000",
        "ft2 ft² ft^2 ft**2 foot**2 sqft square_foot square_feet": "9290304/100000000",
        "acre acres ac": "40468564224/10000000",
    },
    "volume": {
        "l L litre litres liter liters": "1",
        "ml mL millilitre millilitres milliliter milliliters": "1/1000",
        "cl cL centilitre centiliter": "1/100",
        "m3 m³ m^3 m**3 meter**3 metre**3 cubic_metre cubic_meter": "1000",
        "gal gallon gallons": "3785411784/1000000000",
        "ft3 ft³ ft^3 ft**3 foot**3 cubic_foot cubic_feet": "28316846592/1000000000",
    },
    "temperature": {"K kelvin": "1"},
    "data": {
        "B byte bytes": "1",
        "kB kilobyte kilobytes": "1000",
        "MB megabyte megabytes": "1000000",
        "GB gigabyte gigabytes": "1000000000",
        "TB terabyte terabytes": "1000000000000",
        "KiB kibibyte kibibytes": "1024",
        "MiB mebibyte mebibytes": "1048576",
        "GiB gibibyte gibibytes": "1073741824",
        "bit bits": "1/8",
    },
    "energy": {
        "J joule joules": "1",
        "kJ kilojoule kilojoules": "1000",
        "MJ megajoule megajoules": "1000000",
        "Wh watt_hour watt_hours": "3600",
        "kWh kilowatt_hour kilowatt_hours": "3600000",
        "MWh megawatt_hour megawatt_hours": "3600000000",
        "cal calorie calories": "4184/1000",
        "kcal kilocalorie kilocalories": "4184",
    },
    "speed": {
        "m/s mps meter/second metre/second": "1",
        "km/h kmh kph kilometer/hour kilometre/hour": "1000/3600",
        "mph mile/hour mi/h": "44704/100000",
        "kn kt knot knots": "1852/3600",
    },
    "number": {
        "ratio share fraction dimensionless 1": "1",
        "% percent pct per_cent": "1/100",
        "‰ permille per_mille": "1/1000",
        "bp bps basis_points": "1/10000",
        "k thousand": "1000",
        "M mn mio million millions": "1000000",
        "bn billion billions": "1000000000",
    },
}
_TEMPERATURES = {
    "°C C degC celsius degree_Celsius deg_C": (Fraction(1), Fraction(27315, 100)),
    "°F F degF fahrenheit degree_Fahrenheit deg_F": (Fraction(5, 9), Fraction(45967, 100) * Fraction(5, 9)),
}
_CODES = (
    "AED ARS AUD BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW KWD KZT MAD"
    " MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD UYU VND ZAR"
)
SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₴": "UAH", "₺": "TRY"}
SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "mn": 10**6, "m": 10**6, "bn": 10**9, "B": 10**9}
"""What may be before a currency: ``2.5 M EUR``, ``k€``, ``$3bn``."""


def _table() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for kind, units in _KINDS.items():
        for names, factor in units.items():
            first, *_ = words = names.split()
            found |= {word: Unit(kind, first, Fraction(factor)) for word in words}
    for names, (factor_, offset) in _TEMPERATURES.items():
        first, *_ = words = names.split()
        found |= {word: Unit("temperature", first, factor_, offset) for word in words}
    for code in _CODES.split():
        found[code] = Unit(code, code)
    found |= {sign: Unit(code, code) for sign, code in SIGNS.items()}
    return found


UNITS = _table()
_WORDS = {name.casefold(): unit for name, unit in UNITS.items() if len(name) > 3 and name.isascii()}


def unit_of(text: str) -> Unit:
    """The unit of that name. One that is not known is a kind of its own, which only the same text is.

    >>> unit_of("Kilograms").name, unit_of("k EUR").factor, unit_of("widgets").kind
    ('kg', Fraction(1000, 1), '"widgets"')
    """
    name = " ".join(text.split())
    joined = name.replace(" ", "_").replace("_/_", "/").replace("_per_", "/").replace("_**_", "**")
    known = UNITS.get(name) or UNITS.get(joined) or _WORDS.get(joined.casefold())
    if known is not None:
        return known
    for scale, factor in SCALES.items():
        rest = name.removeprefix(scale).strip() if name.startswith(scale) else ""
        if rest and (money := UNITS.get(rest)) is not None and money.kind == money.name:
            return Unit(money.kind, name, Fraction(factor))
    for sign in SIGNS:
        if name.startswith(sign) and (many := SCALES.get(name.removeprefix(sign).strip())):
            return Unit(SIGNS[sign], name, Fraction(many))
    return Unit(f'"{name.casefold()}"', name)
