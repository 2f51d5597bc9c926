"""A result as text for the process that runs asserts: plain data, nothing that could run there."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from karat.sandbox import Column, Other, Plain, Record, Series, Table, Unordered


def sent(value: Plain) -> str:
    """``harness.run_assert`` reads it."""
    return json.dumps(_node(value), allow_nan=False)


def _node(value: Plain) -> object:
    """JSON's own for None, truth values, whole numbers and texts; else a list that begins with the kind."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return ["float", repr(value)]
    if isinstance(value, Table):
        return ["table", value.height, [_column(one) for one in value.columns], [_column(one) for one in value.index]]
    if isinstance(value, Series):
        return ["series", _column(value.column), [_column(one) for one in value.index]]
    if isinstance(value, Record):
        return ["record", "Record", list(value.names), _nodes(value.values)]
    if isinstance(value, Mapping):
        return ["dict", [[_node(key), _node(item)] for key, item in value.items()]]
    if isinstance(value, list | tuple):
        kind = "set" if isinstance(value, Unordered) else "tuple" if isinstance(value, tuple) else "list"
        return [kind, _nodes(value)]
    return _single(value)


def _single(value: Plain) -> object:
    if isinstance(value, datetime):
        return ["datetime", value.isoformat()]
    if isinstance(value, date):
        return ["date", value.isoformat()]
    if isinstance(value, time):
        return ["time", value.isoformat()]
    if isinstance(value, timedelta):
        return ["delta", value.days, value.seconds, value.microseconds]
    if isinstance(value, Decimal):
        return ["decimal", str(value)]
    if isinstance(value, complex):
        return ["complex", repr(value.real), repr(value.imag)]
    if isinstance(value, bytes):
        return ["bytes", base64.b64encode(value).decode("ascii")]
    return ["other", value.type if isinstance(value, Other) else type(value).__name__]


def _nodes(values: list[Plain] | tuple[Plain, ...]) -> list[object]:
    return [_node(value) for value in values]


def _column(column: Column) -> list[object]:
    return [_node(column.name), column.dtype, _nodes(column.values)]
