"""Arguments of a call against those that a case expects.

An object is expected as a subset: other keys are fine. A list has the same length, item by item. 1 equals 1.0, text is
compared exactly, and a value that is JSON in a text is read where an object or a list is expected. An object with one
of the words below is a matcher; to expect such an object itself, write ``{exactly: {…}}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import msgspec

from karat.core.expect.patterns import compiled, is_found
from karat.core.expect.sql_tables import table_fits, tables_of
from karat.core.json_types import Json, JsonMapping
from karat.core.problems import nearest
from karat.core.trace.values import opened

MATCHERS = ("matches", "one_of", "between", "any", "exactly", "sql_tables")
SHOWN = 80


class Difference(msgspec.Struct, frozen=True):
    """A field in which a call is not as expected."""

    field: str
    expected: str
    given: str


# -- the case file ----------------------------------------------------------------------------------------------------


def check_arguments(arguments: JsonMapping) -> None:
    """ValueError for a matcher that cannot be used."""
    for name, value in arguments.items():
        _check(value, name)


def _check(value: Json, field: str) -> None:
    if isinstance(value, list):
        for place, one in enumerate(value):
            _check(one, f"{field}.{place}")
    if not isinstance(value, Mapping):
        return
    known = [key for key in value if key in MATCHERS]
    if not known:
        for key, one in value.items():
            close = nearest(str(key), MATCHERS, cutoff=75) if len(value) == 1 else ()
            if close:
                literal = "To expect an object with this key, write it under exactly."
                raise ValueError(f'{field}: unknown matcher "{key}". Did you mean "{close[0]}"? {literal}')
            _check(one, f"{field}.{key}")
        return
    if len(value) > 1:
        raise ValueError(
            f"{field}: {known[0]} is a matcher and must be alone. Write an object with this key under exactly."
        )
    word, wanted = known[0], value[known[0]]
    if word == "matches":
        if not isinstance(wanted, str):
            raise ValueError(f"{field}: matches needs a regular expression, in quotes")
        try:
            compiled(wanted)
        except ValueError as error:
            raise ValueError(f"{field}: {error}") from None
    elif word == "one_of":
        if not isinstance(wanted, list) or not wanted:
            raise ValueError(f"{field}: one_of needs a list of values")
        _check(wanted, field)
    elif word == "between":
        if not isinstance(wanted, list) or len(wanted) != 2 or not _comparable(*wanted):
            raise ValueError(f"{field}: between needs two numbers, or two texts: [lowest, highest]")
        if wanted[0] > wanted[1]:
            raise ValueError(f"{field}: between needs the lower end first")
    elif word == "any" and wanted is not True:
        raise ValueError(f"{field}: any takes true; leave the argument out where it does not matter")
    elif word == "sql_tables" and (not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted)):
        raise ValueError(f"{field}: sql_tables needs a list of table names")


# -- a call -----------------------------------------------------------------------------------------------------------


def differences(expected: JsonMapping, given: Json, dialect: str = "") -> list[Difference]:
    """The fields in which the arguments of a call are not as expected; none where they are."""
    if not expected:
        return []
    given = opened(given)
    if not isinstance(given, Mapping):
        return [Difference("arguments", _shown(expected), _shown(given))]
    found: list[Difference] = []
    for key, value in expected.items():
        found += _compare(value, given, key, key, dialect)
    return found


def _compare(expected: Json, holder: JsonMapping, key: str, field: str, dialect: str) -> list[Difference]:
    if key not in holder:
        return [Difference(field, _shown(expected), "not given")]
    return _differ(expected, holder[key], field, dialect)


def _differ(expected: Json, given: Json, field: str, dialect: str) -> list[Difference]:
    if isinstance(expected, Mapping) and len(expected) == 1 and (word := next(iter(expected))) in MATCHERS:
        fits = _matches(word, expected[word], given, dialect)
        return [] if fits else [Difference(field, _shown(expected), _shown(given))]
    if isinstance(expected, Mapping | list):
        given = opened(given)
    if isinstance(expected, Mapping) and isinstance(given, Mapping):
        found: list[Difference] = []
        for key, value in expected.items():
            found += _compare(value, given, key, f"{field}.{key}", dialect)
        return found
    if isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        return [
            one
            for place, (left, right) in enumerate(zip(expected, given, strict=True))
            for one in _differ(left, right, f"{field}.{place}", dialect)
        ]
    return [] if same(expected, given) else [Difference(field, _shown(expected), _shown(given))]


def _matches(word: str, wanted: Json, given: Json, dialect: str) -> bool:
    if word == "any":
        return True
    if word == "matches":
        return is_found(wanted, given if isinstance(given, str) else _json(given))
    if word == "one_of":
        return any(not _differ(one, given, "", dialect) for one in wanted)
    if word == "between":
        low, high = wanted
        return _comparable(low, given) and low <= given <= high
    if word == "sql_tables":
        tables = tables_of(given, dialect) if isinstance(given, str) else ()
        return all(any(table_fits(name, table, dialect) for table in tables) for name in wanted)
    return same(wanted, given) or (isinstance(wanted, Mapping | list) and same(wanted, opened(given)))


def same(left: Json, right: Json) -> bool:
    """Whether two values are equal as a whole: 1 is 1.0, and true is not a number."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(*pair) for pair in zip(left, right, strict=True))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def _comparable(left: Json, right: Json) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    numbers = isinstance(left, Real) and isinstance(right, Real)
    return numbers or (isinstance(left, str) and isinstance(right, str))


def _json(value: Json) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return str(value)


def _shown(value: Json) -> str:
    text = _json(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
