"""Plan what an evaluation table asks: its questions and truths, with the values that are searched.

Rows that the table's filter leaves out are no questions. A filter that looks at what was chosen (``filter [Passed] =
0``) comes after the choice, so it leaves out none.
"""

from __future__ import annotations

from karat.sheet.check.dependencies import EVALUATING, FILTERED
from karat.sheet.evaluation_table import evaluation_fields
from karat.sheet.plan.draft import Draft, Planning, Scope
from karat.sheet.plan.nodes import SHEET
from karat.sheet.plan.tables import APPLIED, plan_column, plan_rows
from karat.sheet.text.traversal import nodes
from karat.sheet.text.tree import ROW_COLUMN, At, Call, Expr, Table


def plan_questions(draft: Draft, table: Table, at: At, origin: tuple[str, str]) -> Planning:
    """An evaluation table's questions and truths, the values that are searched, and which rows count."""
    scope = Scope(table, origin)
    fields = evaluation_fields(table)
    inputs = [(yield from plan_column(draft, table.name, fields.question, at, scope))]
    for name, _ in fields.truths:
        inputs.append((yield from plan_column(draft, table.name, name, at, scope)))
    for _, (other, searched) in fields.truths:
        inputs.append((yield from plan_column(draft, other, searched, at, scope)))
    if table.apply is not None and table.apply.filter is not None and not _looks_at_the_choice(draft, table):
        inputs.append((yield from _plan_kept(draft, table, table.apply.filter)))
    made = draft.node(
        "questions", tuple(inputs), SHEET, fields, kind="Questions", label=table.name, at=at, origin=origin
    )
    draft.plan.questions[table.name] = made
    return made


def _plan_kept(draft: Draft, table: Table, condition: Expr) -> Planning:
    """The node that says which rows the filter keeps, in their first order."""
    draft.open.append((table.name, APPLIED))
    by_row = table.override is not None and ROW_COLUMN in table.override.columns
    origin = (table.name, "apply")
    rows = yield from plan_rows(draft, table.name)
    kept = yield condition, Scope(table, origin, before=by_row), None
    draft.open.pop()
    at = table.at if table.apply is None else table.apply.at
    detail = (table.name, True, ())
    return draft.node("order", (rows, kept), SHEET, detail, kind="Apply", label=table.name, at=at, origin=origin)


def _looks_at_the_choice(draft: Draft, table: Table) -> bool:
    """Whether the filter needs n or model of a field, directly or through other fields."""
    formulas = {
        (one.name, field.name): line.formula
        for one in draft.tables.values()
        for line in one.fields
        for field in line.fields
    }
    reached = draft.reached((table.name, FILTERED))
    looked_at = [None if table.apply is None else table.apply.filter, *(formulas.get(node) for node in reached)]
    return any(
        isinstance(node, Call) and node.name in EVALUATING
        for formula in looked_at
        if formula is not None
        for node in nodes(formula)
    )
