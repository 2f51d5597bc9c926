"""The computation itself: every node once, in the order of the plan."""

from __future__ import annotations

from collections.abc import Callable

from karat.sheet.compute.computation import Computation
from karat.sheet.compute.formulas import apply, get, get_many, get_of_rows
from karat.sheet.compute.queries import element_field, element_values, elements, query
from karat.sheet.compute.self_references import feedback, settle
from karat.sheet.compute.tables import (
    choice,
    column,
    dim,
    dim_value,
    evaluation,
    field,
    find,
    match,
    order,
    questions,
    row_number,
    rows,
    table,
)
from karat.sheet.plan.nodes import Node, Op
from karat.sheet.values import Failure


def _failed(_: Computation, node: Node) -> Failure:
    message, hint, at = node.detail
    return Failure(message, hint, at, node.origin)


OPS: dict[Op, Callable[[Computation, Node], object]] = {
    "constant": lambda _, node: node.detail,
    "failed": _failed,
    "apply": apply,
    "elements": elements,
    "element": element_values,
    "element_field": element_field,
    "query": query,
    "get": get,
    "get_of_rows": get_of_rows,
    "find": find,
    "get_many": get_many,
    "rows": rows,
    "dim": dim,
    "dim_value": dim_value,
    "row_number": row_number,
    "match": match,
    "field": field,
    "feedback": feedback,
    "order": order,
    "column": column,
    "table": table,
    "questions": questions,
    "evaluation": evaluation,
    "choice": choice,
}


def compute(computation: Computation) -> Computation:
    """Compute every node of the plan."""
    for node in computation.plan.nodes:
        computation.values.append(_computed(computation, node))
        if node.id in computation.plan.loops:
            settle(computation, node, _computed)
    return computation


def _computed(computation: Computation, node: Node) -> object:
    return OPS[node.op](computation, node)
