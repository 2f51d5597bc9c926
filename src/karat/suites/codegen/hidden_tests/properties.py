"""Properties of a result, looked at in plain data, in this process, which never runs generated code.

| property | holds when |
|---|---|
| ``sorted`` (``by``, ``ascending``) | rows are in order of these columns; nulls are all first or all last |
| ``unique`` (``column``) | no two rows have the same values in these columns, or in all |
| ``rows`` (``value``, ``min``, ``max``) | that is the number of rows |
| ``columns`` (``names``) | these are the columns, in any order; an index without a name is none |
| ``no_nulls`` (``column``) | nothing is missing in these columns, or in any |
| ``range`` (``column``, ``min``, ``max``) | every value lies within; nulls do not count |
| ``sums_to`` (``column``, ``value`` or ``of``) | the sum without nulls is that, or the sum of a table's column |
| ``subset_of`` (``column``, ``values`` or ``of``) | every value is one of these, or of a table's column |

Without ``column`` the result must have one column beside its index; for ``range`` and ``sums_to``, one of
numbers. Columns go by the names that they have in the
result. The columns of a mapping of single values are ``key`` and ``value``; that of a list or a single value is
``value``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise

import msgspec

from karat.core.problems import count_of, did_you_mean
from karat.sandbox import Plain, Record, Series, Table
from karat.suites.codegen.records import Columns, HiddenTest
from karat.suites.codegen.results.tables import text_of
from karat.suites.codegen.tasks.hidden_tests import split_column
from karat.tables.options import CompareOptions
from karat.tables.values.cells import equal, parse

VALUE = "value"
SHOWN = 60


class Shape(msgspec.Struct, frozen=True):
    """A result as named columns; ``index`` are those of them that are its index."""

    height: int
    columns: dict[str, list[Plain]]
    index: frozenset[str] = frozenset()

    @property
    def own(self) -> list[str]:
        return [name for name in self.columns if name not in self.index]


class DoesNotHoldError(Exception):
    """Why a property does not hold."""


def property_problem(
    test: HiddenTest, result: Plain, tables: Mapping[str, Columns] | None, options: CompareOptions
) -> str:
    """Why a property does not hold; empty when it does."""
    try:
        _CHECKS[test.property or ""](test, shape_of(result), tables or {}, options)
    except DoesNotHoldError as problem:
        return str(problem)
    return ""


def shape_of(result: Plain) -> Shape:
    """The columns of a result by their names."""
    if isinstance(result, Series):
        result = Table(len(result.column.values), (result.column,), result.index)
    if isinstance(result, Table):
        levels = [(level.name, level.values) for level in result.index]
        named = [(str(name), values) for name, values in levels if name is not None]
        free = [(f"index {place}", values) for place, (name, values) in enumerate(levels) if name is None]
        own = [(VALUE if column.name is None else str(column.name), column.values) for column in result.columns]
        levels_and_columns = [*free, *named, *own]
        names = [name for name, _ in levels_and_columns]
        if repeated := next((name for place, name in enumerate(names) if name in names[:place]), None):
            raise DoesNotHoldError(f'two columns of the result have the name "{repeated}"')
        return Shape(result.height, dict(levels_and_columns), frozenset(name for name, _ in [*free, *named]))
    if isinstance(result, Record):
        result = dict(zip(result.names, result.values, strict=True))
    if isinstance(result, Mapping):
        parts = list(result.values())
        lists = [part for part in parts if isinstance(part, list)]
        if lists and len(lists) == len(parts) and len({len(part) for part in lists}) == 1:
            return Shape(len(lists[0]), {str(name): part for name, part in zip(result, lists, strict=True)})
        return Shape(len(parts), {"key": list(result), VALUE: parts}, frozenset({"key"}))
    if isinstance(result, list | tuple):
        return _rows(
            [dict(zip(row.names, row.values, strict=True)) if isinstance(row, Record) else row for row in result]
        )
    return Shape(1, {VALUE: [result]})


def _rows(rows: Sequence[Plain]) -> Shape:
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(str(name) for row in rows for name in row))
        return Shape(
            len(rows),
            {name: [{str(key): item for key, item in row.items()}.get(name) for row in rows] for name in names},
        )
    if rows and all(isinstance(row, list | tuple) and len(row) == len(rows[0]) for row in rows):
        return Shape(len(rows), {str(place): [row[place] for row in rows] for place in range(len(rows[0]))})
    return Shape(len(rows), {VALUE: list(rows)})


# -- one function each ------------------------------------------------------------------------------------------------


def _sorted(test: HiddenTest, shape: Shape, _tables: Mapping[str, Columns], _options: CompareOptions) -> None:
    columns = _columns(test, shape)
    rows = list(zip(*columns, strict=True))
    missing = [any(_is_null(cell) for cell in row) for row in rows]
    known = [row for row, without in zip(rows, missing, strict=True) if not without]
    if any(missing) and missing not in (sorted(missing), sorted(missing, reverse=True)):
        raise DoesNotHoldError("nulls are between other values")
    for place, (one, other) in enumerate(pairwise(known), start=1):
        first, second = (one, other) if test.ascending else (other, one)
        if _compared(lambda a, b: a > b, first, second):
            direction = "ascending" if test.ascending else "descending"
            raise DoesNotHoldError(f"row {place + 1} is not in {direction} order: {_shown(other)} after {_shown(one)}")


def _unique(test: HiddenTest, shape: Shape, _tables: Mapping[str, Columns], _options: CompareOptions) -> None:
    columns = _columns(test, shape) if test.column else list(shape.columns.values())
    seen: set[tuple[str | None, ...]] = set()
    for row in zip(*columns, strict=True):
        key = tuple(_key(cell) for cell in row)
        if key in seen:
            raise DoesNotHoldError(f"{_shown(row)} appears more than once")
        seen.add(key)


def _row_count(test: HiddenTest, shape: Shape, _tables: Mapping[str, Columns], _options: CompareOptions) -> None:
    low = test.min if test.value is None else test.value
    high = test.max if test.value is None else test.value
    if (low is not None and shape.height < float(low)) or (high is not None and shape.height > float(high)):
        raise DoesNotHoldError(f"the result has {count_of(shape.height, 'row')}")


def _column_names(test: HiddenTest, shape: Shape, _tables: Mapping[str, Columns], _options: CompareOptions) -> None:
    there = [name for name in shape.columns if not name.startswith("index ")]
    missing = [name for name in test.names if name not in there]
    if missing:
        raise DoesNotHoldError(f'the result has no column "{missing[0]}". {did_you_mean(missing[0], there)}'.strip())
    extra = [name for name in shape.own if name not in test.names]
    if extra:
        raise DoesNotHoldError(f'the result has a further column "{extra[0]}"')


def _no_nulls(test: HiddenTest, shape: Shape, _tables: Mapping[str, Columns], _options: CompareOptions) -> None:
    names = test.column or tuple(shape.columns)
    for name, values in zip(names, _columns(test, shape) if test.column else shape.columns.values(), strict=True):
        if any(_is_null(cell) for cell in values):
            raise DoesNotHoldError(f'the column "{name}" has nulls')


def _range(test: HiddenTest, shape: Shape, _tables: Mapping[str, Columns], _options: CompareOptions) -> None:
    for values in _columns(test, shape):
        for cell in values:
            if _is_null(cell):
                continue
            low, high = _like(test.min, cell), _like(test.max, cell)
            if low is not None and _compared(lambda a, b: a < b, cell, low):
                raise DoesNotHoldError(f"{_shown(cell)} is below {test.min}")
            if high is not None and _compared(lambda a, b: a > b, cell, high):
                raise DoesNotHoldError(f"{_shown(cell)} is above {test.max}")


def _sums_to(test: HiddenTest, shape: Shape, tables: Mapping[str, Columns], options: CompareOptions) -> None:
    wanted = _total(_of(test, tables)) if test.of else test.value
    for values in _columns(test, shape):
        total = _total(values)
        if not equal(parse(text_of(wanted), options), parse(text_of(total), options), options):
            raise DoesNotHoldError(f"the sum is {total}, not {wanted}")


def _subset_of(test: HiddenTest, shape: Shape, tables: Mapping[str, Columns], _options: CompareOptions) -> None:
    allowed = {_key(cell) for cell in (_of(test, tables) if test.of else test.values)}
    for values in _columns(test, shape):
        for cell in values:
            if _key(cell) not in allowed:
                raise DoesNotHoldError(f"{_shown(cell)} is not one of the {count_of(len(allowed), 'allowed value')}")


_CHECKS: dict[str, Callable[[HiddenTest, Shape, Mapping[str, Columns], CompareOptions], None]] = {
    "sorted": _sorted,
    "unique": _unique,
    "rows": _row_count,
    "columns": _column_names,
    "no_nulls": _no_nulls,
    "range": _range,
    "sums_to": _sums_to,
    "subset_of": _subset_of,
}


# -- cells ------------------------------------------------------------------------------------------------------------


def _columns(test: HiddenTest, shape: Shape) -> list[list[Plain]]:
    """The columns that a test is about; without a word, the only one beside the index."""
    if not test.column:
        names = shape.own
        if len(names) > 1 and test.property in ("range", "sums_to"):
            names = [name for name in names if _is_numbers(shape.columns[name])]
        if len(names) != 1:
            told = f"the result has {len(shape.own)} columns, and the test does not say which it is about"
            raise DoesNotHoldError(told)
        return [shape.columns[names[0]]]
    for name in test.column:
        if name not in shape.columns:
            raise DoesNotHoldError(f'the result has no column "{name}". {did_you_mean(name, shape.columns)}'.strip())
    return [shape.columns[name] for name in test.column]


def _is_numbers(values: Sequence[Plain]) -> bool:
    known = [cell for cell in values if not _is_null(cell)]
    return bool(known) and all(isinstance(cell, int | float | Decimal) and not isinstance(cell, bool) for cell in known)


def _of(test: HiddenTest, tables: Mapping[str, Columns]) -> list[Plain]:
    place = split_column(test.of, tables)
    if place is None:
        raise DoesNotHoldError(f'there is no column "{test.of}" in the tables')
    return tables[place[0]][place[1]]


def _total(values: Sequence[Plain]) -> Plain:
    known = [cell for cell in values if not _is_null(cell)]
    if not all(isinstance(cell, int | float | Decimal) for cell in known):
        raise DoesNotHoldError("there is something other than numbers to sum")
    if any(isinstance(cell, Decimal) for cell in known):
        known = [Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell) for cell in known]
    return sum(known)


def _is_null(cell: Plain) -> bool:
    return cell is None or cell != cell


def _like(limit: Plain, cell: Plain) -> Plain:
    """A limit as written in a file, in the type of the cell: dates are texts there."""
    if isinstance(cell, date) and isinstance(limit, str):
        try:
            return type(cell).fromisoformat(limit)
        except ValueError:
            raise DoesNotHoldError(f"{limit} is not a date, and {_shown(cell)} is one") from None
    return limit


def _compared(compare: Callable[[Plain, Plain], bool], one: Plain, other: Plain) -> bool:
    try:
        return compare(one, other)
    except TypeError:
        raise DoesNotHoldError(f"{_shown(one)} and {_shown(other)} have no order") from None


def _key(cell: Plain) -> str | None:
    """Equal cells have the same: 3 and 3.0, a date and its midnight."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return text_of(cell).removesuffix("T00:00:00") if isinstance(cell, date) else text_of(cell)  # type: ignore[union-attr]  # a date has a text


def _shown(value: Plain) -> str:
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    text = value.isoformat() if isinstance(value, date) else repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
