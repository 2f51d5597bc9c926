"""The tree of a sheet. Two trees are equal when they mean the same: position, how a call was written (``a.F(b)`` or
``F(a, b)``) and comments do not count. Every node is hashable, so equal sub-expressions can be computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class At:
    """A place in the file: line and column count from 1, ``width`` characters on that line."""

    line: int = 0
    column: int = 0
    width: int = 1


NOWHERE = At()


# -- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    value: int | float
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Missing:
    """``NA``: no value."""

    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    """``TRUE`` or ``FALSE``; worth 1 or 0."""

    value: bool
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Omitted:
    """A place between two commas with nothing in it: the argument's usual value."""

    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Element:
    """``$``: the element of the array or table that is being queried. ``of`` names a table where the innermost query
    over its rows is meant, whatever lies between (see ``check.row_context``)."""

    of: str = ""
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableName:
    """A whole table."""

    name: str
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OwnField:
    """``[x]``: the field of the current row of the own table."""

    name: str
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FieldOf:
    """``source[x]``: one column of a table, or the field of a row."""

    source: Expr
    name: str
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FieldsOf:
    """``source[[a],[b]]``: several columns of a table."""

    source: Expr
    names: tuple[str, ...]
    at: At = field(default=NOWHERE, compare=False, repr=False)
    places: tuple[At, ...] = field(default=(), compare=False, repr=False)
    """Where each of them is named."""


TABLE_CALL = "T()"
"""The name of a call that is a row of a table: ``T(key)``. Its first argument is the table."""


@dataclass(frozen=True, slots=True)
class Call:
    """``F(a, b)``, which is also ``a.F(b)``. The name is in capitals."""

    name: str
    arguments: tuple[Expr, ...]
    dotted: bool = field(default=False, compare=False)
    at: At = field(default=NOWHERE, compare=False, repr=False)
    spelled: str = field(default="", compare=False, repr=False)
    """The name as it was written: it may be that of a table."""
    left_empty: int = field(default=0, compare=False, repr=False)
    """How many places behind the arguments have nothing in them: 1 in ``F(a, )``."""


Operator = Literal["^", "*", "/", "MOD", "+", "-", "&", "<", ">", "=", "<=", ">=", "<>", "AND", "OR"]


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Operator
    left: Expr
    right: Expr
    at: At = field(default=NOWHERE, compare=False, repr=False)
    """Position of the operator."""


@dataclass(frozen=True, slots=True)
class Unary:
    operator: Literal["NOT", "-"]
    operand: Expr
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Array:
    """``{a, b}``; or ``200|400``, values of which each is an option of its own, in a call of CHUNKS."""

    items: tuple[Expr, ...]
    at: At = field(default=NOWHERE, compare=False, repr=False)
    alternatives: bool = False


Expr = (
    Number
    | Text
    | Missing
    | Omitted
    | Boolean
    | Element
    | TableName
    | OwnField
    | FieldOf
    | FieldsOf
    | Call
    | Binary
    | Unary
    | Array
)

# -- definitions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decorator:
    """``!name(literal, …)`` before a table or a field. The name is in small letters."""

    name: str
    arguments: tuple[str | int | float, ...] = ()
    at: At = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a table as it is declared."""

    name: str
    key: bool = False
    dim: bool = False
    docs: tuple[str, ...] = ()
    decorators: tuple[Decorator, ...] = ()
    at: At = field(default=NOWHERE, compare=False, repr=False)
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The comment lines above it, without ``#``, so that formatting loses nothing."""


@dataclass(frozen=True, slots=True)
class Fields:
    """One line of a table: a field, or several that share a formula; without a formula they are filled by
    ``override``."""

    fields: tuple[Field, ...]
    formula: Expr | None = None


@dataclass(frozen=True, slots=True)
class Apply:
    """Which rows of the table are kept, and in which order."""

    filter: Expr | None = None
    sort: tuple[Expr, ...] = ()
    at: At = field(default=NOWHERE, compare=False, repr=False)
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Total:
    """Figures under the table."""

    fields: tuple[Fields, ...]
    at: At = field(default=NOWHERE, compare=False, repr=False)
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)


ROW_COLUMN = ""
"""In place of a column of an override: the number of the row that is meant."""

Typed = str | int | float | Expr | None
"""A cell of an override: a value, a formula, or nothing."""


@dataclass(frozen=True, slots=True)
class Override:
    """Values typed in, row by row. ``None`` is an empty cell: the formula's value stays."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Typed, ...], ...]
    keys: frozenset[str] = frozenset()
    """The columns with the word ``key`` before them."""
    at: At = field(default=NOWHERE, compare=False, repr=False)
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The line on which each row begins."""
    places: tuple[At, ...] = field(default=(), compare=False, repr=False)
    """Where each column is named."""
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its fields in order, what is applied to its rows, its totals, its typed-in rows."""

    name: str
    fields: tuple[Fields, ...]
    docs: tuple[str, ...] = ()
    decorators: tuple[Decorator, ...] = ()
    apply: Apply | None = None
    totals: tuple[Total, ...] = ()
    override: Override | None = None
    at: At = field(default=NOWHERE, compare=False, repr=False)
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole file."""

    tables: tuple[Table, ...]
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Those after the last table."""
