"""Planning queries: FILTER, FIND, SORTBY and UNIQUEBY, whose later arguments are formulas over the elements of the
first."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from karat.core.problems import count_of
from karat.sheet.check.requirements import Wanted, both, element_fields, lookup, uses_element, uses_row
from karat.sheet.check.row_context import rows_of
from karat.sheet.check.sort_keys import ORDER_HINT, sort_keys
from karat.sheet.functions import FUNCTIONS
from karat.sheet.plan.draft import Draft, Need, Planning, Scope, is_query
from karat.sheet.plan.nodes import SHEET, Place, inner
from karat.sheet.plan.tables import plan_own_order, plan_rows
from karat.sheet.text.traversal import nodes
from karat.sheet.text.tree import At, Binary, Call, Element


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
    down = (False,) * len(bodies)
    if function.name == "SORTBY":
        bodies, down, wrong = sort_keys(bodies, "SORTBY", node.at)
        if wrong is not None:
            return draft.fail(wrong.message, ORDER_HINT, wrong.at, scope)
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


def plan_find(draft: Draft, node: Call, table: str, scope: Scope, wanted: Wanted) -> Planning:
    """The row of a table, or of a query of it, by its keys; by its number where the table has no key."""
    source, *given = node.arguments
    declared = draft.tables.get(table)
    fields = [field for line in declared.fields for field in line.fields] if declared is not None else []
    keys = tuple(field.name for field in fields if field.key)
    if not given or len(given) > max(1, len(keys)):
        wants = f"{len(keys)} keys" if len(keys) > 1 else "one key" if keys else "the number of a row"
        said = f"{table} is asked for a row by {count_of(len(given), 'value')}, but needs {wants}"
        return draft.fail(said, "Write T(key), or a condition with $ in T.FIND(condition).", node.at, scope)
    made = yield source, scope, both(wanted, frozenset(keys))
    inputs = [made]
    for one in given:
        inputs += [(yield one, scope, None)]
    place = draft.place_of(*inputs)
    order = None if keys else (yield from plan_own_order(draft, table, scope))
    if order is not None:
        inputs.append(order)
    return draft.node(
        "find",
        tuple(inputs),
        place,
        (keys[: len(given)], order is not None),
        kind="Find",
        label=table,
        at=node.at,
        origin=scope.origin,
    )
