"""A result as plain data that JSON can carry: numbers, texts, and little records that name their kind.

Types are compared exactly: an object that only says it is a number, or overrides how it is compared or copied, becomes
``other`` with its class and a short text. All missing values (None, NaN, NaT, NA) become null. The host checks every
byte again.
"""

from __future__ import annotations

import datetime
import decimal
from typing import Any  # Any: what a snippet leaves is of any class, and is asked for what its class has

from ..environment.libraries import numpy, pandas
from . import result_forms
from .result_libraries import Column, Parts, Simpler, TooMany

DEPTH = 24
TEXT = 2_000
ARRAYS = (pandas.Index, pandas.api.extensions.ExtensionArray)
CONTAINER = 8
"""What a list or dict counts beside its items: even empty ones take room."""
NULLS = (type(None), type(pandas.NaT), type(pandas.NA))
SIMPLE = frozenset({str, bool, int, float, complex, pandas.Timestamp, *NULLS})
"""Single values that need no further look."""


class TooLarge(Exception):
    """The result has more "cells", or a number in it more "digits", than may be sent."""


class Converter:
    """Counts the cells it has turned, so that no result can take all day."""

    def __init__(self, most_cells: int) -> None:
        self.left = most_cells

    def value(self, value: Any, depth: int = 0) -> object:
        """Anything at all, as plain data."""
        kind = type(value)
        if kind is pandas.DataFrame:
            return self._table(value)
        if kind is pandas.Series:
            return self._series(value)
        if depth >= DEPTH:
            return other(value)
        if kind in (list, tuple, set, frozenset):
            return self._list(list(value), kind.__name__, depth)
        if kind is dict:
            self._spend(CONTAINER + 2 * len(value))
            pairs = [[self.value(key, depth + 1), self.value(item, depth + 1)] for key, item in value.items()]
            return {"k": "dict", "v": pairs}
        if kind is numpy.ndarray and value.dtype.names is None and value.ndim <= result_forms.MOST_DIMENSIONS:
            self._afford(value.size)
            items = list(result_forms.native(value)) if value.ndim else []
            return self._list(items, "ndarray", depth) if value.ndim else self.value(value[()], depth + 1)
        if isinstance(value, ARRAYS) and kind.__module__.partition(".")[0] == "pandas":
            return self._list(list(value), kind.__name__, depth)
        if kind in SIMPLE:
            return scalar(value)
        return self._formed(value, depth)

    def _formed(self, value: object, depth: int) -> object:
        """What is none of these: another container, a record, a table of another library; else a single value."""
        try:
            form = result_forms.form_of(value, self.left)
        except TooMany:
            raise TooLarge("cells") from None
        if form is None:
            return scalar(value)
        if isinstance(form, Simpler):
            return self.value(form.value, depth + 1)
        if isinstance(form, result_forms.Pairs):
            return self.value(form.value, depth)
        if isinstance(form, result_forms.Items):
            items = result_forms.bounded(form.values, self.left)
            if items is None:
                raise TooLarge("cells")
            return self._list(items, form.kind, depth)
        if isinstance(form, Parts):
            self._spend(CONTAINER + 2 * len(form.names))
            parts = [self.value(part, depth + 1) for part in form.values]
            return {"k": "record", "type": form.kind[:200], "names": [name[:200] for name in form.names], "v": parts}
        if isinstance(form, Column):
            self._spend(form.height)
            return {"k": "series", **self._cells(form), "counted": True, "index": []}
        self._spend(form.height * len(form.columns) + len(form.columns))
        columns = [self._cells(Column(*column)) for column in form.columns]
        return {"k": "table", "height": form.height, "columns": columns, "counted": True, "index": []}

    def _cells(self, column: Column) -> Any:
        values = [self._cell(item) for item in column.values]
        return {"name": self._cell(column.name), "dtype": column.dtype[:100], "values": values}

    def _afford(self, cells: int) -> None:
        if cells > self.left:
            raise TooLarge("cells")

    def _spend(self, cells: int) -> None:
        self.left -= cells
        if self.left < 0:
            raise TooLarge("cells")

    def _list(self, values: list[Any], kind: str, depth: int) -> object:
        self._spend(CONTAINER + len(values))
        return {"k": "list", "type": kind, "v": [self.value(item, depth + 1) for item in values]}

    def _table(self, frame: Any) -> object:
        self._spend(frame.shape[0] * (frame.shape[1] + frame.index.nlevels) + frame.shape[1])
        labels = list(frame.columns)
        columns = [self._column(labels[place], frame.iloc[:, place]) for place in range(len(labels))]
        return {"k": "table", "height": len(frame), "columns": columns, **self._index(frame.index)}

    def _series(self, series: Any) -> object:
        self._spend(len(series) * (1 + series.index.nlevels))
        return {"k": "series", **self._column(series.name, series), **self._index(series.index)}

    def _index(self, index: Any) -> Any:
        counted = type(index) is pandas.RangeIndex and index.start == 0 and index.step == 1 and index.name is None
        if counted:
            return {"counted": True, "index": []}
        levels = [index.get_level_values(place) for place in range(index.nlevels)]
        return {"counted": False, "index": [self._column(level.name, level) for level in levels]}

    def _column(self, name: Any, column: Any) -> Any:
        dtype = column.dtype
        if isinstance(dtype, numpy.dtype) and dtype.kind in "biu" and dtype != numpy.uint64:
            values = column.tolist()
        else:
            values = [self._cell(item) for item in column.tolist()]
        return {"name": self._cell(name), "dtype": str(dtype)[:100], "values": values}

    def _cell(self, item: object) -> object:
        return scalar(item) if type(item) in SIMPLE else self.value(item, 1)


def scalar(value: Any) -> object:
    """A single thing: JSON's own where it fits, else a record with its kind."""
    kind = type(value)
    if kind is str or kind is bool:
        return value
    if kind is float:
        return _float(value)
    if kind is int:
        return value if -(2**63) <= value < 2**63 else _big(value)
    if kind in NULLS:
        return None
    if kind is complex:
        missing = value.real != value.real or value.imag != value.imag
        return None if missing else {"k": "complex", "real": _float(value.real), "imag": _float(value.imag)}
    if kind is pandas.Timestamp or kind is datetime.datetime:
        return {"k": "datetime", "v": value.isoformat()} if 1 <= value.year <= 9999 else str(value)
    if kind is datetime.date:
        return {"k": "date", "v": value.isoformat()}
    if kind is datetime.time:
        return {"k": "time", "v": value.isoformat()}
    if kind is pandas.Timedelta or kind is datetime.timedelta:
        return {"k": "timedelta", "v": value.total_seconds()}
    if kind is decimal.Decimal:
        return None if value.is_nan() else _decimal(value)
    if kind is bytes:
        return {"k": "bytes", "v": value.hex()} if len(value) <= TEXT else other(value)
    if kind is pandas.Period or kind is pandas.Interval:
        return str(value)
    if isinstance(value, numpy.generic) and kind.__module__ == "numpy":
        return _numpy(value)
    return other(value)


def _numpy(value: Any) -> object:
    if value.dtype.kind in "Mm":
        try:
            return scalar(pandas.Timestamp(value) if value.dtype.kind == "M" else pandas.Timedelta(value))
        except (ValueError, OverflowError):  # a year that no calendar of Python's has
            return str(value)
    native = value.item()
    if isinstance(native, numpy.generic):  # long doubles have no Python number of their own
        return _float(float(native)) if native.dtype.kind == "f" else other(value)
    return scalar(native)


def _float(value: float) -> object:
    if value != value:
        return None
    return {"k": "infinity", "negative": value < 0} if value in (float("inf"), float("-inf")) else value


def _big(value: int) -> object:
    if value.bit_length() > 4 * TEXT:
        raise TooLarge("digits")
    return {"k": "integer", "v": hex(value)}


def _decimal(value: decimal.Decimal) -> object:
    """Written in full it must have no more digits than the host takes."""
    if len(value.as_tuple().digits) > 2 * TEXT or (value.is_finite() and abs(value.adjusted()) > 2 * TEXT):
        raise TooLarge("digits")
    return {"k": "decimal", "v": str(value)}


def other(value: object) -> object:
    """What has no plain form: its class, and how it shows itself, cut."""
    kind = type(value)
    try:
        text = str(repr(value))[:TEXT]
    except BaseException:  # its own code, and it may do anything
        text = ""
    return {"k": "other", "type": f"{kind.__module__}.{kind.__qualname__}"[:200], "v": text}
