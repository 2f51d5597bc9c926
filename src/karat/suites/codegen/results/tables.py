"""Results as tables of texts, so that results of different types can mean the same.

- a data frame: the levels of its index and its columns; a series: a frame of one column
- a number, text or date: one cell; a list: one column, or rows when its items are lists of one length
- a mapping (also a Counter): a row for each key; columns when its values are lists of one length and the other result
  is a table; for two mappings of lists see ``readings``
- a set: a list in no order; a tuple of single values: a list whose places count; a named tuple or dataclass: a mapping
  beside a mapping, a tuple beside a tuple, see ``readings``; a list of them: rows with named columns
- complex numbers: a column of their real and one of their imaginary parts, unless these are all 0

Numbers are written in full, dates in ISO form, missing values are null. Of the expected result an index counts when it
is named or is not merely numbers; of a single row only when it is named. Of a given result every index may stand for an
expected column, and none is too much.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec

from karat.sandbox import Column, Other, Plain, Record, Series, Table, Unordered
from karat.suites.codegen.results.bins import bin_text
from karat.suites.codegen.results.timestamps import span_text
from karat.tables.files.probe import NotOpened, parquet_copy
from karat.tables.files.reading import read_csv
from karat.tables.table import Table as TextTable
from karat.tables.table import TableError

_HINTS = {
    "polars.expr.expr.Expr": ": an expression that no frame has evaluated",
    "numpy.ndarray": ": it has more than two dimensions",
    "xarray.core.dataarray.DataArray": ": it has more than one dimension",
}
QUANTITY = ("magnitude", "units")
"""The parts of a quantity of pint or astropy."""
IMAGINARY = " (imaginary)"
NEGLIGIBLE = 1e-12
"""An imaginary part below this share of the number is noise."""


class NoTableError(Exception):
    """A result that has no plain form, or none that can be compared."""


class Shaped(msgspec.Struct, frozen=True):
    """A result as a table; ``free`` are the columns of it that no expected column has to stand for."""

    table: TextTable
    free: frozenset[int] = frozenset()


def expected_table(value: Plain) -> TextTable:
    """The right result: the columns that an answer must have."""
    shaped = _shape(value, _needed)
    return shaped.table


def given_table(value: Plain) -> Shaped:
    """An answer's result: all of its columns, the index first."""
    return _shape(value, lambda *_: True)


def is_quantity(value: Plain) -> bool:
    """Whether it is a number, or several, with a unit."""
    return isinstance(value, Record) and value.type == "Quantity" and value.names == QUANTITY


def fields_of(record: Record) -> dict[str, Plain]:
    return dict(zip(record.names, record.values, strict=True))


def has_places(value: Plain) -> bool:
    """Whether it is a tuple of single values: (rows, columns) is not (columns, rows)."""
    return isinstance(value, tuple) and len(value) > 1 and not any(isinstance(part, _SEVERAL) for part in value)


_SEVERAL = (list, tuple, Mapping, Table, Series, Record)


def file_table(path: str) -> TextTable:
    """The expected result in a CSV or Parquet file. Its first column is dropped when it only counts the rows. Raises
    :class:`TableError`."""
    file = Path(path)
    if file.suffix.lower() in (".parquet", ".pq"):
        return _parquet(file)
    table = read_csv(file)
    counting = table.width > 1 and table.names[0].strip() in ("", "Unnamed: 0")
    if counting and table.texts(0) == [str(row) for row in range(table.height)]:
        return table.select(range(1, table.width))
    return table


def _parquet(file: Path) -> TextTable:
    import pyarrow
    import pyarrow.parquet

    try:
        read = pyarrow.parquet.read_table(parquet_copy(file, by="arrow"))
    except (NotOpened, OSError, pyarrow.ArrowException) as error:
        raise TableError(f"{file.name} cannot be read: {str(error)[:200]}", "unreadable") from None
    columns = [(name, read.column(place).to_pylist()) for place, name in enumerate(read.column_names)]
    return _table([(name, values) for name, values in columns if not name.startswith("__index_level")], read.num_rows)


def _needed(level: Column, height: int) -> bool:
    if level.name is not None:
        return True
    return height > 1 and not all(isinstance(value, int) for value in level.values)


def _shape(value: Plain, wants: Callable[[Column, int], bool]) -> Shaped:
    if isinstance(value, Other):
        raise NoTableError(f"a result of type {value.type} cannot be compared{_HINTS.get(value.type, '')}")
    if isinstance(value, Series):
        value = Table(len(value.column.values), (value.column,), value.index)
    if isinstance(value, Table):
        levels = [level for level in value.index if wants(level, value.height)]
        named = [(column.name, column.values) for column in (*levels, *value.columns)]
        counting = {
            len(levels) + place for place, column in enumerate(value.columns) if _counts(column)
        }  # an index that reset_index has made a column
        return Shaped(_table(named, value.height), frozenset({*range(len(levels)), *counting}))
    if isinstance(value, Record):
        value = dict(zip(value.names, value.values, strict=True))
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, list | tuple):
        return Shaped(_list(value), frozenset({0}) if _from_itertuples(value) else frozenset())
    return Shaped(_table([("value", [value])], 1))


def _from_itertuples(values: Sequence[Plain]) -> bool:
    """Whether these are the rows of a frame with their index first, as ``itertuples`` gives them."""
    return bool(values) and all(
        isinstance(row, Record) and row.type == "Pandas" and row.names[:1] == ("Index",) for row in values
    )


def _counts(column: Column) -> bool:
    name = str(column.name)
    return (name == "index" or name.startswith("level_")) and all(isinstance(value, int) for value in column.values)


def _mapping(value: Mapping[Plain, object]) -> Shaped:
    """Keys of single values are what an index is to a series: ``{"mean": 2.5}`` is 2.5."""
    parts = list(value.values())
    columns = [items_of(part) for part in parts]
    lists = [column for column in columns if column is not None]
    if lists and len(lists) == len(parts) and len({len(items) for items in lists}) == 1:
        return Shaped(_table(list(zip(value, lists, strict=True)), len(lists[0])))
    return Shaped(_table([("key", list(value)), ("value", parts)], len(parts)), frozenset({0}))


def items_of(value: Plain) -> list[Plain] | None:
    """The values of a list or series."""
    if isinstance(value, Series):
        return value.column.values
    return list(value) if isinstance(value, list | tuple) and not isinstance(value, Unordered) else None


def _list(values: Sequence[Plain]) -> TextTable:
    values = [fields_of(row) if isinstance(row, Record) else row for row in values]
    rows = [items_of(row) for row in values]
    lists = [row for row in rows if row is not None]
    if lists and len(lists) == len(values) and len({len(row) for row in lists}) == 1:
        return _table([(str(place), [row[place] for row in lists]) for place in range(len(lists[0]))], len(values))
    if values and all(isinstance(row, Mapping) and list(row) == list(values[0]) for row in values):
        return _table([(name, [row[name] for row in values]) for name in values[0]], len(values))
    return _table([("value", list(values))], len(values))


def _table(columns: Sequence[tuple[object, Sequence[object]]], height: int) -> TextTable:
    parts = [part for name, values in columns for part in _real_and_imaginary(_name(name), values)]
    names = tuple(name for name, _ in parts)
    return TextTable(names, tuple([text_of(value) for value in values] for _, values in parts), height)


def _real_and_imaginary(name: str, values: Sequence[object]) -> list[tuple[str, Sequence[Plain]]]:
    """A column of complex numbers as two, so that each part is compared as a number; one when all of them are real."""
    if not any(isinstance(value, complex) for value in values):
        return [(name, values)]
    real = [value.real if isinstance(value, complex) else value for value in values]
    imaginary = [0.0 if not isinstance(value, complex) or _is_real(value) else value.imag for value in values]
    return [(name, real), (f"{name}{IMAGINARY}", imaginary)] if any(imaginary) else [(name, real)]


def _is_real(value: complex) -> bool:
    return abs(value.imag) <= NEGLIGIBLE * max(1.0, abs(value.real))


def _name(name: object) -> str:
    if isinstance(name, tuple):
        return " ".join(_name(part) for part in name if part not in (None, ""))
    return "" if name is None else str(name)


def text_of(value: Plain) -> str | None:
    """One cell. What is no single value is written out with its parts, in a form that only equal things share."""
    if value is None:
        return None
    if isinstance(value, str | timedelta):
        return bin_text(span_text(value))
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, complex):
        return repr(value)
    if isinstance(value, bytes):
        return f"{value!r} (bytes)"  # no text is this
    if isinstance(value, Other):
        raise NoTableError(f"the result contains a {value.type}, which is not a plain value")
    return json.dumps(_nested(value), ensure_ascii=False, sort_keys=True)


def _nested(value: Plain) -> object:
    if isinstance(value, Record):
        return _nested(fields_of(value))
    if isinstance(value, Unordered):
        return sorted((_nested(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    if isinstance(value, list | tuple):
        return [_nested(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _nested(item) for key, item in value.items()}
    if isinstance(value, Table):
        return {_name(column.name): _nested(column.values) for column in value.columns}
    if isinstance(value, Series):
        return _nested(value.column.values)
    return value if value is None or isinstance(value, str | bool | int | float) else text_of(value)
