"""Planning formulas: a function for each kind of expression, in the table ``PLANNERS``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any  # Any: each function takes the class of expression that it is listed under

from karat.sheet.check.requirements import Wanted
from karat.sheet.check.row_context import rows_of
from karat.sheet.functions.operators import ARRAY, BINARY, UNARY
from karat.sheet.plan.calls import apply, plan_call
from karat.sheet.plan.draft import Draft, Planning, Scope
from karat.sheet.plan.tables import plan_column, plan_field, plan_table
from karat.sheet.text.tree import (
    Array,
    Binary,
    Boolean,
    Call,
    Element,
    Expr,
    FieldOf,
    FieldsOf,
    Missing,
    Number,
    Omitted,
    OwnField,
    TableName,
    Text,
    Unary,
)
from karat.sheet.values import NA, shown


def plan_expression(draft: Draft, node: Expr, scope: Scope, wanted: Wanted) -> Planning | int:
    """The node of an expression, or the planning that will give it. ``wanted``: the fields that are needed of a table;
    None: all."""
    planner = PLANNERS.get(type(node))
    if planner is None:
        raise TypeError(f"no expression: {node!r}")
    return planner(draft, node, scope, wanted)


def _literal(draft: Draft, node: Number | Text, _scope: Scope, _wanted: Wanted) -> int:
    return _constant(draft, node.value)


def _boolean(draft: Draft, node: Boolean, _scope: Scope, _wanted: Wanted) -> int:
    return _constant(draft, node.value)


def _missing(draft: Draft, _node: Missing, _scope: Scope, _wanted: Wanted) -> int:
    return _constant(draft, NA)


def _constant(draft: Draft, value: object) -> int:
    label = f'"{value}"' if isinstance(value, str) else shown(value)
    return draft.node("constant", detail=value, kind="Value", label=label)


def _element(draft: Draft, node: Element, scope: Scope, _wanted: Wanted) -> int:
    found = scope.queried.get(node.of) if node.of else scope.elements
    if found is None:
        hint = "It is the element in FILTER(source, condition), SORTBY, UNIQUEBY and FIND."
        return draft.fail("$ is outside a query", hint, node.at, scope)
    elements, source, place = found
    return draft.node("element", (elements, source), place, label="$", at=node.at, origin=scope.origin)


def _own_field(draft: Draft, node: OwnField, scope: Scope, _wanted: Wanted) -> Planning | int:
    table = scope.table
    if table is None:
        return draft.fail(f"[{node.name}] is outside a table", "", node.at, scope)
    if scope.total:
        return plan_column(draft, table.name, node.name, node.at, scope)
    if scope.dims is not None:
        if node.name in scope.dims:
            return scope.dims[node.name]
        said = f"the formula of a dim cannot use [{node.name}]"
        return draft.fail(said, "It makes the rows, so it can only use the dims before it.", node.at, scope)
    return plan_field(draft, table.name, node.name, node.at, scope)


def _omitted(draft: Draft, node: Omitted, scope: Scope, _wanted: Wanted) -> int:
    return draft.fail("an argument is left empty", "", node.at, scope)


def _field_of(draft: Draft, node: FieldOf, scope: Scope, _wanted: Wanted) -> Planning | int:
    if isinstance(node.source, TableName):
        return plan_column(draft, node.source.name, node.name, node.at, scope)
    found = None
    if isinstance(node.source, Element):
        found = scope.queried.get(node.source.of) if node.source.of else scope.elements
    if found is not None:
        elements, source, place = found
        label = f"$[{node.name}]"
        return draft.node(
            "element_field", (elements, source), place, node.name, label=label, at=node.at, origin=scope.origin
        )
    return _get(draft, node, scope)


def _get(draft: Draft, node: FieldOf, scope: Scope) -> Planning:
    own = scope.table.name if scope.table is not None else ""
    table = rows_of(node.source, own, draft.names, scope.element)
    if table in draft.tables and (table, node.name) in draft.graph and scope.dims is None:
        made = yield node.source, scope, frozenset()
        column = yield from plan_column(draft, table, node.name, node.at, scope)
        place, label = draft.place_of(made), f"[{node.name}]"
        return draft.node(
            "get_of_rows", (made, column), place, node.name, kind="Get", label=label, at=node.at, origin=scope.origin
        )
    made = yield node.source, scope, frozenset((node.name,))
    place, label = draft.place_of(made), f"[{node.name}]"
    return draft.node("get", (made,), place, node.name, label=label, at=node.at, origin=scope.origin)


def _fields_of(draft: Draft, node: FieldsOf, scope: Scope, _wanted: Wanted) -> Planning:
    made = yield node.source, scope, frozenset(node.names)
    place, label = draft.place_of(made), ", ".join(node.names)
    return draft.node(
        "get_many", (made,), place, node.names, kind="Fields", label=label, at=node.at, origin=scope.origin
    )


def _binary(draft: Draft, node: Binary, scope: Scope, _wanted: Wanted) -> Planning:
    inputs = ((yield node.left, scope, None), (yield node.right, scope, None))
    return apply(draft, BINARY[node.operator], inputs, node.at, scope)


def _unary(draft: Draft, node: Unary, scope: Scope, _wanted: Wanted) -> Planning:
    operand = yield node.operand, scope, None
    return apply(draft, UNARY[node.operator], (operand,), node.at, scope)


def _array(draft: Draft, node: Array, scope: Scope, _wanted: Wanted) -> Planning:
    items: list[int] = []
    for item in node.items:
        items += [(yield item, scope, None)]
    return apply(draft, ARRAY, tuple(items), node.at, scope)


PLANNERS: dict[type[Expr], Callable[[Draft, Any, Scope, Wanted], Planning | int]] = {
    Number: _literal,
    Text: _literal,
    Boolean: _boolean,
    Missing: _missing,
    Omitted: _omitted,
    Element: _element,
    TableName: plan_table,
    OwnField: _own_field,
    FieldOf: _field_of,
    FieldsOf: _fields_of,
    Call: plan_call,
    Binary: _binary,
    Unary: _unary,
    Array: _array,
}
