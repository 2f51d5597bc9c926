"""What the names in a formula mean where a query looks at rows of a table.

- ``T(key)`` is a row of the table T; before this step it looks like a call.
- Inside the condition of a query over rows of T, ``T[x]`` is the x of the element, as ``$[x]`` is: ``FILTER(A, A[a] =
  [a])`` and ``A.FILTER($[a] = [a])`` are the same. The innermost query over T counts; outside a query ``T[x]`` is the
  whole column. It is the whole column too where a function wants an array: ``FILTER(A, A[a] = MAX(A[a]))``. A query
  over a column of T is one over its rows, of which the column is taken.

Both are settled here once, so that the check, the dependencies and the plan read only ``$``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from karat.sheet.check.names import KEEP_ROWS, Names
from karat.sheet.check.requirements import uses_element
from karat.sheet.functions.definition import Function
from karat.sheet.text.traversal import children, nodes, rebuilt, rewritten, with_formulas, with_table_calls
from karat.sheet.text.tree import (
    TABLE_CALL,
    At,
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
TakesArray = Callable[[Call], Sequence[bool]]
"""For each argument of a call: whether the function wants an array there."""


class Around(NamedTuple):
    """The queries around an expression."""

    tables: tuple[str, ...] = ()
    """Whose rows they look at, the innermost last."""
    whole: bool = False
    """Whether an array is wanted here, so that ``T[x]`` is the column and not the field of the element."""


Step = Generator[tuple[Expr, Around], Expr, Expr]
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


def resolved(sheet: Sheet, names: Names, functions: Mapping[str, object], is_query: IsQuery) -> Sheet:
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

    def takes_array(call: Call) -> Sequence[bool]:
        function = functions.get(call.name)
        form = function.form(len(call.arguments)) if isinstance(function, Function) else None
        return [parameter.takes == "array" for parameter in form or ()]

    return with_formulas(sheet, lambda table, formula: _Context(table, names, is_query, takes_array).within(formula))


@dataclass(frozen=True, slots=True)
class _Context:
    table: Table
    names: Names
    is_query: IsQuery
    takes_array: TakesArray

    def within(self, formula: Expr) -> Expr:
        """The formula in those terms. No formula is too deep: the steps that wait for others are kept in a list."""
        stack = [self._step(formula, Around())]
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

    def _step(self, node: Expr, around: Around) -> Step:
        if isinstance(node, FieldOf) and isinstance(node.source, TableName) and node.source.name in around.tables:
            name = node.source.name
            return node if around.whole else replace(node, source=self._element(name, around, node.source.at))
        if isinstance(node, Call) and node.arguments and self.is_query(node.name):
            return (yield from self._query(node, around))
        below = children(node)
        arrays = self.takes_array(node) if isinstance(node, Call) and around.tables else ()
        made: list[Expr] = []
        for at, child in enumerate(below):
            wanted = around._replace(whole=True) if arrays and arrays[at] else around
            made += [(yield child, wanted)]
        same = all(one is other for one, other in zip(made, below, strict=True))
        return node if same else rebuilt(node, tuple(made))

    def _element(self, name: str, around: Around, at: At) -> Element:
        return Element("" if around.tables[-1] == name else name, at)

    def _query(self, node: Call, around: Around) -> Step:
        source, *bodies = node.arguments
        element = around.tables[-1] if around.tables else ""
        table = rows_of(source, self.table.name, self.names, element)
        by_key = node.name == "FIND" and not any(
            uses_element(body, self.is_query) or (table and _names(body, table)) for body in bodies
        )
        column = ""
        if not table and isinstance(source, FieldOf) and node.name != "FIND":
            behind = rows_of(source.source, self.table.name, self.names, element)
            if behind and any(_names(body, behind) for body in bodies):
                table, column, source = behind, source.name, source.source
                bodies = [_of_column(body, column, self.is_query) for body in bodies]
        # What FIND looks for by key is no condition: the elements around are meant by their tables' names there.
        inner = Around((*around.tables, "" if by_key else table))
        arguments = [(yield source, around._replace(whole=True))]
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
