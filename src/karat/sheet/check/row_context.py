"""What the names in a formula mean where a query looks at rows of a table.

- ``T(key)`` is a row of the table T; before this step it looks like a call.
- Inside the condition of a query over rows of T, ``T[x]`` is the x of the element, as ``$[x]`` is: ``FILTER(A, A[a] =
  [a])`` and ``A.FILTER($[a] = [a])`` are the same. The innermost query over T counts; outside a query ``T[x]`` is the
  whole column. A query over a column of T is one over its rows, of which the column is taken.

Both are settled here once, so that the check, the dependencies and the plan read only ``$``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import dataclass, replace
from typing import cast

from karat.sheet.check.names import KEEP_ROWS, Names
from karat.sheet.check.requirements import uses_element
from karat.sheet.text.traversal import children, nodes, rebuilt, rewritten, with_formulas, with_table_calls
from karat.sheet.text.tree import (
    TABLE_CALL,
    Call,
    Element,
    Expr,
    FieldOf,
    FieldsOf,
    OwnField,
    Sheet,
    Table,
    TableName,
)

MOST_STEPS = 100

IsQuery = Callable[[str], bool]
Step = Generator[tuple[Expr, tuple[str, ...]], Expr, Expr]
"""Yields what it needs first, with the queries around it; returns its own."""


def rows_of(expression: Expr, own: str, names: Names, element: str = "") -> str:
    """The table whose rows the expression gives, inside the table ``own`` and where ``$`` is a row of ``element``.
    Empty where it gives no rows, or none that are known before anything is computed."""
    return _rows_of(expression, own, names, element, iter(range(MOST_STEPS)))


def _rows_of(expression: Expr, own: str, names: Names, element: str, steps: Iterator[int]) -> str:
    """``steps`` are those that are left: fields may be defined in a circle."""
    for _ in steps:
        match expression:
            case TableName(name=name):
                return name if name in names.fields else ""
            case Element(of=table):
                return table or element
            case FieldsOf(source=source):
                expression = source
            case Call(name=name, arguments=(first, *_)) if name in KEEP_ROWS or name == TABLE_CALL:
                expression = first
            case OwnField(name=name):
                place = (own, name)
                if place not in names.sources:
                    return ""
                expression, element = names.sources[place], ""
            case FieldOf(source=source, name=name):
                table = source.name if isinstance(source, TableName) else _rows_of(source, own, names, element, steps)
                if (table, name) not in names.sources:
                    return ""
                expression, own, element = names.sources[table, name], table, ""
            case _:
                return ""
    return ""


def resolved(sheet: Sheet, names: Names, functions: Collection[str], is_query: IsQuery) -> Sheet:
    """The sheet with its formulas in those terms."""
    folded: dict[str, list[str]] = {}
    for name in names.fields:
        folded.setdefault(name.upper(), []).append(name)

    def table_named(spelled: str) -> str | None:
        if spelled.upper() in functions:
            return None
        if spelled in names.fields:
            return spelled
        near = folded.get(spelled.upper(), [])
        return near[0] if len(near) == 1 else None

    sheet = with_table_calls(sheet, table_named)
    return with_formulas(sheet, lambda table, formula: _Context(table, names, is_query).within(formula, ()))


@dataclass(frozen=True, slots=True)
class _Context:
    table: Table
    names: Names
    is_query: IsQuery

    def within(self, formula: Expr, around: tuple[str, ...]) -> Expr:
        """The formula inside queries over rows of these tables, the innermost last. No formula is too deep: the steps
        that wait for others are kept in a list."""
        stack = [self._step(formula, around)]
        answer: Expr | None = None
        while True:
            try:
                # A generator takes its first value only once it is under way.
                need = next(stack[-1]) if answer is None else stack[-1].send(answer)
            except StopIteration as done:
                stack.pop()
                answer = done.value
                if not stack:
                    return cast(Expr, done.value)
                continue
            stack.append(self._step(*need))
            answer = None

    def _step(self, node: Expr, around: tuple[str, ...]) -> Step:
        if isinstance(node, FieldOf) and isinstance(node.source, TableName) and node.source.name in around:
            name = node.source.name
            return replace(node, source=Element("" if around[-1] == name else name, node.source.at))
        if isinstance(node, Call) and node.arguments and self.is_query(node.name):
            return (yield from self._query(node, around))
        below = children(node)
        made: list[Expr] = []
        for child in below:
            made += [(yield child, around)]
        same = all(one is other for one, other in zip(made, below, strict=True))
        return node if same else rebuilt(node, tuple(made))

    def _query(self, node: Call, around: tuple[str, ...]) -> Step:
        source, *bodies = node.arguments
        element = around[-1] if around else ""
        table = rows_of(source, self.table.name, self.names, element)
        by_key = node.name == "FIND" and not any(
            uses_element(body, self.is_query) or (table and _names(body, table)) for body in bodies
        )
        column = ""
        if not table and isinstance(source, FieldOf) and node.name != "FIND":
            own = source.source.name if isinstance(source.source, TableName) else ""
            behind = rows_of(source.source, self.table.name, self.names, element)
            if behind and own not in around and any(_names(body, behind) for body in bodies):
                table, column, source = behind, source.name, source.source
                bodies = [_of_column(body, column, self.is_query) for body in bodies]
        # What FIND looks for by key is no condition: the elements around are meant by their tables' names there.
        inner = (*around, "" if by_key else table)
        arguments = [(yield source, around)]
        for body in bodies:
            arguments += [(yield body, inner)]
        made = replace(node, arguments=tuple(arguments))
        return FieldOf(made, column, node.at) if column else made


def _names(body: Expr, table: str) -> bool:
    return any(
        isinstance(node, FieldOf) and isinstance(node.source, TableName) and node.source.name == table
        for node in nodes(body)
    )


def _of_column(body: Expr, column: str, is_query: IsQuery) -> Expr:
    """The condition with ``$``, an element of the column, as that field of the row."""
    if not uses_element(body, is_query):
        return body

    def change(node: Expr) -> Expr:
        return FieldOf(node, column, node.at) if isinstance(node, Element) and not node.of else node

    return rewritten(body, change)
