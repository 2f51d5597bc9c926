"""Planning queries: FILTER, FIND, SORTBY and UNIQUEBY, whose later arguments are formulas over the elements of the
first."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from karat.sheet.check.requirements import Wanted, both, element_fields, lookup, uses_element, uses_row
from karat.sheet.functions import FUNCTIONS
from karat.sheet.plan.draft import Draft, Need, Planning, Scope
from karat.sheet.plan.nodes import SHEET, Place, inner
from karat.sheet.plan.tables import plan_rows
from karat.sheet.text.tree import At, Binary, Call, Element, Expr, FieldOf, TableName, Unary


def _is_query(name: str) -> bool:
    function = FUNCTIONS.get(name)
    return function is not None and function.queries


def plan_query(draft: Draft, node: Call, scope: Scope, wanted: Wanted) -> Planning:
    function = FUNCTIONS[node.name]
    source, bodies = node.arguments[0], node.arguments[1:]
    if function.name == "FIND":
        condition = _condition(draft, node)
        if isinstance(condition, str):
            return draft.fail(condition, 'Write T.FIND("key"), or a condition with $.', node.at, scope)
        bodies = (condition,)
    asked = wanted
    for body in bodies:
        asked = both(asked, element_fields(body, _is_query))
    made = yield source, scope, asked
    down = tuple(function.name == "SORTBY" and isinstance(body, Unary) and body.operator == "-" for body in bodies)
    bodies = tuple(
        body.operand if flag and isinstance(body, Unary) else body for flag, body in zip(down, bodies, strict=True)
    )
    parent = draft.place_of(made)
    if any(uses_row(body) for body in bodies):
        parent = inner(parent, (yield from _row_place(draft, scope)))
    inputs: tuple[int, ...] = (made,)
    if function.name in ("FILTER", "FIND") and parent is not SHEET and draft.plan.nodes[made].place is SHEET:
        pair = lookup(bodies[0], _is_query)
        if pair is not None:
            free = _elements(draft, (made,), SHEET, node.at, scope)
            inside = yield pair[0], replace(scope, elements=(free, made, draft.element_places[free])), None
            outside = yield pair[1], replace(scope, elements=None), None
            inputs = (made, inside, outside)
    elements = _elements(draft, inputs, parent, node.at, scope)
    within = replace(scope, elements=(elements, made, draft.element_places[elements]))
    keys: list[int] = []
    for body in bodies:
        keys += [(yield body, within, None)]
    return draft.node(
        "query",
        (elements, made, *keys),
        parent,
        (function.name, down),
        kind=function.kind,
        label=function.name,
        at=node.at,
        origin=scope.origin,
    )


def _elements(draft: Draft, inputs: tuple[int, ...], parent: Place, at: At, scope: Scope) -> int:
    made = draft.node("elements", inputs, parent, kind="Elements", label="$", at=at, origin=scope.origin)
    if made not in draft.element_places:
        draft.element_places[made] = Place(parent.level + 1, parent, made)
    return made


def _row_place(draft: Draft, scope: Scope) -> Generator[Need, int, Place]:
    if scope.table is None or scope.total:
        return SHEET
    if scope.dims is not None:
        return scope.dim_place
    yield from plan_rows(draft, scope.table.name)
    return draft.plan.rows[scope.table.name][1]


def _condition(draft: Draft, node: Call) -> Expr | str:
    """What FIND looks for: its condition, or the equality with the keys or the value it was given."""
    source, given = node.arguments[0], node.arguments[1:]
    if any(uses_element(one, _is_query) for one in given):
        return given[0] if len(given) == 1 else "FIND takes one condition"
    sides: list[Expr] = [Element(node.at)]
    if isinstance(source, TableName):
        table = draft.tables.get(source.name)
        fields = [field for line in table.fields for field in line.fields] if table is not None else []
        sides = [FieldOf(Element(node.at), field.name, node.at) for field in fields if field.key]
        if not sides:
            return f"{source.name} has no key to find a row by"
    if len(given) > len(sides):
        return f"FIND was given {len(given)} keys, but there {'is' if len(sides) == 1 else 'are'} {len(sides)}"
    condition: Expr = Binary("=", sides[0], given[0], node.at)
    for side, key in zip(sides[1:], given[1:], strict=False):
        condition = Binary("AND", condition, Binary("=", side, key, node.at), node.at)
    return condition
