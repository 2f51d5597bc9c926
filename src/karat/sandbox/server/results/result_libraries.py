"""The tables and quantities of other libraries, recognised by the name of their class.

A library that the snippet has not imported cannot have made its result, so none is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple  # Any: objects of libraries that are not imported here


class Columns(NamedTuple):
    """A table without an index: the name, type and cells of each column."""

    height: int
    columns: list[tuple[Any, str, Any]]


class Column(NamedTuple):
    """One column without an index."""

    name: Any
    dtype: str
    values: Any
    height: int = 0


class Parts(NamedTuple):
    """A record: its parts by name."""

    kind: str
    names: list[str]
    values: list[Any]


class Simpler(NamedTuple):
    """Another value that says the same."""

    value: Any


class TooMany(Exception):
    """More rows than may be sent."""


class Lazily:
    """The cells of a column, not made before it is known that they are not too many."""

    def __init__(self, cells: Callable[[], Iterable[object]]) -> None:
        self.cells = cells

    def __iter__(self) -> Iterator[object]:
        return iter(self.cells())


def library_form(value: Any, most: int) -> Any:
    """The form of a value of one of these libraries, of at most that many cells; None for any other value."""
    kind = type(value)
    library, name = kind.__module__.partition(".")[0], kind.__name__
    if library == "polars":
        return _polars(value, name)
    if library == "pyarrow":
        return _arrow(value, name)
    if library in ("duckdb", "_duckdb"):
        return _duckdb(value, name, most)
    if library == "xarray":
        return _xarray(value, name)
    if library == "pint" and name == "Quantity":
        return Parts("Quantity", ["magnitude", "units"], [value.magnitude, str(value.units)])
    if library == "astropy" and hasattr(value, "unit") and hasattr(value, "value"):
        return Parts("Quantity", ["magnitude", "units"], [value.value, str(value.unit)])
    return None


def _polars(value: Any, name: str) -> object:
    if name == "LazyFrame":
        value, name = value.collect(), "DataFrame"
    if name == "DataFrame":
        columns = [(column.name, str(column.dtype), Lazily(column.to_list)) for column in value.get_columns()]
        return Columns(value.height, columns)
    if name == "Series":
        return Column(value.name or None, str(value.dtype), Lazily(value.to_list), len(value))
    return None


def _arrow(value: Any, name: str) -> object:
    if name in ("Table", "RecordBatch"):
        named = zip(value.schema.names, value.schema.types, value.columns)  # noqa: B905 (Python 3.9)
        return Columns(value.num_rows, [(label, str(kind), Lazily(cells.to_pylist)) for label, kind, cells in named])
    if name == "RecordBatchReader":
        return Simpler(value.read_all())
    if name.endswith("Array"):
        return Column(None, str(value.type), Lazily(value.to_pylist), len(value))
    return Simpler(value.as_py()) if name.endswith("Scalar") else None


def _duckdb(value: Any, name: str, most: int) -> object:
    """A relation, or the connection that holds the result of what was executed last. Rows are read up to the limit."""
    described = value.description if name in ("DuckDBPyRelation", "DuckDBPyConnection") else None
    if described is None:
        return None
    names, kinds = [column[0] for column in described], [str(column[1]) for column in described]
    if any("WITH TIME ZONE" in kind for kind in map(str, getattr(value, "types", kinds))):
        return Simpler(value.to_arrow_table() if hasattr(value, "to_arrow_table") else value.fetch_arrow_table())
    allowed = most // max(1, len(names)) + 1
    rows = value.limit(allowed).fetchall() if name == "DuckDBPyRelation" else value.fetchmany(allowed)
    if len(rows) >= allowed:
        raise TooMany
    cells = zip(names, kinds, zip(*rows) if rows else [()] * len(names))  # noqa: B905 (Python 3.9)
    return Columns(len(rows), [(label, kind, list(column)) for label, kind, column in cells])


def _xarray(value: Any, name: str) -> object:
    """An array without dimensions is a value, one with one dimension a series, a dataset of such a table."""
    if name == "DataArray" and value.ndim <= 1:
        return Simpler(value.item() if value.ndim == 0 else value.to_series())
    if name == "Dataset" and len(value.dims) == 1:
        return Simpler(value.to_dataframe())
    return None
