"""Walk an expression without recursion, so that no tree is too deep."""

from __future__ import annotations

from collections.abc import Iterator

from karat.sheet.text.tree import Array, Binary, Call, Expr, FieldOf, FieldsOf, Table, Unary


def children(node: Expr) -> tuple[Expr, ...]:
    """What an expression is made of, left to right."""
    match node:
        case Call(arguments=arguments):
            return arguments
        case Binary(left=left, right=right):
            return (left, right)
        case FieldOf(source=source) | FieldsOf(source=source):
            return (source,)
        case Unary(operand=operand):
            return (operand,)
        case Array(items=items):
            return items
        case _:
            return ()


def nodes(root: Expr) -> Iterator[Expr]:
    """Every node, a parent before what it is made of, left to right."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def nodes_upwards(root: Expr) -> Iterator[Expr]:
    """Every node, what it is made of before it, left to right."""
    waiting: list[tuple[Expr, bool]] = [(root, False)]
    while waiting:
        node, seen = waiting.pop()
        below = () if seen else children(node)
        if below:
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(below))
        else:
            yield node


def too_deep(root: Expr, deepest: int) -> Expr | None:
    """A node that lies deeper than allowed, or None."""
    waiting = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > deepest:
            return node
        waiting.extend((child, depth + 1) for child in children(node))
    return None


def formulas(table: Table) -> Iterator[Expr]:
    """Every formula of a table: of its fields, of what is applied to it, of its totals."""
    for line in table.fields:
        if line.formula is not None:
            yield line.formula
    if table.apply is not None:
        if table.apply.filter is not None:
            yield table.apply.filter
        yield from table.apply.sort
    for total in table.totals:
        for line in total.fields:
            if line.formula is not None:
                yield line.formula
