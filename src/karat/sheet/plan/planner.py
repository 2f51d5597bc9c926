"""From a sheet to its plan: what its tables show, and all that is needed for it, each once."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from karat.sheet.plan.draft import Draft, Planning, Scope, new_draft
from karat.sheet.plan.formulas import plan_expression
from karat.sheet.plan.nodes import Plan
from karat.sheet.plan.questions import plan_questions
from karat.sheet.plan.tables import plan_field, plan_order, plan_rows
from karat.sheet.text.tree import NOWHERE, Expr, Sheet, Table
from karat.sheet.values import TableValue


def make_plan(sheet: Sheet, *, bound: Mapping[str, TableValue] | None = None, only: Collection[str] = ()) -> Plan:
    """The plan of the whole sheet, or of some of its tables with all they need."""
    draft = new_draft(sheet, bound or {})
    for table in draft.sheet.tables:
        if table.name not in draft.plan.bound and (not only or table.name in only):
            _whole_table(draft, table)
    for name in draft.plan.bound:
        if not only or name in only:
            _bound_table(draft, name)
    return draft.plan


def make_questions_plan(sheet: Sheet, table: Table, *, bound: Mapping[str, TableValue] | None = None) -> Plan:
    """The plan of an evaluation table's questions, truths and searched values, and nothing else."""
    draft = new_draft(sheet, bound or {})
    table = next(one for one in draft.sheet.tables if one.name == table.name)
    run(draft, plan_questions(draft, table, NOWHERE, (table.name, "")))
    return draft.plan


def run(draft: Draft, first: Planning) -> int:
    """Finish planning one thing with all the expressions it asks for, without recursion."""
    stack = [first]
    answer: int | None = None
    while True:
        try:
            # A generator takes its first value only once it is under way.
            need = next(stack[-1]) if answer is None else stack[-1].send(answer)
        except StopIteration as done:
            stack.pop()
            answer = done.value
            if not stack:
                return int(done.value)
            continue
        planned = plan_expression(draft, *need)
        if isinstance(planned, int):
            answer = planned
        else:
            stack.append(planned)
            answer = None


def _whole_table(draft: Draft, table: Table) -> None:
    """Everything that a table shows."""
    for line in table.fields:
        for field in line.fields:
            scope = Scope(table, (table.name, field.name))
            run(draft, plan_field(draft, table.name, field.name, field.at, scope))
    if table.apply is not None:
        run(draft, plan_order(draft, table))
    for number, total in enumerate(table.totals):
        for line in total.fields:
            for field in line.fields:
                if line.formula is not None:
                    scope = Scope(table, (table.name, f"total {field.name}"), total=True)
                    made = run(draft, _only(line.formula, scope))
                    draft.plan.totals[table.name, number, field.name] = made
    if not table.fields:
        run(draft, plan_rows(draft, table.name))


def _only(formula: Expr, scope: Scope) -> Planning:
    """The planning of one formula by itself."""
    return (yield formula, scope, None)


def _bound_table(draft: Draft, name: str) -> None:
    for field in draft.plan.bound[name].columns:
        run(draft, plan_field(draft, name, field, NOWHERE, Scope(None, (name, field))))
