"""The state of one reading: the schema, the names in sight, the statement at hand and the conditions it stands
under."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any  # Any: a reader of expressions takes one class of syntax

from karat.suites.codegen.analysis.reader.values import (
    Fact,
    Node,
    Shared,
    Sorting,
    TableRead,
    Value,
    constant,
    fresh,
    reach,
    unknown,
)
from karat.suites.codegen.records import Schema

STEPS = 20_000
"""Expressions that are read before giving up: code that unfolds beyond this is no answer to a question about a
table."""
INLINED = 5_000
"""Expressions after which a call of the code's own function is no longer followed into it."""
LOOPS = 2
"""Loops within each other whose bodies are read twice."""
DEPTH = 12
"""Calls of the code's own functions within each other."""
RECURSION = 5
"""How often a function is followed into itself."""
UNROLLED = 40
"""Known items of a loop or comprehension that are gone through one by one."""


MOST_ITEMS = 2_000
"""Items of a list that are known one by one: ``x = x + x`` must not grow without end."""


class ExhaustedError(Exception):
    """The code unfolds into more than can be read."""


class Scope:
    """The names of a function or of the module, and those around it."""

    __slots__ = ("elsewhere", "names", "outer")

    def __init__(self, outer: Scope | None = None, names: dict[str, Value] | None = None) -> None:
        self.outer = outer
        self.names = {} if names is None else names
        self.elsewhere: dict[str, Scope] = {}
        """Names that ``global`` or ``nonlocal`` declares, and where they are."""

    def declare(self, name: str, *, outermost: bool) -> None:
        """``global name`` and ``nonlocal name``."""
        scope = self.outer
        while scope is not None:
            if (scope.outer is None) if outermost else (name in scope.names):
                self.elsewhere[name] = scope
                return
            scope = scope.outer

    def set(self, name: str, value: Value) -> None:
        self.elsewhere.get(name, self).names[name] = value

    def find(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.elsewhere:
                scope = scope.elsewhere[name]
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None


class State:
    """What the parts of the analysis share: the state of the reading, and how expressions and calls are read.

    ``expressions`` has a function for each kind of expression, ``apply`` reads a call of a value, ``block`` statements.
    They are handed in, because they build on everything that uses a state.
    """

    def __init__(
        self,
        schema: Schema,
        expressions: Mapping[type[ast.expr], ReadExpression],
        apply: ReadCall,
        block: ReadBlock,
    ) -> None:
        self.schema = schema
        self.expressions = expressions
        self.read_call = apply
        self.read_block = block
        self.scope = Scope()
        self.line = 0
        self.control: tuple[Node, ...] = ()
        self.steps = 0
        self.depth = 0
        self.loops = 0
        self.inside: list[int] = []
        """The functions that are being read, so that one that calls itself ends."""
        self.returned: list[Value] = []
        self.left_by: type[ast.stmt] | None = None
        """The statement that ended the last block that was left before its end."""
        self.bindings: list[Node] = []
        self.modules: set[str] = set()
        """Modules that were imported."""
        self.registered: dict[str, Value] = {}
        """Frames that queries know by a name, in lower case."""
        self.hidden: list[Node] = []
        """Steps that may have done anything: ``exec`` of a text that is not known."""
        self.written: list[Node] = []
        """What went into files."""
        self.in_string = False
        """Whether a query's string is read, whose own line numbers mean nothing."""

    @property
    def polars(self) -> bool:
        """Whether frames are those of polars, as far as the imports say."""
        return "polars" in self.modules and "pandas" not in self.modules

    def evaluate(self, expression: ast.expr) -> Value:
        """The value of an expression. One of an unknown kind depends on all its parts."""
        self.count_step()
        read = self.expressions.get(type(expression))
        if read is None:
            parts = [self.evaluate(part) for part in ast.iter_child_nodes(expression) if isinstance(part, ast.expr)]
            return unknown(self.reach(*parts), self.line)
        return read(self, expression)

    def count_step(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise ExhaustedError

    def apply(self, function: Value, arguments: Sequence[Value], named: Mapping[str, Value] | None = None) -> Value:
        """What a call of this value gives."""
        return self.read_call(self, function, arguments, named)

    def run(self, statements: Sequence[ast.stmt]) -> bool:
        """Read statements one after another; True when nothing after them runs."""
        return self.read_block(self, statements)

    def node(self, parents: Sequence[Node], *facts: Fact) -> Node:
        return Node(parents, facts, self.line)

    def with_fact(self, value: Value, *facts: Fact, parents: Sequence[Node] = ()) -> Value:
        """The same value with more done to it."""
        return fresh(value, node=Node((value.node, *parents), facts, self.line))

    def const(self, value: object) -> Value:
        return constant(value, self.line)

    def reach(self, *values: Value) -> tuple[Node, ...]:
        return tuple(reach(value, self.line) for value in values)

    def table(self, name: str) -> Value:
        """A given table."""
        node = Node((), (TableRead(name),), self.line, tabular=True)
        return Value("frame", node, shared=Shared(columns=self.schema.tables.get(name)))

    def new_frame(self, node: Node, columns: tuple[str, ...] | None, made: dict[str, Value]) -> Value:
        return Value("frame", node, shared=Shared(columns=columns, made=made))

    def change(self, value: Value, *parents: Node) -> None:
        """A change in place, seen through every name of the value."""
        if value.shared is None:
            value.node = self.node((value.node, *parents, *self.control))
            return
        before = () if value.shared.node is None else (value.shared.node,)
        value.shared.node = self.node((*before, *parents, *self.control))

    def list_of(self, items: Sequence[Value]) -> Value:
        if len(items) > MOST_ITEMS:
            return Value("list", self.node(self.reach(*items)), shared=Shared(element=unknown(self.reach(*items))))
        return Value("list", self.node(self.reach(*items)), shared=Shared(items=list(items)))

    def series(self, parents: Sequence[Node], sources: Sequence[str] = (), sort: Sorting | None = None) -> Value:
        return Value("series", self.node(parents), sources=tuple(dict.fromkeys(sources)), sort=sort)


ReadExpression = Callable[[State, Any], Value]
ReadBlock = Callable[[State, Sequence[ast.stmt]], bool]
ReadCall = Callable[[State, Value, Sequence[Value], Mapping[str, Value] | None], Value]
