"""Planning calls: most are a function of the values of their arguments; those in ``SPECIAL_CALLS`` and the queries are
planned in their own way."""

from __future__ import annotations

from collections.abc import Callable

from karat.core.problems import did_you_mean
from karat.sheet.check.requirements import Wanted
from karat.sheet.evaluation_table import evaluation_fields, read_reference, reference_text, the_evaluation_table
from karat.sheet.functions import FUNCTIONS
from karat.sheet.functions.definition import Function
from karat.sheet.plan.draft import Draft, Planning, Scope
from karat.sheet.plan.nodes import SHEET
from karat.sheet.plan.queries import plan_find, plan_query
from karat.sheet.plan.questions import plan_questions
from karat.sheet.plan.tables import plan_own_order, plan_rows
from karat.sheet.text.tree import TABLE_CALL, At, Call, FieldOf, Omitted, TableName, Text
from karat.sheet.values import Wrong

PASSES_ON = {"FIRST", "LAST", "SINGLE", "INDEX", "IF", "IFNA"}
"""They give what they were given: of a table they need the fields that are asked of them."""


def plan_call(draft: Draft, node: Call, scope: Scope, wanted: Wanted) -> Planning | int:
    """A call. It fails if the function does not exist or does not take this number of arguments."""
    if node.name == TABLE_CALL:
        table = node.arguments[0]
        assert isinstance(table, TableName)  # noqa: S101 (that is what such a call is)
        return plan_find(draft, node, table.name, scope, wanted)
    function = FUNCTIONS.get(node.name)
    if function is None:
        return draft.fail(f"there is no function {node.name}", did_you_mean(node.name, FUNCTIONS), node.at, scope)
    if function.form(len(node.arguments)) is None:
        hint = f"It is {' or '.join(function.signature())}."
        return draft.fail(f"{node.name} does not take {len(node.arguments)} arguments", hint, node.at, scope)
    form = function.form(len(node.arguments))
    empty = [at for at, argument in enumerate(node.arguments) if isinstance(argument, Omitted)]
    if node.name != "SORTBY" and any(form is None or not form[at].optional for at in empty):
        return draft.fail(f"an argument of {node.name} is left empty", "", node.at, scope)
    if node.name in SPECIAL_CALLS:
        return SPECIAL_CALLS[node.name](draft, node, scope, wanted)
    return (plan_query if function.queries else _plain_call)(draft, node, scope, wanted)


def _plain_call(draft: Draft, node: Call, scope: Scope, wanted: Wanted) -> Planning:
    """A function of the values of its arguments."""
    inputs = []
    for argument in node.arguments:
        if isinstance(argument, Omitted):
            inputs.append(draft.node("constant", detail=None, kind="Value", label="usual"))
            continue
        asked = wanted if node.name in PASSES_ON else frozenset() if node.name == "COUNT" else None
        inputs.append((yield argument, scope, asked))
    return apply(draft, FUNCTIONS[node.name], tuple(inputs), node.at, scope)


def apply(draft: Draft, function: Function, inputs: tuple[int, ...], at: At, scope: Scope) -> int:
    """The node of a function or an operator over these inputs."""
    place = draft.place_of(*inputs)
    return draft.node(
        "apply",
        inputs,
        place,
        function.name if function.name in FUNCTIONS else (function.name, len(inputs)),
        kind=function.kind,
        label=function.name,
        at=at,
        origin=scope.origin,
    )


def _row_number(draft: Draft, node: Call, scope: Scope, _wanted: Wanted) -> Planning:
    if scope.table is None or scope.total or scope.dims is not None:
        return draft.fail(
            "ROW() has no row here", "It is the number of the row in the formula of a field.", node.at, scope
        )
    table = scope.table
    rows = yield from plan_rows(draft, table.name)
    place = draft.plan.rows[table.name][1]
    order = yield from plan_own_order(draft, table.name, scope)
    inputs = (rows,) if order is None else (rows, order)
    return draft.node("row_number", inputs, place, kind="Row number", label="ROW", at=node.at, origin=scope.origin)


def _evaluated(draft: Draft, node: Call, scope: Scope, _wanted: Wanted) -> Planning:
    """n or model of a field: one choice for all fields of the evaluation table, whichever formula asks."""
    *first, asked = node.arguments
    name = ""
    if first:
        if not isinstance(first[0], TableName):
            return draft.fail(
                f"{node.name} needs the evaluation table first", "Evaluation.EVALUATE_N(T[f])", node.at, scope
            )
        name = first[0].name
    target: tuple[str, str] | None = None
    if isinstance(asked, FieldOf) and isinstance(asked.source, TableName):
        target = (asked.source.name, asked.name)
    elif isinstance(asked, Text):
        target = read_reference(asked.value)
    if target is None:
        return draft.fail(f'{node.name} needs a field, T[f] or "T[f]"', "", node.at, scope)
    try:
        table = the_evaluation_table(draft.sheet, name)
        known = [found for _, found in evaluation_fields(table).truths]
    except Wrong as wrong:
        return draft.fail(wrong.message, wrong.hint, node.at, scope)
    label = reference_text(*target)
    if target not in known:
        hint = did_you_mean(label, [reference_text(*one) for one in known])
        return draft.fail(f"{table.name} has no truths for {label}", hint, node.at, scope)
    questions = yield from plan_questions(draft, table, node.at, scope.origin)
    place = draft.node("evaluation", (questions,), kind="Evaluation", label=table.name, at=node.at, origin=scope.origin)
    return draft.node(
        "choice",
        (place,),
        SHEET,
        (node.name, label),
        kind="Function",
        label=f"{node.name} {label}",
        at=node.at,
        origin=scope.origin,
    )


SPECIAL_CALLS: dict[str, Callable[[Draft, Call, Scope, Wanted], Planning]] = {
    "ROW": _row_number,
    "EVALUATE_N": _evaluated,
    "EVALUATE_MODEL": _evaluated,
}
"""Functions that read more than the values of their arguments."""
