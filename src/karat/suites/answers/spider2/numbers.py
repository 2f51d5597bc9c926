"""``number_match``: is a gold number among the numbers of the answer?

A number is 1–3 digits with groups of ``,ddd`` behind them, or a run of digits, at word boundaries, then an optional
fraction and an optional ``%`` that divides by 100. Signs are not read (``-5`` is 5), nor exponents (``1e5`` is no
number), nor a leading point (``.5`` is 5).

- Gold as a text, a float or a list of one: the answer must contain exactly one number. An int as gold skips that.
- ``percentage`` puts gold×100 beside every gold number. The tolerance is absolute, 10^-precision.
- ``or`` wants any gold number, ``and`` all of them, each by any number of the answer: with ``percentage`` that is 0.5
  and 50.
- A gold text keeps its sign, so that a negative gold meets no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.spider2.failures import never_raising

NUMBER = re.compile(r"(?:\b\d{1,3}(?:,\d{3})+\b|\b\d+\b)(?:\.\d+)?%?")

Number = str | int | float


@never_raising
def number_match(
    pred: str,
    gold: Number | Sequence[Number],
    percentage: bool = False,
    precision: int = 4,
    conj: str = "or",
) -> Verdict:
    """The verdict on the numbers in a text. Parameters as in the contract."""
    if conj not in ("and", "or"):
        raise ValueError(f'conj is "{conj}", not "and" or "or"')
    found = numbers_in(pred)
    golds = list(gold) if isinstance(gold, (list, tuple)) else [gold]
    if len(golds) == 1 and not isinstance(gold, int) and len(found) != 1:
        return wrong("wrong_number", found=found, expected=golds, rule="the answer must contain exactly one number")
    expected = [_read(str(value)) for value in golds]
    if percentage:
        expected = [number for value in expected for number in (value, value * 100)]
    tolerance = 10.0**-precision
    missing = [value for value in expected if not any(abs(number - value) <= tolerance for number in found)]
    passed = not missing if conj == "and" else len(missing) < len(expected)
    return right() if passed else wrong("wrong_number", found=found, expected=golds, missing=missing)


def numbers_in(text: str) -> list[float]:
    """The numbers of a text, by the rules above."""
    return [_read(match.group()) for match in NUMBER.finditer(text)]


def _read(text: str) -> float:
    plain = text.replace(",", "")
    return float(plain.replace("%", "")) / 100 if "%" in plain else float(plain)
