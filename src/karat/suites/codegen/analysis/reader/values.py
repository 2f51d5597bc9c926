"""What is known of a value while code is read: its kind, where it came from, and what was done on the way to it.

Every value hangs on a ``Node``. A node holds the facts of one step and the nodes it was made from, so that the facts of
a result are those that can be reached from its node. What is never read on the way is not reached, and so counts for
nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias  # Any: a constant of the code is a Python value of any type

import msgspec

from karat.suites.codegen.analysis.records import Aggregation, Filter, Join, Link, Order

if TYPE_CHECKING:
    from karat.suites.codegen.analysis.reader.state import Scope

Kind: TypeAlias = Literal[
    "frame", "series", "groups", "scalar", "const", "list", "dict", "function", "name", "expr", "unknown"
]
"""``series`` is also one cell of a column, ``frame`` also one row; ``name`` is a module or a function of one; ``expr``
is a polars expression, which comes to a value only on a frame."""


ROW, INDEXED_ROW, ROWS = "row", "indexed row", "rows"
"""Names of a frame of one row whose cells have places, alone or after their label, and of an array of such rows."""


class Used(msgspec.Struct, frozen=True):
    column: str


class Operation(msgspec.Struct, frozen=True):
    name: str


class GroupKey(msgspec.Struct, frozen=True):
    column: str


class TableRead(msgspec.Struct, frozen=True):
    name: str


class Unread(msgspec.Struct, frozen=True):
    """Something that the analysis cannot see was done here: ``exec`` of a text that is not known."""


Fact: TypeAlias = Unread | Used | Operation | GroupKey | TableRead | Filter | Link | Order | Join | Aggregation


class Node:
    """One step: what it was made from, what it did, and the line of its statement. ``name``: the name that it was bound
    to."""

    __slots__ = ("facts", "line", "name", "parents", "tabular")

    def __init__(
        self,
        parents: Sequence[Node] = (),
        facts: Sequence[Fact] = (),
        line: int = 0,
        *,
        tabular: bool = False,
        name: str = "",
    ) -> None:
        self.parents = parents
        self.facts = facts
        self.line = line
        self.name = name
        self.tabular: bool = tabular or any(parent.tabular for parent in parents)


class Sorting(msgspec.Struct, frozen=True):
    """How rows are ordered: by which columns, and whether the smallest comes first."""

    columns: tuple[str, ...]
    ascending: bool | None
    cut: bool = False
    """Whether only the first of them are left, so that the last of these is not the last of all."""


class Function(msgspec.Struct):
    """A function or lambda of the code, and the names that it sees."""

    code: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    scope: Scope
    first: tuple[Value, ...] = ()
    """Arguments that it has already: the object of a method, those of ``partial``."""
    named: dict[str, Value] = {}


class Shared(msgspec.Struct):
    """The part of a value that all names of it share, so that a change through one is seen through the others."""

    node: Node | None = None
    """What changed it."""
    columns: tuple[str, ...] | None = None
    """A frame's columns in order; None when they are not known."""
    made: dict[str, Value] = {}
    """Columns that the code made or chose, each with its own way back."""
    aliases: dict[str, str] = {}
    """Other names of the schema's columns."""
    loose: bool = False
    """Whether the columns were renamed by rule, so that case and ``_`` do not count."""
    items: list[Value] | None = None
    pairs: dict[str | int | float, Value] | None = None
    element: Value | None = None
    """What a list holds, where its items are not known one by one."""


class _Missing(msgspec.Struct, frozen=True):
    """No constant."""


MISSING = _Missing()


class Value(msgspec.Struct):
    """One value. Which fields mean something depends on its kind."""

    kind: Kind
    node: Node
    const: Any = MISSING
    shared: Shared | None = None
    sources: tuple[str, ...] = ()
    """Columns of the schema that a series was made from."""
    mask: tuple[Filter, ...] = ()
    """The conditions that a truth value stands for; reported only where it is used, and only of rows (``len(df) > 0``
    is a guard)."""
    links: tuple[Link, ...] = ()
    """How these conditions are joined."""
    kept: tuple[Filter, ...] = ()
    """The conditions that the rows of a table fulfil already."""
    pending: tuple[Aggregation, ...] = ()
    """Aggregations that it is the result of; reported only where it is used."""
    sort: Sorting | None = None
    index: tuple[str, ...] = ()
    """Columns that label the rows."""
    distinct: tuple[str, ...] = ()
    """The columns whose different values these are."""
    inner: Value | None = None
    """What groups are made of; what an accessor such as ``.loc`` belongs to."""
    name: str = ""
    """Of a module, a function or an accessor."""
    function: Function | None = None
    deferred: Callable[[Value], Value] | None = None
    """What an expression comes to on a frame."""
    selects: Callable[[Sequence[str]], list[str]] | None = None
    """Of an expression that chooses columns: those of these names that it takes."""
    ranked: Sorting | None = None
    """The order that a number of rows follows: 1 is the first of them."""
    falling: bool = False
    """Whether it has the other sign: the smallest of ``-x`` is where ``x`` is largest."""


def fresh(value: Value, **changes: Any) -> Value:
    """A copy with changes; a frame's own columns are copied with it."""
    if value.shared is not None and value.kind == "frame" and "shared" not in changes:
        old = value.shared
        changes["shared"] = Shared(columns=old.columns, made=dict(old.made), aliases=dict(old.aliases), loose=old.loose)
        changes.setdefault("node", value.node)
        if old.node is not None:
            changes["node"] = Node((changes["node"], old.node), (), changes["node"].line)
    return msgspec.structs.replace(value, **changes)


def rows_of(value: Value, line: int = 0) -> Node:
    """The node of a value's rows: without the columns that were made and not asked for."""
    if value.shared is not None and value.shared.node is not None:
        return Node((value.node, value.shared.node), (), line)
    return value.node


def reach(value: Value, line: int = 0) -> Node:
    """The node of all that a value holds: its made columns, the conditions it stands for and what it is the aggregation
    of."""
    parents = [value.node]
    if value.shared is not None:
        if value.shared.node is not None:
            parents.append(value.shared.node)
        parents.extend(reach(made, line) for made in value.shared.made.values())
    if value.inner is not None and value.kind == "groups":
        parents.append(reach(value.inner, line))
    told: tuple[Fact, ...] = (*value.mask, *value.links) if value.kind == "series" else ()
    facts: tuple[Fact, ...] = (*told, *value.pending)
    if len(parents) == 1 and not facts:
        return parents[0]
    return Node(parents, facts, line)


def unknown(parents: Sequence[Node], line: int = 0) -> Value:
    return Value("unknown", Node(parents, (), line))


def constant(value: object, line: int = 0) -> Value:
    return Value("const", Node((), (), line), value)


def join(first: Value, second: Value, line: int = 0) -> Value:
    """A value that is one or the other: whatever either did may have been done."""
    if first is second:
        return first
    counted = _same_aggregation(first, second)
    if counted is not None:
        return msgspec.structs.replace(counted, node=Node((first.node, second.node), (), line))
    node = Node((reach(first, line), reach(second, line)), (), line)
    if first.kind == "const" and second.kind == "const":
        same = type(first.const) is type(second.const) and first.const == second.const
        return Value("const", node, first.const) if same else Value("unknown", node)
    kind = first.kind if first.kind == second.kind else _wider(first.kind, second.kind)
    if kind != "unknown":
        both = (first, second) if first.kind == kind else (second, first)
        return msgspec.structs.replace(
            both[0],
            node=node,
            sources=tuple(dict.fromkeys((*first.sources, *second.sources))),
            mask=(),
            links=(),
            kept=(),
            pending=(),
            sort=first.sort or second.sort,
        )
    return Value("unknown", node)


def _same_aggregation(first: Value, second: Value) -> Value | None:
    """A total that was begun with a constant, or went on: it stays that aggregation."""
    plain = all(value.kind in ("scalar", "const") and not value.mask for value in (first, second))
    told = {(one.function, one.column) for value in (first, second) for one in value.pending}
    if not plain or len(told) != 1:
        return None
    return first if first.pending else second


def _wider(first: Kind, second: Kind) -> Kind:
    """The kind of a value that is one of two: a table's kind is kept, so that what follows can still be read."""
    for kind in ("frame", "series", "list", "dict"):
        if kind in (first, second) and {first, second} - {kind} <= {"unknown", "const", "scalar"}:
            return kind
    return "unknown"
