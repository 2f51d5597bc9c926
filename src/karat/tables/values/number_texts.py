"""How a number may be written: the one grammar for cells of tables and for numbers in a sentence.

- Thousands in groups of exactly three digits, all with the same separator: a comma, a space (ordinary, no-break U+00A0,
  figure U+2007, thin U+2009, narrow no-break U+202F) or an apostrophe (``'`` or U+2019). ``12 480`` is 12480; ``12 48``
  and ``1,234 567`` are no number. Nor is ``0,123`` a number with a separator: no grouped number begins with 0.
- Lakhs and crores, in India: groups of two digits before the last of three, ``12,34,567``; in a sentence that may be a
  list.
- Below zero: ``-5.2``, U+2212, ``minus 5.2``, ``negative 5.2``, and in accounts ``(5.2)``.
- Percent: ``%``, ``percent``, ``per cent``, ``pct``.
- Currency: a sign or the code of a currency, before or after: ``$5``, ``EUR 5``, ``5 EUR``. Two numbers with signs that
  no one currency has are not equal: see :func:`currencies_of`.

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
    rf"[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+(?![0-9])"
    rf"|[1-9][0-9]{{0,2}}(?P<gap>[{SPACES}{APOSTROPHES}])[0-9]{{3}}(?:(?P=gap)[0-9]{{3}})*(?![0-9])"
)
LAKHS = r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?![0-9])"
PERCENT = r"%|per\s?cent\b|pct\b\.?"
BELOW_ZERO = r"minus|negative"
_SEPARATORS = re.compile(f"[,{SPACES}{APOSTROPHES}]")
LETTERS_FIRST = rf"(?:{BELOW_ZERO}|US|A|C|NZ|HK|S|R|{'|'.join(CODES)})[\s$0-9.+(-]"
"""What a number begins with where it begins with a letter."""


def bare_digits(text: str) -> str:
    """The digits and the point of a number that was found by this grammar, without separators."""
    return _SEPARATORS.sub("", text)


_SIGNS = {
    "$": "USD ARS AUD CAD CLP COP HKD MXN NZD SGD TWD",
    "US$": "USD",
    "A$": "AUD ARS",
    "C$": "CAD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "R$": "BRL",
    "€": "EUR",
    "£": "GBP EGP",
    "¥": "JPY CNY",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "₴": "UAH",
    "₦": "NGN",
    "₫": "VND",
    "₱": "PHP",
}
"""The currencies that a sign may stand for."""
_BITS = {code: 1 << place for place, code in enumerate(CODES)}


def currencies_of(sign: str | None) -> int:
    """The currencies that a sign or a code may stand for, as bits; 0 for none. Where two numbers have signs and no bit
    in common, they are amounts of different money."""
    if not sign:
        return 0
    return sum(_BITS[code] for code in _SIGNS.get(sign, sign).split())


def other_money(one: int, other: int) -> bool:
    """Whether both numbers say in which currency they are, and it is not the same."""
    return bool(one and other and not one & other)
