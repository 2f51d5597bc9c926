"""What code does, as facts: the columns it uses, its conditions, groups, orders, joins and aggregations."""

from __future__ import annotations

from typing import Literal

import msgspec


class Filter(msgspec.Struct, frozen=True):
    """One condition on rows: ``column operator value``, as far as the code says; the line it is on."""

    column: str
    operator: str
    """``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``contains``, ``isnull``, ``notnull``, ``other``."""
    value: str
    """The constant it is compared with, as text; empty when it is no constant."""
    line: int = 0


class Link(msgspec.Struct, frozen=True):
    """Two conditions and how they are joined."""

    word: Literal["and", "or"]
    first: Filter
    second: Filter


class Order(msgspec.Struct, frozen=True):
    """Rows put in order, or the first or last of them taken."""

    kind: Literal["sort", "largest", "smallest", "head", "tail"]
    columns: tuple[str, ...] = ()
    ascending: bool | None = None
    count: int | None = None
    """How many rows are taken."""
    line: int = 0


class Join(msgspec.Struct, frozen=True):
    """Tables put together: ``merge``, ``join``, ``concat``."""

    kind: Literal["merge", "join", "concat"]
    keys: tuple[str, ...] = ()
    line: int = 0


class Aggregation(msgspec.Struct, frozen=True):
    """``mean``, ``sum``, ``max``… of a column (empty: of whatever is at hand)."""

    function: str
    column: str = ""
    line: int = 0


class CodeFacts(msgspec.Struct, frozen=True):
    """What the code does on the way to its result. What does not reach the result is not here: comments, strings, dead
    code."""

    columns: tuple[str, ...] = ()
    """Columns of the schema that are used, in the schema's spelling."""
    operations: tuple[str, ...] = ()
    """Methods and functions that are called, by their last name: ``groupby``, ``merge``, ``mean``…"""
    filters: tuple[Filter, ...] = ()
    links: tuple[Link, ...] = ()
    """How filters are joined, as far as the code says: ``&`` and ``|``, a list of values, one filter after another."""
    group_keys: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    joins: tuple[Join, ...] = ()
    aggregations: tuple[Aggregation, ...] = ()
    dead_lines: tuple[int, ...] = ()
    """Lines of statements that do not reach the result."""
    unused_names: tuple[tuple[str, int], ...] = ()
    """Names that are set and never read on the way to the result, with their line."""
    syntax_error: str = ""
    """``line 3: invalid syntax``; everything else is empty then."""
    error_line: int = 0
    tables: tuple[str, ...] = ()
    """Given tables that reach the result. Code without any answers from nothing."""
    unread: bool = False
    """Whether something that cannot be read goes into the result: ``exec`` or ``getattr`` with a text that is not known
    before the code runs. What is not found is then not held against the code."""
