"""A value as text and back, exactly: dtypes, kinds of index, frequencies and names are kept, for tests that look at
them.

Text that does not come from ``encode`` makes ``decode`` fail or gives another plain value; it never runs anything. What
has no form here becomes an ``Unknown``, which equals nothing. Runs in the sandbox.
"""

from __future__ import annotations

import base64
import collections
import datetime
import decimal
import fractions
import json
from collections.abc import Callable
from typing import Any  # Any: values of pandas, numpy and Python, recognised by their class, and JSON

import numpy
import pandas

DEPTH = 40
SEQUENCES: dict[str, Any] = {kind.__name__: kind for kind in (list, tuple, set, frozenset, collections.deque)}
MAPPINGS: dict[str, Any] = {kind.__name__: kind for kind in (dict, collections.OrderedDict, collections.Counter)}
BASES: tuple[Any, ...] = (int, str, float, list, tuple, set, frozenset, dict)
"""A value of a subclass counts as what it is made from."""
MASKED = ("IntegerArray", "FloatingArray", "BooleanArray")
TYPES: dict[str, Any] = {
    kind.__name__: kind for kind in (bool, int, float, complex, str, bytes, list, tuple, set, dict)
}
ISO: dict[str, Any] = {"date": datetime.date, "time": datetime.time, "datetime": datetime.datetime}


class Unknown:
    """Something that cannot be carried over."""

    __hash__ = None  # type: ignore[assignment]  # Python's own way to say so

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return False


def encode(value: object) -> str:
    try:
        node = _out(value, 0)
    except Exception:  # whatever a library or the answer's own class says
        node = ["unknown", type(value).__name__]
    return json.dumps(node, allow_nan=False, ensure_ascii=True)


def decode(text: str) -> Any:
    return _in(json.loads(text))


# -- out --------------------------------------------------------------------------------------------------------------


def _out(value: Any, depth: int) -> object:
    """JSON's own for None, bool, int and str; everything else is a list that begins with its kind."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if depth > DEPTH:
        raise ValueError("nested too deeply")
    deeper = depth + 1
    if kind is float:
        return ["float", value.hex()]
    if isinstance(value, pandas.DataFrame):
        columns = [_array(value.iloc[:, place], deeper) for place in range(value.shape[1])]
        return ["frame", _index(value.columns, deeper), _index(value.index, deeper), columns]
    if isinstance(value, pandas.Series):
        return ["series", _array(value, deeper), _index(value.index, deeper), _out(value.name, deeper)]
    if isinstance(value, pandas.Index):
        return _index(value, deeper)
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return _numpy(value, deeper)
    if isinstance(value, pandas.api.extensions.ExtensionArray):
        return ["array", _array(value, deeper)]
    for name, known in MAPPINGS.items():
        if kind is known:
            return ["mapping", name, [[_out(key, deeper), _out(item, deeper)] for key, item in value.items()]]
    for name, known in SEQUENCES.items():
        if kind is known:
            return ["items", name, [_out(item, deeper) for item in value]]
    found = _single(value)
    if found is not None:
        return found
    for base in BASES:
        if isinstance(value, base):
            return _out(base(value), deeper)
    return ["unknown", f"{kind.__module__}.{kind.__qualname__}"]


def _single(value: Any) -> object:
    kind = type(value)
    if value is pandas.NaT or value is pandas.NA:
        return ["missing", "NaT" if value is pandas.NaT else "NA"]
    if kind is pandas.Timestamp:
        naive = value if value.tz is None else value.tz_convert("UTC").tz_localize(None)
        return ["timestamp", _numpy(naive.to_datetime64(), 1), _zone(value.tz)]
    if kind is pandas.Timedelta:
        return ["timedelta", _numpy(value.to_timedelta64(), 1)]
    if kind is pandas.Period:
        return ["period", value.ordinal, value.freqstr]
    if kind is pandas.Interval:
        return ["interval", _out(value.left, 1), _out(value.right, 1), value.closed]
    if kind is datetime.timedelta:
        return ["delta", value.days, value.seconds, value.microseconds]
    if kind.__name__ in ISO and kind is ISO[kind.__name__]:
        return ["iso", kind.__name__, value.isoformat()]
    if kind is complex:
        return ["complex", value.real.hex(), value.imag.hex()]
    if kind is bytes:
        return ["bytes", _packed(value)]
    if kind in (decimal.Decimal, fractions.Fraction):
        return ["number", kind.__name__, str(value)]
    if kind is range or kind is slice:
        return [kind.__name__, _out(value.start, 1), _out(value.stop, 1), _out(value.step, 1)]
    if isinstance(value, (numpy.dtype, pandas.api.extensions.ExtensionDtype)):
        return ["dtype", str(value)]
    if kind is type and value in TYPES.values():
        return ["type", value.__name__]
    return None


def _numpy(value: Any, depth: int) -> object:
    if isinstance(value, numpy.ma.MaskedArray):
        return ["masked", _numpy(numpy.asarray(value.data), depth), _numpy(numpy.ma.getmaskarray(value), depth)]
    if isinstance(value, numpy.generic) and value.dtype.names is None and value.dtype.kind != "O":
        return ["scalar", value.dtype.str, _packed(value.tobytes())]
    if value.dtype.kind == "O":
        flat = [_out(item, depth + 1) for item in value.ravel().tolist()]
        return ["objects", list(value.shape), flat]
    names = None if value.dtype.names is None else value.dtype.descr
    dtype = value.dtype.str if names is None else [[str(name), str(code)] for name, code in names]
    return [
        "ndarray",
        dtype,
        list(value.shape),
        _packed(numpy.ascontiguousarray(value).tobytes()),
        type(value) is numpy.matrix,
    ]


def _array(column: Any, depth: int) -> object:
    """The values of a column or an index, with their dtype."""
    values: Any = column if isinstance(column, pandas.api.extensions.ExtensionArray) else column.array
    kind = type(values).__name__
    if kind in ("PandasArray", "NumpyExtensionArray"):
        return _numpy(values.to_numpy(), depth)
    if kind == "DatetimeArray":
        return ["datetimes", _numpy(values.asi8, depth), _unit(values), _zone(values.tz)]
    if kind == "TimedeltaArray":
        return ["timedeltas", _numpy(values.asi8, depth), _unit(values)]
    if kind == "Categorical":
        return ["categories", _index(values.categories, depth), _numpy(values.codes, depth), bool(values.ordered)]
    if kind == "PeriodArray":
        return ["periods", _numpy(values.asi8, depth), values.freqstr]
    if kind == "IntervalArray":
        return ["intervals", _index(values.left, depth), _index(values.right, depth), values.closed]
    if kind == "SparseArray":
        return ["sparse", _numpy(numpy.asarray(values), depth), _out(values.fill_value, depth)]
    if kind in MASKED:
        return ["nullable", kind, _numpy(values._data, depth), _numpy(values._mask, depth)]
    if isinstance(values.dtype, pandas.StringDtype):
        pairs = zip(values, pandas.isna(values))  # noqa: B905 (Python 3.9)
        texts = [None if missing else str(text) for text, missing in pairs]
        nan = getattr(values.dtype, "na_value", pandas.NA) is not pandas.NA
        return ["strings", values.dtype.storage, nan, texts]
    return ["other", str(values.dtype), [_out(item, depth + 1) for item in values]]


def _index(index: Any, depth: int) -> object:
    if isinstance(index, pandas.MultiIndex):
        levels = [_index(level, depth + 1) for level in index.levels]
        codes = [_numpy(numpy.asarray(code), depth) for code in index.codes]
        return ["levels", levels, codes, [_out(name, depth + 1) for name in index.names]]
    name = _out(index.name, depth + 1)
    if type(index) is pandas.RangeIndex:
        return ["counted", index.start, index.stop, index.step, name]
    regular = isinstance(index, (pandas.DatetimeIndex, pandas.TimedeltaIndex))
    return ["index", _array(index, depth), name, index.freqstr if regular else None]


def _unit(value: object) -> str:
    return str(getattr(value, "unit", "ns"))


def _zone(zone: object) -> object:
    return None if zone is None else str(zone)


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


# -- in ---------------------------------------------------------------------------------------------------------------


def _in(node: object) -> Any:
    if not isinstance(node, list):
        return node
    return READERS[node[0]](*node[1:])


def _frame(columns: Any, index: Any, arrays: Any) -> object:
    names, rows = _in(columns), _in(index)
    parts = {place: _column(array) for place, array in enumerate(arrays)}
    frame = pandas.DataFrame(parts, index=range(len(rows)))
    frame.index, frame.columns = rows, names
    return frame


def _series(array: object, index: object, name: object) -> object:
    series = _column(array)
    series.index, series.name = _in(index), _in(name)
    return series


def _column(array: object) -> Any:
    """Object stays object: pandas would make texts of it."""
    values = _in(array)
    return pandas.Series(values, dtype=object if values.dtype == object else None, copy=True)


def _plain_index(array: Any, name: Any, freq: Any) -> object:
    values = _in(array)
    index = pandas.Index(values, dtype=object if values.dtype == object else None, name=_in(name))
    if freq is not None:
        index.freq = pandas.tseries.frequencies.to_offset(freq)
    return index


def _levels(levels: Any, codes: Any, names: Any) -> object:
    return pandas.MultiIndex(
        levels=[_in(level) for level in levels],
        codes=[_in(code) for code in codes],
        names=[_in(name) for name in names],
    )


def _ndarray(dtype: Any, shape: Any, data: str, matrix: bool) -> object:
    kind = numpy.dtype(dtype if isinstance(dtype, str) else [(name, code) for name, code in dtype])
    if kind.hasobject:
        raise ValueError("objects are no bytes")
    array = numpy.frombuffer(base64.b64decode(data), dtype=kind).reshape(shape).copy()
    return numpy.asmatrix(array) if matrix else array


def _objects(shape: Any, items: Any) -> object:
    flat = numpy.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        flat[place] = _in(item)
    return flat.reshape(shape)


def _datetimes(numbers: Any, unit: str, zone: Any) -> object:
    index = pandas.DatetimeIndex(_in(numbers).view(f"M8[{unit}]"))
    return (index if zone is None else index.tz_localize("UTC").tz_convert(zone)).array


def _timestamp(moment: Any, zone: Any) -> object:
    found = pandas.Timestamp(_in(moment))
    return found if zone is None else found.tz_localize("UTC").tz_convert(zone)


def _strings(storage: Any, nan: bool, texts: Any) -> object:
    dtype = pandas.StringDtype(storage, na_value=numpy.nan) if nan else pandas.StringDtype(storage)
    return pandas.array(texts, dtype=dtype)


def _nullable(kind: str, data: object, mask: object) -> object:
    if kind not in MASKED:
        raise ValueError(kind)
    return getattr(pandas.arrays, kind)(_in(data), _in(mask))


READERS: dict[str, Callable[..., Any]] = {
    "float": float.fromhex,
    "frame": _frame,
    "series": _series,
    "index": _plain_index,
    "counted": lambda start, stop, step, name: pandas.RangeIndex(start, stop, step, name=_in(name)),
    "levels": _levels,
    "array": _in,
    "mapping": lambda kind, pairs: MAPPINGS[kind]({_in(key): _in(item) for key, item in pairs}),
    "items": lambda kind, items: SEQUENCES[kind]([_in(item) for item in items]),
    "missing": lambda name: {"NaT": pandas.NaT, "NA": pandas.NA}[name],
    "timestamp": _timestamp,
    "timedelta": lambda length: pandas.Timedelta(_in(length)),
    "period": lambda ordinal, freq: pandas.Period(ordinal=ordinal, freq=freq),
    "interval": lambda left, right, closed: pandas.Interval(_in(left), _in(right), closed),
    "delta": datetime.timedelta,
    "iso": lambda kind, text: ISO[kind].fromisoformat(text),
    "complex": lambda real, imag: complex(float.fromhex(real), float.fromhex(imag)),
    "bytes": base64.b64decode,
    "number": lambda kind, text: {"Decimal": decimal.Decimal, "Fraction": fractions.Fraction}[kind](text),
    "range": lambda start, stop, step: range(start, stop, step),
    "slice": lambda start, stop, step: slice(_in(start), _in(stop), _in(step)),
    "dtype": pandas.api.types.pandas_dtype,
    "type": lambda name: TYPES[name],
    "scalar": lambda dtype, data: numpy.frombuffer(base64.b64decode(data), dtype=numpy.dtype(dtype))[0],
    "ndarray": _ndarray,
    "objects": _objects,
    "masked": lambda data, mask: numpy.ma.MaskedArray(_in(data), _in(mask)),
    "datetimes": _datetimes,
    "timedeltas": lambda numbers, unit: pandas.TimedeltaIndex(_in(numbers).view(f"m8[{unit}]")).array,
    "categories": lambda names, codes, ordered: pandas.Categorical.from_codes(_in(codes), _in(names), ordered=ordered),
    "periods": lambda numbers, freq: pandas.arrays.PeriodArray(_in(numbers), dtype=pandas.PeriodDtype(freq)),
    "intervals": lambda left, right, closed: pandas.arrays.IntervalArray.from_arrays(_in(left), _in(right), closed),
    "sparse": lambda dense, fill: pandas.arrays.SparseArray(_in(dense), fill_value=_in(fill)),
    "nullable": _nullable,
    "strings": _strings,
    "other": lambda dtype, items: pandas.array([_in(item) for item in items], dtype=dtype),
    "unknown": Unknown,
}
