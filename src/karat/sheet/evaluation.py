"""Evaluating a sheet: every node of its plan once, in order; then the tables as they show, and what went wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from karat.core.problems import Problem, UserError
from karat.sheet.compute.computation import Computation
from karat.sheet.compute.operations import compute
from karat.sheet.compute.resources import Resources, Settings, read_bound
from karat.sheet.evaluation_table import EvaluationTable, the_evaluation_table
from karat.sheet.plan.planner import make_plan, make_questions_plan
from karat.sheet.text.tree import Sheet
from karat.sheet.values import Failure, Wrong
from karat.sheet.workbook import Workbook, make_workbook

__all__ = ["Settings", "Workbook", "evaluate", "evaluation_of"]


def evaluate(
    sheet: Sheet,
    *,
    folder: Path,
    tables: Mapping[str, Path] | None = None,
    settings: Settings | None = None,
    only: Collection[str] = (),
    file: str = "",
) -> Workbook:
    """All tables of the sheet, or some of them. ``tables`` come whole from files; ``file`` is the sheet's own name, for
    messages.

    A mistake in a cell does not end the evaluation: it is listed among the problems, and what does not depend on the
    cell is computed.
    """
    bound = read_bound(tables or {})
    plan = make_plan(sheet, bound=bound, only=only)
    computation = Computation(plan, sheet, Resources(folder, settings or Settings()))
    try:
        compute(computation)
    except RecursionError:
        raise UserError(f"{file or 'the sheet'}: arrays are nested too deep") from None
    return make_workbook(computation, only, file)


def evaluation_of(
    sheet: Sheet,
    *,
    folder: Path,
    tables: Mapping[str, Path] | None = None,
    settings: Settings | None = None,
    name: str = "",
    file: str = "",
    resources: Resources | None = None,
) -> EvaluationTable:
    """The questions and truths of the sheet's evaluation table, with the values that are searched; nothing else is
    computed.

    ``name`` says which table, where there are several; ``file`` is the sheet's own name, for messages; ``resources``
    has files that were already read. Raises :class:`UserError` when there is none, or when one of its fields failed.
    """
    try:
        table = the_evaluation_table(sheet, name)
        plan = make_questions_plan(sheet, table, bound=read_bound(tables or {}))
    except Wrong as wrong:
        raise UserError(wrong.message, hint=wrong.hint) from None
    computation = Computation(plan, sheet, resources or Resources(folder, settings or Settings()))
    compute(computation)
    found = computation.values[plan.questions[table.name]]
    if isinstance(found, Failure):
        where = f"{found.origin[0]}[{found.origin[1]}]: " if found.origin[1] else ""
        at = found.at
        problem = Problem(f"{where}{found.message}", file, at.line, at.column, at.width, found.hint)
        raise UserError(f"{where}{found.message}", hint=found.hint, problems=[problem] if file and at.line else [])
    assert isinstance(found, EvaluationTable)  # noqa: S101 (what the node gives)
    return found
