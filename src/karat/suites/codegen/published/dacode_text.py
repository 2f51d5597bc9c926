"""DA-Code's answers as a mapping of names to lists: its official figure, and the strict one.

Official: every name must be there with a list of the same length whose *first* item has the same type and value
(numbers within 0.001, so that 0.0 is taken for a p-value of 1e-40); later items are not looked at, and an empty list is
never right. All names or nothing; the best of several right answers. Strict: all items, in their order unless
``ignore_order`` is set, numbers within a thousandth of the right one, texts but for case and blanks; the share of the
names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from karat.core.json_types import Json
from karat.sandbox import Plain
from karat.suites.codegen.published.plain_answers import items_of, number_of, text_of

CLOSE = 1e-3
NOTHING = 1e-12


def figures(answers: Json, result: Plain, options: Mapping[str, Json]) -> tuple[float, float]:
    """The official figure, and the strict share of names that are right: the best over the right answers."""
    given = _mapping(result)
    wanted = [one for one in (answers if isinstance(answers, list) else [answers]) if isinstance(one, dict) and one]
    loose = bool(options.get("ignore_order", False))
    found = [(_official(one, given, loose), _strict(one, given, loose)) for one in wanted]
    return max((one for one, _ in found), default=0.0), max((two for _, two in found), default=0.0)


def _mapping(result: Plain) -> Mapping[Plain, Plain]:
    if isinstance(result, str):
        try:
            result = json.loads(result[result.index("{") : result.rindex("}") + 1])
        except ValueError:
            return {}
    return result if isinstance(result, Mapping) else {}


def _listed(value: Plain) -> list[Plain]:
    items = items_of(value)
    return [value] if items is None else items


def _official(answer: Mapping[str, Json], given: Mapping[Plain, Plain], loose: bool) -> float:
    return float(all(name in given and _first_agrees(wanted, given[name], loose) for name, wanted in answer.items()))


def _first_agrees(wanted: Json, given: Plain, loose: bool) -> bool:
    one, other = _listed(wanted), _listed(given)
    if len(one) != len(other) or not one:
        return False
    if loose:
        one, other = sorted(one, key=_key), sorted(other, key=_key)
    first, second = one[0], other[0]
    if type(first) is not type(second):
        return False
    if isinstance(first, float):
        return bool(abs(first - second) <= CLOSE)
    return bool(first.lower() == second.lower() if isinstance(first, str) else first == second)


def _strict(answer: Mapping[str, Json], given: Mapping[Plain, Plain], loose: bool) -> float:
    right = [name in given and _agree(_listed(wanted), _listed(given[name]), loose) for name, wanted in answer.items()]
    return sum(right) / len(right)


def _agree(wanted: list[Plain], given: list[Plain], loose: bool) -> bool:
    if len(wanted) != len(given):
        return False
    if loose:
        wanted, given = sorted(wanted, key=_key), sorted(given, key=_key)
    return all(map(_equal, wanted, given))


def _equal(wanted: Plain, given: Plain) -> bool:
    if items_of(wanted) is not None:
        return items_of(given) is not None and _agree(_listed(wanted), _listed(given), loose=False)
    number, said = number_of(wanted), number_of(given)
    if number is not None:
        return said is not None and math.isclose(number, said, rel_tol=CLOSE, abs_tol=NOTHING if number == 0 else 0.0)
    return " ".join(text_of(wanted).split()).casefold() == " ".join(text_of(given).split()).casefold()


def _key(value: Plain) -> tuple[bool, str]:
    return value is None, str(value)
