"""Walk an expression without recursion, so that no tree is too deep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeGuard

from karat.sheet.text.tree import (
    TABLE_CALL,
    Apply,
    Array,
    Binary,
    Call,
    Expr,
    FieldOf,
    Fields,
    FieldsOf,
    Sheet,
    Table,
    TableName,
    Total,
    Typed,
    Unary,
)


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


def is_formula(cell: Typed) -> TypeGuard[Expr]:
    """Whether a cell of an override is a formula; NA is one."""
    return cell is not None and not isinstance(cell, str | int | float)


def rebuilt(node: Expr, below: tuple[Expr, ...]) -> Expr:
    """The node with other children."""
    match node:
        case Call():
            return replace(node, arguments=below)
        case Binary():
            return replace(node, left=below[0], right=below[1])
        case FieldOf() | FieldsOf():
            return replace(node, source=below[0])
        case Unary():
            return replace(node, operand=below[0])
        case Array():
            return replace(node, items=below)
        case _:
            return node


def rewritten(root: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with every node changed, from the leaves up."""
    built: list[Expr] = []
    for node in nodes_upwards(root):
        count = len(children(node))
        below = tuple(built[len(built) - count :])
        del built[len(built) - count :]
        same = all(one is other for one, other in zip(below, children(node), strict=True))
        built.append(change(node if same else rebuilt(node, below)))
    return built[0]


def with_formulas(sheet: Sheet, change: Callable[[Table, Expr], Expr]) -> Sheet:
    """The sheet with every formula changed; the same one where none was."""

    def line(table: Table, fields: Fields) -> Fields:
        if fields.formula is None:
            return fields
        made = change(table, fields.formula)
        return fields if made is fields.formula else replace(fields, formula=made)

    def table(one: Table) -> Table:
        fields = tuple(line(one, fields) for fields in one.fields)
        totals = tuple(
            Total(tuple(line(one, under) for under in total.fields), total.at, total.comments) for total in one.totals
        )
        apply = one.apply
        if apply is not None:
            apply = Apply(
                None if apply.filter is None else change(one, apply.filter),
                tuple(change(one, key) for key in apply.sort),
                apply.at,
                apply.comments,
            )
        override = one.override
        if override is not None and any(is_formula(cell) for row in override.rows for cell in row):
            rows = tuple(
                tuple(change(one, cell) if is_formula(cell) else cell for cell in row) for row in override.rows
            )
            override = replace(override, rows=rows)
        return replace(one, fields=fields, totals=totals, apply=apply, override=override)

    return replace(sheet, tables=tuple(map(table, sheet.tables)))


def with_table_calls(sheet: Sheet, known: Callable[[str], str | None]) -> Sheet:
    """The sheet with ``T(key)`` as what it is. ``known`` gives the table that a name before a parenthesis means, or
    None where it is a function."""

    def change(node: Expr) -> Expr:
        name = known(node.spelled) if isinstance(node, Call) and node.spelled and not node.dotted else None
        if name is None or not isinstance(node, Call):
            return node
        return Call(TABLE_CALL, (TableName(name, node.at), *node.arguments), False, node.at)

    return with_formulas(sheet, lambda _, formula: rewritten(formula, change))


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
