"""The graph a sheet compiles to. Equal sub-expressions are one node, and a node is computed once.

A node has its values at a place: once for the sheet, once for each row of a table, or once for each element that a
query such as FILTER looks at. Places form chains (sheet, rows of T, elements of a query in a row of T), so that a value
of an outer place is known in every inner one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal  # Any: what a step needs beside its inputs is known to its operation alone

from karat.sheet.text.tree import NOWHERE, At
from karat.sheet.values import TableValue

Op = Literal[
    "constant",  # a literal
    "failed",  # a name that is not known, a cycle: found before anything is computed
    "apply",  # a function or an operator
    "elements",  # the elements that a query looks at; makes a place
    "element",  # $
    "element_field",  # $[x]
    "query",  # FILTER, FIND, SORTBY, UNIQUEBY over the elements
    "get",  # a field of a row or a table
    "get_of_rows",  # the same of rows of a table of the sheet, whose column is at hand
    "find",  # the row of a table with these keys, or of this number
    "get_many",  # several columns of a table
    "rows",  # the rows of a table without dims; makes a place
    "dim",  # the rows of a table after one more dim; makes a place
    "dim_value",  # a dim's value in its row
    "row_number",
    "match",  # the row of the override that belongs to each row
    "field",  # a field, row by row
    "feedback",  # the same as far as it is known, for a typed cell of it that reads another row
    "order",  # which rows are kept, in which order
    "column",  # a field as a whole
    "table",  # a table as a whole
    "questions",  # an evaluation table with the values to search
    "evaluation",  # the choice of n and model
    "choice",  # n or model of one field
]


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a node has its values. ``maker`` is the node that says how many there are."""

    level: int = 0
    parent: Place | None = None
    maker: int = -1
    table: str = ""
    """The table whose rows these are."""


SHEET = Place()
"""Once for the whole sheet."""


def inner(first: Place, second: Place) -> Place:
    """The deeper of two places of one chain."""
    return first if first.level >= second.level else second


@dataclass(frozen=True, slots=True)
class Node:
    """One step of the computation."""

    id: int
    op: Op
    inputs: tuple[int, ...]
    place: Place
    detail: Any = None
    kind: str = ""
    """What the plan calls it."""
    label: str = ""
    at: At = NOWHERE
    origin: tuple[str, str] = ("", "")
    """The (table, field) in whose formula it first stood."""


@dataclass(frozen=True, slots=True)
class FieldDetail:
    """How a field's cells are made."""

    table: str
    field: str
    part: int | None = None
    """Which column of the formula's value is taken, where several fields share a formula."""
    parts: int = 1
    has_formula: bool = False
    typed: int | None = None
    """Its column in the override."""
    matched: int | None = None
    """Which input says what row of the override belongs to a row; None: they go by position."""
    formulas: tuple[tuple[int, int], ...] = ()
    """(row of the override, input): the cells that are formulas."""
    empty: bool = False
    """Without a value a cell is empty, not NA: all that the field has is typed in."""
    truths: bool = False


@dataclass
class Plan:
    """All nodes, each after those it needs, and where the results of the sheet are found."""

    nodes: list[Node] = field(default_factory=list)
    fields: dict[tuple[str, str], int] = field(default_factory=dict)
    """(table, field) → its node."""
    loops: dict[int, int] = field(default_factory=dict)
    """The node of a field → the node with what is known of it, where its own cells read that."""
    rows: dict[str, tuple[int, Place]] = field(default_factory=dict)
    """table → (the node that makes its rows, their place)."""
    orders: dict[str, int] = field(default_factory=dict)
    totals: dict[tuple[str, int, str], int] = field(default_factory=dict)
    """(table, number of the total, field) → its node."""
    questions: dict[str, int] = field(default_factory=dict)
    """evaluation table → the node of its questions."""
    bound: Mapping[str, TableValue] = field(default_factory=dict)
    """Tables that come whole from a file."""
