"""How a number may be written: the one grammar for cells of tables and for numbers in a sentence.

- Thousands in groups of exactly three digits, all with the same separator: a comma, a space (ordinary, no-break U+00A0,
  figure U+2007, thin U+2009, narrow no-break U+202F) or an apostrophe (``'`` or U+2019). ``12 480`` is 12480; ``12 48``
  and ``1,234 567`` are no number.
- Below zero: ``-5.2``, U+2212, ``minus 5.2``, ``negative 5.2``, and in accounts ``(5.2)``.
- Percent: ``%``, ``percent``, ``per cent``, ``pct``.
- Currency: a sign or the code of a currency, before or after: ``$5``, ``EUR 5``, ``5 EUR``.

Each way of writing has a name, under which a verdict that needed it says so: see ``NORMALISATIONS``.
"""

from __future__ import annotations

import re

SPACES = " \u00a0\u2007\u2009\u202f"
APOSTROPHES = "'\u2019"
MINUS = "\u2212"
CODES = [
    "AED",
    "ARS",
    "AUD",
    "BGN",
    "BRL",
    "CAD",
    "CHF",
    "CLP",
    "CNY",
    "COP",
    "CZK",
    "DKK",
    "EGP",
    "EUR",
    "GBP",
    "HKD",
    "HUF",
    "IDR",
    "ILS",
    "INR",
    "ISK",
    "JPY",
    "KES",
    "KRW",
    "KZT",
    "MAD",
    "MXN",
    "MYR",
    "NGN",
    "NOK",
    "NZD",
    "PEN",
    "PHP",
    "PKR",
    "PLN",
    "QAR",
    "RON",
    "RSD",
    "RUB",
    "SAR",
    "SEK",
    "SGD",
    "THB",
    "TRY",
    "TWD",
    "UAH",
    "USD",
    "VND",
    "ZAR",
]
"""Codes of currencies (ISO 4217), as they are written: in capitals."""

CURRENCY = rf"(?:(?-i:US|A|C|NZ|HK|S|R)?\$|[€£¥₹₩₽₺₴₦₫₱]|(?<![A-Za-z])(?-i:{'|'.join(CODES)})(?![A-Za-z]))"
GROUPED = (
    rf"[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])"
    rf"|[1-9][0-9]{{0,2}}(?P<gap>[{SPACES}{APOSTROPHES}])[0-9]{{3}}(?:(?P=gap)[0-9]{{3}})*(?![0-9])"
)
PERCENT = r"%|per\s?cent\b|pct\b\.?"
BELOW_ZERO = r"minus|negative"
_SEPARATORS = re.compile(f"[,{SPACES}{APOSTROPHES}]")
LETTERS_FIRST = rf"(?:{BELOW_ZERO}|US|A|C|NZ|HK|S|R|{'|'.join(CODES)})[\s$0-9.+(-]"
"""What a number begins with where it begins with a letter."""


def bare_digits(text: str) -> str:
    """The digits and the point of a number that was found by this grammar, without separators."""
    return _SEPARATORS.sub("", text)
