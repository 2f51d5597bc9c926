"""Planning queries: FILTER, FIND, SORTBY and UNIQUEBY, whose later arguments are formulas over the elements of the
first."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from karat.sheet.check.requirements import Wanted, both, element_fields, lookup, uses_element, uses_row
from karat.sheet.check.row_context import rows_of
from karat.sheet.functions import FUNCTIONS
from karat.sheet.plan.draft import Draft, Need, Planning, Scope, is_query
from karat.sheet.plan.nodes import SHEET, Place, inner
from karat.sheet.plan.tables import plan_rows
from karat.sheet.text.traversal import nodes
from karat.sheet.text.tree import At, Binary, Call, Element, Expr, Number, Omitted, Unary


def plan_query(draft: Draft, node: Call, scope: Scope, wanted: Wanted) -> Planning:
    function = FUNCTIONS[node.name]
    source, bodies = node.arguments[0], node.arguments[1:]
    own = scope.table.name if scope.table is not None else ""
    table = rows_of(source, own, draft.names, scope.element)
    if function.name == "FIND" and not any(uses_element(one, is_query) for one in bodies):
        if table:
            return (yield from plan_find(draft, node, table, scope, wanted))
        if len(bodies) > 1:
            return draft.fail("FIND takes one value here", "Several keys are found in a table.", node.at, scope)
        bodies = (Binary("=", Element(at=node.at), bodies[0], node.at),)
    elif function.name == "FIND" and len(bodies) > 1:
        return draft.fail("FIND takes one condition", "Join conditions with AND.", node.at, scope)
    asked = wanted
    for body in bodies:
        asked = both(asked, element_fields(body, is_query, table))
    made = yield source, scope, asked
    bodies, down = _orders(bodies) if function.name == "SORTBY" else (bodies, (False,) * len(bodies))
    parent = draft.place_of(made)
    if any(uses_row(body) for body in bodies):
        parent = inner(parent, (yield from _row_place(draft, scope)))
    for of in {one.of for body in bodies for one in nodes(body) if isinstance(one, Element) and one.of}:
        if of in scope.queried and of != table:
            parent = inner(parent, scope.queried[of][2])
    inputs: tuple[int, ...] = (made,)
    if function.name in ("FILTER", "FIND") and parent is not SHEET and draft.plan.nodes[made].place is SHEET:
        pair = lookup(bodies[0], is_query)
        if pair is not None:
            free = _elements(draft, (made,), SHEET, node.at, scope)
            found = (free, made, draft.element_places[free])
            inside = yield pair[0], replace(scope, elements=found, element=table), None
            outside = yield pair[1], replace(scope, elements=None, element=""), None
            inputs = (made, inside, outside)
    elements = _elements(draft, inputs, parent, node.at, scope)
    found = (elements, made, draft.element_places[elements])
    queried = {**scope.queried, table: found} if table else scope.queried
    within = replace(scope, elements=found, element=table, queried=queried)
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


def _orders(bodies: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], tuple[bool, ...]]:
    """The keys of SORTBY and whether each falls: ``-key``, or -1 as the argument after it."""
    keys: list[Expr] = []
    down: list[bool] = []
    for at, body in enumerate(bodies):
        falls = isinstance(body, Unary) and body.operator == "-"
        number = body.operand if falls and isinstance(body, Unary) else body
        if at and isinstance(number, Number) and number.value == 1:
            down[-1] = down[-1] != falls
        elif isinstance(body, Unary) and falls:
            keys.append(body.operand)
            down.append(True)
        elif not isinstance(body, Omitted):
            keys.append(body)
            down.append(False)
    return tuple(keys), tuple(down)


def plan_find(draft: Draft, node: Call, table: str, scope: Scope, wanted: Wanted) -> Planning:
    """The row of a table, or of a query of it, by its keys; by its number where the table has no key."""
    source, *given = node.arguments
    declared = draft.tables.get(table)
    fields = [field for line in declared.fields for field in line.fields] if declared is not None else []
    keys = tuple(field.name for field in fields if field.key)
    if not given or len(given) > max(1, len(keys)):
        wants = f"{len(keys)} keys" if len(keys) > 1 else "one key" if keys else "the number of a row"
        said = f"{table} is asked for a row by {len(given)} values, but needs {wants}"
        return draft.fail(said, "Write T(key), or a condition with $ in T.FIND(condition).", node.at, scope)
    made = yield source, scope, both(wanted, frozenset(keys))
    inputs = [made]
    for one in given:
        inputs += [(yield one, scope, None)]
    return draft.node(
        "find",
        tuple(inputs),
        draft.place_of(*inputs),
        keys[: len(given)],
        kind="Find",
        label=table,
        at=node.at,
        origin=scope.origin,
    )
