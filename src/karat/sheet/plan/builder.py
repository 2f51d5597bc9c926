"""Making nodes, each once, without recursion.

Whoever makes a node asks for the expressions it needs with ``yield (expression, scope, wanted)`` and is handed their nodes;
:meth:`NodeMaker.run` keeps the unfinished ones on a stack of its own. What cannot be planned (an unknown name, a cycle) becomes a node that
fails, and the rest of the sheet is planned all the same.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from karat.sheet.check.requirements import Wanted
from karat.sheet.plan.nodes import SHEET, Node, Op, Place, Plan, inner
from karat.sheet.text.tree import NOWHERE, At, Expr, Sheet, Table
from karat.sheet.values import TableValue


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean where a formula stands."""

    table: Table | None
    origin: tuple[str, str]
    total: bool = False
    """In a total, ``[x]`` is the whole column."""
    dims: Mapping[str, int] | None = None
    """In the formula of a dim: the dims before it. Their rows are the only ones there are yet."""
    dim_place: Place = SHEET
    elements: tuple[int, int, Place] | None = None
    """In a query: (the node of its elements, the node of what is queried, the place)."""


Need = tuple[Expr, Scope, Wanted]
Making = Generator[Need, int, int]
"""Yields what it needs, returns its node."""


class NodeMaker:
    """The nodes made so far."""

    def __init__(self, sheet: Sheet, bound: Mapping[str, TableValue]) -> None:
        self.sheet = sheet
        self.plan = Plan(bound=bound)
        self.tables = {table.name: table for table in sheet.tables if table.name not in bound}
        self._made: dict[tuple[Any, ...], int] = {}

    def expression(self, node: Expr, scope: Scope, wanted: Wanted) -> Making:
        """The node of an expression."""
        raise NotImplementedError

    def run(self, first: Making) -> int:
        """Finish one making with all that it asks for."""
        stack = [first]
        answer: int | None = None
        while True:
            try:
                # A generator takes its first value only once it is under way.
                need = next(stack[-1]) if answer is None else stack[-1].send(answer)
            except StopIteration as done:
                stack.pop()
                answer = done.value
                if not stack:
                    return int(done.value)
                continue
            stack.append(self.expression(*need))
            answer = None

    def node(
        self,
        op: Op,
        inputs: tuple[int, ...] = (),
        place: Place = SHEET,
        detail: Any = None,
        *,
        kind: str = "",
        label: str = "",
        at: At = NOWHERE,
        origin: tuple[str, str] = ("", ""),
    ) -> int:
        key = (op, inputs, id(place), detail.__class__, detail)
        made = self._made.get(key)
        if made is None:
            made = len(self.plan.nodes)
            self.plan.nodes.append(Node(made, op, inputs, place, detail, kind or op.capitalize(), label, at, origin))
            self._made[key] = made
        return made

    def fail(self, message: str, hint: str, at: At, scope: Scope) -> int:
        return self.node(
            "failed", detail=(message, hint, at), kind="Mistake", label=message, at=at, origin=scope.origin
        )

    def place_of(self, *ids: int) -> Place:
        place = SHEET
        for one in ids:
            place = inner(place, self.plan.nodes[one].place)
        return place
