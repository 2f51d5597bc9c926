"""What a formula can give: a number, a text, NA (no value), an array, a table, a row of a table, or a failure.

TRUE and FALSE are worth 1 and 0, and a date is worth the days since 30 December 1899; as texts they are TRUE, FALSE and
``3/1/2024``. NA is a value like others: it goes through operators, and functions over arrays skip it. An empty cell is
the empty text: 0 in arithmetic, false as a condition. A text that reads as a number is one in arithmetic. A failure is
a mistake that was found in one cell: it goes along to whatever depends on the cell, and no further, so that the rest of
the sheet still has its figures.

Arrays and tables know the rows they came from (their layout): two columns of the same table can be taken in step, two
of different tables cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from karat.core.problems import count_of
from karat.sheet.scalars import Date, date_text, iso_text, number_text, read_number
from karat.sheet.text.tree import NOWHERE, At

Value: TypeAlias = Any
"""A number, a text, NA, an Array, a TableValue, a Row or a Failure. What it is, is known when the sheet runs."""

LONGEST_TEXT = 1_000_000
"""Characters of one text; a longer one means a runaway formula."""


class NotAvailable:
    """The one missing value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NA"

    def __bool__(self) -> bool:
        raise TypeError("NA is neither true nor false")


NA = NotAvailable()


class Wrong(Exception):
    """What a function raises when it cannot work with what it was given; the evaluation adds the position."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """A mistake found while a cell was computed: what, where in the file, in the formula of which field."""

    message: str
    hint: str = ""
    at: At = NOWHERE
    origin: tuple[str, str] = ("", "")
    """(table, field)."""
    pending: int | None = None
    """It is not a mistake, but not known yet, because of this row of the field (see ``compute.feedback``)."""


class Array:
    """Values in order; some may be arrays themselves."""

    __slots__ = ("_keys", "_least", "_types", "items", "layout")

    def __init__(self, items: Sequence[Value], layout: str = "", least: int = 1) -> None:
        self.items = items
        self.layout = layout
        """The table whose rows these are, one value for each; empty when they are nobody's rows."""
        self._least = least
        self._types: frozenset[type] | None = None
        self._keys: frozenset[object] | None = None

    @property
    def keys(self) -> frozenset[object]:
        """What its elements are found by; kept, for an array is often looked into once for each row of a table."""
        if self._keys is None:
            self._keys = frozenset(map(key_of, self.items))
        return self._keys

    @property
    def types(self) -> frozenset[type]:
        if self._types is None:
            self._types = frozenset(map(type, self.items))
        return self._types

    @property
    def depth(self) -> int:
        """1 for an array of single values, 2 for an array of arrays, …; also where all of those are missing."""
        if Array in self.types or TableValue in self.types:
            return max(self._least, 1 + max(depth(item) for item in self.items))
        return self._least

    @property
    def failure(self) -> Failure | None:
        """The first failed element."""
        if Failure in self.types:
            return next(item for item in self.items if isinstance(item, Failure))
        return None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Value]:
        return iter(self.items)

    def __repr__(self) -> str:
        return f"Array({list(self.items)!r})"


class TableValue:
    """Columns of equal length, by name; ``length`` says how many rows even where no column was asked for."""

    __slots__ = ("columns", "layout", "length", "rows")

    def __init__(
        self,
        columns: dict[str, Sequence[Value]],
        length: int,
        layout: str = "",
        rows: Sequence[int] | None = None,
    ) -> None:
        self.columns = columns
        self.length = length
        self.layout = layout
        """The table whose rows these are; empty when they are nobody's rows."""
        self.rows = rows
        """Which rows of that table these are, counted from 0; None: all of them, in order."""

    @property
    def whole(self) -> bool:
        """Whether it has all rows of its table, so that its columns go in step with the table's."""
        return bool(self.layout) and self.rows is None

    def row(self, index: int) -> int:
        """The place of a row in its table, counted from 0."""
        return index if self.rows is None else self.rows[index]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def column(self, name: str) -> Sequence[Value]:
        found = self.columns.get(name)
        if found is None:
            from karat.core.problems import did_you_mean

            raise Wrong(f"there is no field [{name}] in this table", did_you_mean(name, self.columns))
        return found

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return f"TableValue({list(self.columns)}, {self.length})"


class Row:
    """One row of a table."""

    __slots__ = ("index", "table")

    def __init__(self, table: TableValue, index: int) -> None:
        self.table = table
        self.index = index

    def field(self, name: str) -> Value:
        return self.table.column(name)[self.index]

    def cells(self) -> tuple[Value, ...]:
        return tuple(column[self.index] for column in self.table.columns.values())

    def __repr__(self) -> str:
        return f"Row{self.cells()!r}"


Many = Array | TableValue
"""What has elements."""


def depth(value: Value) -> int:
    """How many times one can go inside: 0 for a single value."""
    if isinstance(value, Array):
        return value.depth
    return 1 if isinstance(value, TableValue) else 0


def element(source: Many, position: int) -> Value:
    """One element of an array, or one row of a table."""
    return source.items[position] if isinstance(source, Array) else Row(source, position)


def elements(source: Many) -> list[Value]:
    return list(source.items) if isinstance(source, Array) else [Row(source, at) for at in range(source.length)]


def taken(source: Many, positions: Sequence[int]) -> Many:
    """The elements at these positions, in this order. Rows of a table remain rows of it; values of a column do not."""
    if isinstance(source, Array):
        return Array([source.items[at] for at in positions], least=source.depth)
    columns: dict[str, Sequence[Value]] = {
        name: [column[at] for at in positions] for name, column in source.columns.items()
    }
    rows = [source.row(at) for at in positions] if source.layout else None
    return TableValue(columns, len(positions), source.layout, rows)


def many(value: Value) -> Many:
    """The value as something with elements: a single value is an array of one."""
    return value if isinstance(value, Array | TableValue) else Array([value])


def key_of(value: Value) -> object:
    """Equal for two values exactly when ``=`` says so, unless one of them is a text and the other a date or a truth
    value (see :func:`by_text`); to find a value among many."""
    if isinstance(value, Array):
        return ("array", *map(key_of, value.items))
    if isinstance(value, Row):
        return ("row", *map(key_of, value.cells()))
    if isinstance(value, TableValue):
        return ("table", *(("row", *map(key_of, cells)) for cells in zip(*value.columns.values(), strict=True)))
    return _as_number(value) if isinstance(value, str) and value and value[-1] in _DIGITS else value


def by_text(types: Collection[type], others: Collection[type]) -> bool:
    """Whether ``=`` compares the texts of a date or a truth value among values of these types with texts among the
    others, or the other way round: these have no key in common."""
    return any(str in one and (Date in other or bool in other) for one, other in ((types, others), (others, types)))


_DIGITS = "0123456789"


def _as_number(text: str) -> int | float | str:
    """The number whose text this is, to the letter: it is equal to that number."""
    found = read_number(text)
    return found if found is not None and number_text(found) == text else text


def order_of(value: Value) -> tuple[int, object]:
    """What sorting compares: numbers, then texts, then whole rows and arrays as text, NA last."""
    if isinstance(value, int | float):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    return (3, 0) if value is NA else (2, shown(value))


def number(value: Value, of: str) -> int | float:
    """The number it must be; ``of`` says whose argument it is. An empty text is 0."""
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        found = read_number(value) if value else 0
        if found is not None:
            return found
    raise Wrong(f"{of} needs a number, but was given {described(value)}")


def whole(value: Value, of: str) -> int:
    """The whole number it must be."""
    found = number(value, of)
    if isinstance(found, float):
        if not found.is_integer():
            raise Wrong(f"{of} needs a whole number, but was given {shown(found)}")
        return int(found)
    return found


def text(value: Value, of: str) -> str:
    """The text it must be; a number is taken as it is written, a date as month/day/year."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, Date):
        return date_text(value)
    if isinstance(value, int | float):
        return number_text(value)
    raise Wrong(f"{of} needs a text, but was given {described(value)}")


def truth(value: Value, of: str) -> bool:
    """Whether a condition holds: 0 and an empty text are false, any other number is true."""
    if isinstance(value, int | float):
        return value != 0
    if isinstance(value, str):
        found = read_number(value) if value else 0
        if found is not None:
            return found != 0
    raise Wrong(f"{of} needs a condition (1 or 0), but was given {described(value)}")


def described(value: Value) -> str:
    """A value with what it is, short enough for a message."""
    if value is NA:
        return "NA"
    if isinstance(value, str):
        return f'the text "{value if len(value) <= 40 else value[:39] + "…"}"'
    if isinstance(value, int | float):
        return f"the number {number_text(value)}"
    if isinstance(value, Array):
        return f"an array of {len(value):,}"
    if isinstance(value, TableValue):
        return f"a table of {count_of(len(value), 'row')}"
    return "a row" if isinstance(value, Row) else "a value that could not be computed"


def shown(value: Value) -> str:
    """A value as a person reads it in a cell."""
    if value is NA:
        return "NA"
    if isinstance(value, str):
        return value
    if isinstance(value, Date):
        return date_text(value)
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, Array):
        return "; ".join(map(shown, value.items))
    if isinstance(value, Row):
        return ", ".join(map(shown, value.cells()))
    if isinstance(value, TableValue):
        return "; ".join(map(shown, elements(value)))
    return f"#{value.message}" if isinstance(value, Failure) else str(value)


def plain(value: Value) -> object:
    """A value as JSON has it: NA is null, an array a list, a row an object, a date as ISO writes it, TRUE and FALSE are
    1 and 0, a failure is ``{"error": …}``."""
    if value is NA:
        return None
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Date):
        return iso_text(value)
    if isinstance(value, Array):
        return [plain(item) for item in value.items]
    if isinstance(value, Row):
        names = value.table.columns
        return {name: plain(cell) for name, cell in zip(names, value.cells(), strict=True)}
    if isinstance(value, TableValue):
        return [plain(row) for row in elements(value)]
    if isinstance(value, Failure):
        return {"error": value.message}
    return str(value) if isinstance(value, str) else value  # a chunk is a text with a place


def present(items: Iterable[Value]) -> list[Value]:
    """Those that are not NA."""
    return [item for item in items if item is not NA]
