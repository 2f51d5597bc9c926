"""The result that a relation wants on changed tables, made from the result on the task's own.

``same``: as it is. ``times``: every number of it times the factor, but for an index, the keys of a mapping and texts. A
mapping says it for each column, or for each key of a result that is a mapping; what it does not name stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from karat.core.json_types import Json
from karat.sandbox import Column, Plain, Record, Series, Table, Unordered


def related(value: Plain, wanted: Json, factor: float) -> Plain:
    """The result that is right on the changed tables."""
    if wanted == "same":
        return value
    exact = int(factor) if float(factor).is_integer() else factor
    return _times(value, exact) if wanted == "times" else _by_name(value, wanted, exact)


def _times(value: Plain, factor: float) -> Plain:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float | complex):
        return value * factor
    if isinstance(value, Decimal):
        return value * Decimal(repr(factor))
    if isinstance(value, Table):
        return msgspec.structs.replace(value, columns=tuple(_column(one, factor) for one in value.columns))
    if isinstance(value, Series):
        return msgspec.structs.replace(value, column=_column(value.column, factor))
    if isinstance(value, Record):
        return msgspec.structs.replace(value, values=tuple(_times(one, factor) for one in value.values))
    if isinstance(value, Mapping):
        return {key: _times(one, factor) for key, one in value.items()}
    if isinstance(value, Unordered):
        return Unordered(_times(one, factor) for one in value)
    return type(value)(_times(one, factor) for one in value) if isinstance(value, list | tuple) else value


def _column(column: Column, factor: float) -> Column:
    return msgspec.structs.replace(column, values=[_times(value, factor) for value in column.values])


def _by_name(value: Plain, wanted: Mapping[str, str], factor: float) -> Plain:
    def times(name: object) -> bool:
        return wanted.get(str(name)) == "times"

    if isinstance(value, Table):
        columns = tuple(_column(one, factor) if times(one.name) else one for one in value.columns)
        return msgspec.structs.replace(value, columns=columns)
    if isinstance(value, Series):
        if times(value.column.name):
            return _times(value, factor)
        names = value.index[0].values if len(value.index) == 1 else [None] * len(value.column.values)
        cells = [
            _times(one, factor) if times(name) else one for name, one in zip(names, value.column.values, strict=True)
        ]
        return msgspec.structs.replace(value, column=msgspec.structs.replace(value.column, values=cells))
    if isinstance(value, Mapping):
        return {key: _times(one, factor) if times(key) else one for key, one in value.items()}
    if isinstance(value, Record):
        parts = zip(value.names, value.values, strict=True)
        return msgspec.structs.replace(
            value, values=tuple(_times(one, factor) if times(name) else one for name, one in parts)
        )
    if isinstance(value, list) and value and all(isinstance(row, Mapping | Record) for row in value):
        return [_by_name(row, wanted, factor) for row in value]
    return value
