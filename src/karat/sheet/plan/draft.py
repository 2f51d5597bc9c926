"""A plan while it is being made: the nodes so far, each once, and what the names in a formula refer to.

The functions that plan something (in ``tables``, ``formulas``, ``calls`` and ``queries``) are generators. Each asks for
the expressions it needs with ``yield (expression, scope, wanted)``, is sent their nodes, and returns its own;
``planner.run`` keeps the unfinished ones on a stack, so no formula is nested too deep. What cannot be planned (an
unknown name, a cycle) becomes a node that fails, and the rest of the sheet is planned all the same.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field

from karat.sheet.check.dependencies import Graph, dependencies
from karat.sheet.check.names import Names, names_of
from karat.sheet.check.requirements import Wanted
from karat.sheet.check.row_context import resolved
from karat.sheet.functions import FUNCTIONS
from karat.sheet.plan.nodes import SHEET, Node, Op, Place, Plan, inner
from karat.sheet.text.tree import NOWHERE, At, Expr, Sheet, Table
from karat.sheet.values import TableValue

Elements = tuple[int, int, Place]
"""The node of a query's elements, the node of what is queried, and the place."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names in a formula refer to."""

    table: Table | None
    origin: tuple[str, str]
    total: bool = False
    """In a total, ``[x]`` is the whole column."""
    dims: Mapping[str, int] | None = None
    """In the formula of a dim: the dims before it. Their rows are the only ones there are yet."""
    dim_place: Place = SHEET
    elements: Elements | None = None
    """In a query: what ``$`` is."""
    queried: Mapping[str, Elements] = field(default_factory=dict)
    """In queries over rows of tables: the innermost of each table."""
    element: str = ""
    """The table whose row ``$`` is, where that is known."""
    before: bool = False
    """In what is applied to a table: its fields before single rows are overridden."""


Need = tuple[Expr, Scope, Wanted]
Planning = Generator[Need, int, int]
"""Yields what it needs, returns its node."""


@dataclass(slots=True)
class Draft:
    """The plan so far, with what is needed only while it is made."""

    sheet: Sheet
    tables: Mapping[str, Table]
    """The tables of the sheet that do not come from a file."""
    plan: Plan
    open: list[tuple[str, str]] = field(default_factory=list)
    """The (table, field)s that are being planned, to notice what depends on itself."""
    dims: dict[str, dict[str, int]] = field(default_factory=dict)
    """Table → the nodes of its dims."""
    element_places: dict[int, Place] = field(default_factory=dict)
    """The node of a query's elements → their place."""
    made: dict[tuple[object, ...], int] = field(default_factory=dict)
    """What a node is made of → the node."""
    before: dict[tuple[str, str], int] = field(default_factory=dict)
    """(table, field) → its node before single rows are overridden, where that differs."""
    feedback: dict[tuple[str, str], int] = field(default_factory=dict)
    """(table, field) that is being planned → the node with what is known of it, for cells of it that read others."""
    names: Names = field(default_factory=lambda: Names({}))
    graph: Graph = field(default_factory=dict)
    """What must be known before what."""

    def needs(self, node: tuple[str, str], other: tuple[str, str]) -> bool:
        """Whether one field needs another, directly or not."""
        return any(below == other for below in self.reached(node))

    def reached(self, node: tuple[str, str]) -> Iterator[tuple[str, str]]:
        """All that a field needs, directly or not; itself only if it needs itself."""
        waiting, seen = [node], set[tuple[str, str]]()
        while waiting:
            for below in self.graph.get(waiting.pop(), ()):
                if below not in seen:
                    seen.add(below)
                    waiting.append(below)
                    yield below

    def node(
        self,
        op: Op,
        inputs: tuple[int, ...] = (),
        place: Place = SHEET,
        detail: object = None,
        *,
        kind: str = "",
        label: str = "",
        at: At = NOWHERE,
        origin: tuple[str, str] = ("", ""),
    ) -> int:
        """The node that is made of these; a new one only if there is none yet."""
        key = (op, inputs, id(place), detail.__class__, detail)
        made = self.made.get(key)
        if made is None:
            made = len(self.plan.nodes)
            self.plan.nodes.append(Node(made, op, inputs, place, detail, kind or op.capitalize(), label, at, origin))
            self.made[key] = made
        return made

    def fail(self, message: str, hint: str, at: At, scope: Scope) -> int:
        """A node that fails with this message."""
        return self.node(
            "failed", detail=(message, hint, at), kind="Mistake", label=message, at=at, origin=scope.origin
        )

    def place_of(self, *ids: int) -> Place:
        """The innermost place of these nodes."""
        place = SHEET
        for one in ids:
            place = inner(place, self.plan.nodes[one].place)
        return place


def new_draft(sheet: Sheet, bound: Mapping[str, TableValue]) -> Draft:
    """A draft without nodes. ``bound`` are the tables that come whole from files."""
    columns = {name: tuple(table.columns) for name, table in bound.items()}
    sheet = resolved(sheet, names_of(sheet, columns), FUNCTIONS, is_query)
    names = names_of(sheet, columns)
    tables = {table.name: table for table in sheet.tables if table.name not in bound}
    return Draft(sheet, tables, Plan(bound=bound), names=names, graph=dependencies(sheet, names, is_query))


def is_query(name: str) -> bool:
    """Whether a function computes its later arguments for each element of the first."""
    function = FUNCTIONS.get(name)
    return function is not None and function.queries
