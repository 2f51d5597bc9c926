"""From a sheet to its plan: what its tables show, and all that is needed for it, each once."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from karat.sheet.plan.builder import Scope
from karat.sheet.plan.formulas import FormulaPlanner
from karat.sheet.plan.nodes import Plan
from karat.sheet.text.tree import NOWHERE, Sheet, Table
from karat.sheet.values import TableValue


def make_plan(sheet: Sheet, *, bound: Mapping[str, TableValue] | None = None, only: Collection[str] = ()) -> Plan:
    """The plan of the whole sheet, or of some of its tables with all they need."""
    planner = Planner(sheet, bound or {})
    for table in sheet.tables:
        if table.name not in planner.plan.bound and (not only or table.name in only):
            planner.whole_table(table)
    for name in planner.plan.bound:
        if not only or name in only:
            planner.bound_table(name)
    return planner.plan


def make_questions_plan(sheet: Sheet, table: Table, *, bound: Mapping[str, TableValue] | None = None) -> Plan:
    """The plan of an evaluation table's questions, truths and searched values, and nothing else."""
    planner = Planner(sheet, bound or {})
    planner.run(planner.questions(table, NOWHERE, (table.name, "")))
    return planner.plan


class Planner(FormulaPlanner):
    """Plans whole tables."""

    def whole_table(self, table: Table) -> None:
        """Everything that a table shows."""
        for line in table.fields:
            for field in line.fields:
                self.run(self.field_of(table.name, field.name, field.at, Scope(table, (table.name, field.name))))
        if table.apply is not None:
            self.run(self.order_of(table))
        for number, total in enumerate(table.totals):
            for line in total.fields:
                for field in line.fields:
                    if line.formula is not None:
                        scope = Scope(table, (table.name, f"total {field.name}"), total=True)
                        made = self.run(self.expression(line.formula, scope, None))
                        self.plan.totals[table.name, number, field.name] = made
        if not table.fields:
            self.run(self.rows_of(table.name))

    def bound_table(self, name: str) -> None:
        for field in self.plan.bound[name].columns:
            self.run(self.field_of(name, field, NOWHERE, Scope(None, (name, field))))
