"""DABstep: its official scorer, reproduced with all that it lets pass, and a strict reading of the same answers.

The official rule drops minus signs and ``%`` (the first digits found count: -5 = 5), takes a single word that is found
in a longer answer, sorts lists, and takes texts that are 95 % alike. The strict one does none of that: numbers agree in
the digits that the answer has, texts but for case and blanks, lists in their order.
"""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher

_WITH_SEPARATORS = re.compile(r"\$?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+[.,]\d+)")
_FIRST_NUMBER = re.compile(r"\d*\.\d+|\d+\.?\d*")
_SEPARATORS = re.compile("[,;]")
CLOSE = 1e-4
ALIKE = 0.95


def official(given: str, answer: str) -> bool:
    """Whether the published scorer takes it."""
    one, other = given.strip().lower(), answer.strip().lower()
    if _WITH_SEPARATORS.fullmatch(one) or _WITH_SEPARATORS.fullmatch(other):
        numbers = _first_number(one), _first_number(other)
        return numbers[0] is not None and numbers[1] is not None and _close(numbers[0], numbers[1])
    if _SEPARATORS.search(one + other):
        return _same_lists(one, other)
    first, second = _first_number(one), _first_number(other)
    if first is not None and second is not None:
        return _close(first, second)
    return _same_texts(one, other)


def _first_number(text: str) -> float | None:
    found = _FIRST_NUMBER.search(text.replace(",", "").replace("$", ""))
    return float(found[0]) if found else None


def _close(one: float, other: float) -> bool:
    if one == other:
        return True
    near = math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    if one < 1 and other < 1:
        return near
    places = min(_places(one), _places(other))
    return round(one, places) == round(other, places) or near


def _places(number: float) -> int:
    text = str(number)
    return len(text.rpartition(".")[2]) if "." in text else 0


def _same_texts(one: str, other: str) -> bool:
    if re.sub(r"\W", "", one) == re.sub(r"\W", "", other):
        return True
    first, second = set(re.findall(r"\w+", one)), set(re.findall(r"\w+", other))
    counts = len(re.findall(r"\w+", one)), len(re.findall(r"\w+", other))
    if first and second and 1 in counts:
        return first <= second or second <= first
    return SequenceMatcher(None, one, other).ratio() > ALIKE


def _same_lists(one: str, other: str) -> bool:
    lists = [
        sorted(item.strip() for item in _SEPARATORS.split(re.sub(r"^\[|\]$", "", text.strip())) if item.strip())
        for text in (one, other)
    ]
    if lists[0] == lists[1]:
        return True
    return len(lists[0]) == len(lists[1]) and all(map(official, *lists))


def strict(given: str, answer: str) -> bool:
    """Whether it is the answer, to the digits that the answer has."""
    wanted, said = _items(answer), _items(given)
    return len(wanted) == len(said) and all(map(_same_item, said, wanted))


def _items(text: str) -> list[str]:
    bare = text.strip()
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", bare):
        return [bare.replace(",", "")]
    inside = bare[1:-1] if bare[:1] == "[" and bare[-1:] == "]" else bare
    return [item.strip().strip("'\"") for item in _SEPARATORS.split(inside)]


def _same_item(given: str, answer: str) -> bool:
    wanted = re.fullmatch(r"[-+]?\d+(?:\.(\d+))?", answer)
    if wanted is None:
        return " ".join(given.split()).casefold() == " ".join(answer.split()).casefold()
    try:
        said = float(given)
    except ValueError:
        return False
    places = len(wanted[1] or "")
    return (
        math.isfinite(said) and abs(said - float(answer)) <= 0.5 * 10**-places + 1e-12
        if places
        else (said == float(answer))
    )
