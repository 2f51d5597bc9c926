"""Units that results may be in: what each measures, and how it becomes the first unit of its kind.

A value in a unit becomes ``value × factor + offset`` of the base unit; only temperatures have an offset. Symbols are
told apart by case (``m`` is a metre, ``M`` a million), words are not. How a text names a unit: ``unit_names``.
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


KINDS: dict[str, dict[str, str]] = {
    "length": {
        "m metre metres meter meters": "1",
        "mm millimetre millimetres millimeter millimeters": "1/1000",
        "cm centimetre centimetres centimeter centimeters": "1/100",
        "km Km KM kilometre kilometres kilometer kilometers": "1000",
        "dm decimetre decimetres decimeter decimeters": "1/10",
        "um µm micrometre micrometres micrometer micrometers": "1/1000000",
        "nm nanometre nanometres nanometer nanometers": "1/1000000000",
        "in inch inches": "254/10000",
        "ft foot feet": "3048/10000",
        "yd yard yards": "9144/10000",
        "mi mile miles": "1609344/1000",
        "nmi nautical_mile nautical_miles": "1852",
    },
    "mass": {
        "kg Kg KG kgs kilo kilos kilogram kilograms kilogramme kilogrammes kilogramm": "1",
        "g gr gram grams gramme grammes gramm": "1/1000",
        "mg milligram milligrams": "1/1000000",
        "ug µg microgram micrograms": "1/1000000000",
        "t tonne tonnes metric_ton metric_tons": "1000",
        "Mt megatonne megatonnes": "1000000000",
        "lb lbs pound pounds": "45359237/100000000",
        "oz ounce ounces": "45359237/1600000000",
    },
    "time": {
        "s sec secs second seconds": "1",
        "ms millisecond milliseconds": "1/1000",
        "us µs microsecond microseconds": "1/1000000",
        "ns nanosecond nanoseconds": "1/1000000000",
        "min mins minute minutes": "60",
        "h hr hrs hour hours": "3600",
        "d day days": "86400",
        "week weeks wk wks": "604800",
    },
    "calendar": {
        "month months mo": "1",
        "quarter quarters": "3",
        "year years yr yrs": "12",
        "decade decades": "120",
    },
    "area": {
        "m2 sqm sq_m meter**2 metre**2 square_metre square_meter square_metres square_meters": "1",
        "cm2 sq_cm centimeter**2 square_centimetre square_centimeter square_centimetres square_centimeters": "1/10000",
        "mm2 sq_mm millimeter**2": "1/1000000",
        "km2 sq_km kilometer**2 square_kilometre square_kilometer square_kilometres square_kilometers": "1000000",
        "ha hectare hectares": "10000",
        "ft2 foot**2 sqft sq_ft square_foot square_feet": "9290304/100000000",
        "acre acres ac": "40468564224/10000000",
        "mi2 mile**2 sq_mi square_mile square_miles": "2589988110336/1000000",
    },
    "volume": {
        "l L litre litres liter liters": "1",
        "ml mL millilitre millilitres milliliter milliliters": "1/1000",
        "cl cL centilitre centilitres centiliter centiliters": "1/100",
        "dl dL decilitre decilitres deciliter deciliters": "1/10",
        "hl hL hectolitre hectolitres hectoliter hectoliters": "100",
        "m3 meter**3 metre**3 cubic_metre cubic_meter cubic_metres cubic_meters": "1000",
        "cm3 cc centimeter**3 cubic_centimetre cubic_centimeter cubic_centimetres cubic_centimeters": "1/1000",
        "gal gallon gallons": "3785411784/1000000000",
        "ft3 foot**3 cubic_foot cubic_feet": "28316846592/1000000000",
    },
    "temperature": {"K kelvin": "1"},
    "data": {
        "B byte bytes": "1",
        "kB KB kilobyte kilobytes": "1000",
        "MB megabyte megabytes": "1000000",
        "GB gigabyte gigabytes": "1000000000",
        "TB terabyte terabytes": "1000000000000",
        "KiB kibibyte kibibytes": "1024",
        "MiB mebibyte mebibytes": "1048576",
        "GiB gibibyte gibibytes": "1073741824",
        "bit bits": "1/8",
        "kbit kilobit kilobits": "125",
        "Mbit Mb megabit megabits": "125000",
        "Gbit Gb gigabit gigabits": "125000000",
    },
    "power": {
        "W watt watts": "1",
        "kW kilowatt kilowatts": "1000",
        "MW megawatt megawatts": "1000000",
        "GW gigawatt gigawatts": "1000000000",
    },
    "energy": {
        "J joule joules": "1",
        "kJ kilojoule kilojoules": "1000",
        "MJ megajoule megajoules": "1000000",
        "Wh watt_hour watt_hours": "3600",
        "kWh kilowatt_hour kilowatt_hours": "3600000",
        "MWh megawatt_hour megawatt_hours": "3600000000",
        "GWh gigawatt_hour gigawatt_hours": "3600000000000",
        "GJ gigajoule gigajoules": "1000000000",
        "cal calorie calories": "4184/1000",
        "kcal kilocalorie kilocalories": "4184",
    },
    "speed": {
        "m/s mps": "1",
        "km/h kmh kph": "1000/3600",
        "mph": "44704/100000",
        "kn kt knot knots": "1852/3600",
    },
    "number": {
        "ratio share fraction dimensionless 1": "1",
        "% percent pct per_cent": "1/100",
        "‰ permille per_mille": "1/1000",
        "bp bps basis_points": "1/10000",
        "k thousand thousands": "1000",
        "M mn mio Mio million millions": "1000000",
        "bn billion billions mrd Mrd": "1000000000",
        "tn trillion trillions": "1000000000000",
    },
}
TEMPERATURES = {
    "°C C degC celsius degree_Celsius deg_C": (Fraction(1), Fraction(27315, 100)),
    "°F F degF fahrenheit degree_Fahrenheit deg_F": (Fraction(5, 9), Fraction(45967, 100) * Fraction(5, 9)),
}
CODES = (
    "AED ARS AUD BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW KWD KZT MAD"
    " MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD UYU VND ZAR"
)
SIGNS = {
    "US$": "USD", "A$": "AUD", "C$": "CAD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "R$": "BRL",
    "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₴": "UAH", "₺": "TRY",
    "₦": "NGN", "₫": "VND", "₱": "PHP",
}  # fmt: skip
"""The longer signs come first, so that ``A$`` is not read as ``$``."""
MONEY_WORDS = {
    "euro": "EUR",
    "euros": "EUR",
    "dollar": "USD",
    "dollars": "USD",
    "us_dollar": "USD",
    "us_dollars": "USD",
}
SCALES = {
    "k": 10**3, "K": 10**3, "thousand": 10**3,
    "M": 10**6, "mn": 10**6, "m": 10**6, "million": 10**6, "millions": 10**6, "mio": 10**6, "Mio": 10**6, "Mio.": 10**6,
    "bn": 10**9, "B": 10**9, "billion": 10**9, "billions": 10**9, "Mrd": 10**9, "Mrd.": 10**9,
}  # fmt: skip
"""What may be before a currency: ``2.5 M EUR``, ``k€``, ``$3bn``, ``5 million USD``."""
