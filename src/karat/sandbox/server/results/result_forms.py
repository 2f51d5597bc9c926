"""What else a result can be: Python's other containers, records, iterators, and the tables of other libraries.

Each is turned into a form that has a record of its own on the wire: a dict, a list, a record with named parts, columns,
or a simpler value.
"""

from __future__ import annotations

import array
import collections
import dataclasses
import enum
import fractions
import io
import itertools
import pathlib
import types
import uuid
from typing import Any, NamedTuple  # Any: the result of a snippet is of any class, known by its name alone

from ..environment.libraries import numpy, pandas
from .result_libraries import Columns, Parts, Simpler, library_form

ITEMS = 1_000_000
"""Items of a generator or iterator that are read at most."""
MOST_DIMENSIONS = 2
MAPPINGS = (
    collections.Counter,
    collections.OrderedDict,
    collections.defaultdict,
    collections.ChainMap,
    types.MappingProxyType,
)
WRAPPERS = (collections.UserDict, collections.UserList, collections.UserString)
LISTS: tuple[type, ...] = (
    range,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
    type(collections.OrderedDict().keys()),
    type(collections.OrderedDict().values()),
    type(collections.OrderedDict().items()),
    collections.deque,
    array.array,
)


class Pairs(NamedTuple):
    """A mapping, as a dict."""

    value: dict[Any, Any]


class Items(NamedTuple):
    """Items in a row, and the word for what held them. There may be no end of them."""

    values: Any
    kind: str


def form_of(value: Any, most: int) -> Any:
    """The form of a value that is not a plain one, of at most that many cells; None when it has none. What a class says
    of itself is not asked, only what it is."""
    kind = type(value)
    if kind in MAPPINGS:
        return Pairs(dict(value))
    if kind in LISTS:
        return Items(value, kind.__name__)
    if kind is bytearray or kind is memoryview:
        return Simpler(bytes(value))
    if kind is fractions.Fraction:
        return Simpler(value.numerator if value.denominator == 1 else float(value))
    if kind in WRAPPERS:
        return Simpler(value.data)
    if isinstance(value, (numpy.dtype, pandas.api.extensions.ExtensionDtype)):
        return Simpler(str(value))
    if kind is uuid.UUID or issubclass(kind, pathlib.PurePath):
        return Simpler(str(value))
    if issubclass(kind, enum.Enum):
        return Simpler(value.value)
    record = _record(value, kind)
    if record is not None:
        return record
    if issubclass(kind, numpy.ndarray) and kind.__module__.partition(".")[0] == "numpy":
        return _array(value)
    if kind is numpy.void and value.dtype.names:
        return _void(value)
    foreign = library_form(value, most)
    if foreign is not None:
        return foreign
    if _is_iterator(kind) and not issubclass(kind, io.IOBase):
        return Items(value, kind.__name__)
    return None


def _is_iterator(kind: type) -> bool:
    return any("__next__" in base.__dict__ for base in kind.__mro__) and any(
        "__iter__" in base.__dict__ for base in kind.__mro__
    )


def _record(value: Any, kind: type) -> object:
    """A named tuple, a dataclass (also of attrs), a simple namespace."""
    if issubclass(kind, tuple) and kind is not tuple:
        names = getattr(kind, "_fields", None)
        values = list(tuple.__iter__(value))
        if type(names) is tuple and len(names) == len(values) and all(type(name) is str for name in names):
            return Parts(kind.__name__, list(names), values)
        return None
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    elif "__attrs_attrs__" in kind.__dict__:
        names = [field.name for field in kind.__dict__["__attrs_attrs__"]]
    elif kind is types.SimpleNamespace:
        names = list(vars(value))
    else:
        return None
    return Parts(kind.__name__, names, [object.__getattribute__(value, name) for name in names])


def _void(value: Any) -> Parts:
    return Parts("void", list(value.dtype.names), [value[name] for name in value.dtype.names])


def _array(value: Any) -> object:
    """An array of numpy: one of records is a table, a masked cell is missing."""
    if value is numpy.ma.masked:
        return Simpler(None)
    if issubclass(type(value), numpy.ma.MaskedArray):
        cells = numpy.asarray(value.filled(), dtype=object)
        cells[numpy.ma.getmaskarray(value)] = None
        return Simpler(cells)
    plain = numpy.asarray(value)
    if plain.dtype.names and plain.ndim == 0:
        return _void(plain[()])
    if plain.dtype.names and plain.ndim == 1:
        return Columns(len(plain), [(name, str(plain.dtype[name]), plain[name]) for name in plain.dtype.names])
    if plain.ndim > MOST_DIMENSIONS:
        return None
    return Simpler(plain.item()) if plain.ndim == 0 else Items(native(plain), "ndarray")


def native(values: Any) -> Any:
    """The items of an array, as Python's own numbers where that loses nothing."""
    if values.ndim == 1 and values.dtype.kind in "biufcUS" and values.dtype.itemsize <= 8:
        return values.tolist()
    return values


def bounded(values: Any, most: int) -> list[Any] | None:
    """All items; None when there are more than the limit. Never reads past it."""
    if type(values) in LISTS:
        try:
            if len(values) > most:
                return None
        except OverflowError:
            return None
    else:
        most = min(most, ITEMS)
    found = list(itertools.islice(values, most + 1))
    return found if len(found) <= most else None
