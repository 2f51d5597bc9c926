"""The form of a case of a run: the one that its suite builds, else what its explanation gives."""

from __future__ import annotations

from functools import cache

import msgspec

from karat.core.case_form import (
    CaseForm,
    CellColumn,
    CellLine,
    CellTable,
    ComparedColumn,
    Lines,
    ShowForm,
    Term,
    TermPart,
    Terms,
    View,
    no_form,
    paired,
)
from karat.core.expect.outcome import own_details, with_expectations
from karat.core.explanation import Cell, Cells, Explanation, Mark, Part
from karat.core.json_types import JsonMapping
from karat.core.plugins import load_suite
from karat.core.presentation.case_explanation import explanation_of
from karat.core.problems import UnknownName
from karat.core.records import Prediction
from karat.core.results.result import CaseResult, RepeatResult


def form_of(
    suite: str, case: CaseResult | RepeatResult, target: object = None, answer: Prediction | None = None
) -> CaseForm:
    """What is shown of the case, or of one try at it. ``target`` as its suite reads it; ``answer``: the prediction that
    was judged, where it is at hand."""
    if case.status != "scored":
        return CaseForm(sentence=case.error)
    found = _show(suite)(case.details, target, answer) if own_details(case.details) else None
    if found is None:
        return form_from(explanation_of(suite, case, target))
    return _with_expectations(found, case.details)


def _with_expectations(form: CaseForm, details: JsonMapping) -> CaseForm:
    """The suite's form, and after it what its expectations found."""
    added = form_from(with_expectations(Explanation(outcome="right"), details))
    if not added.views:
        return form
    sentence = "; ".join(text for text in (form.sentence, added.sentence) if text)
    return msgspec.structs.replace(form, sentence=sentence, views=(*form.views, *added.views))


def form_from(explanation: Explanation) -> CaseForm:
    """The form that an explanation gives by itself."""
    views: list[View] = []
    if explanation.parts:
        views.append(Terms(tuple(dimension_of(part) for part in explanation.parts)))
    if explanation.cells is not None:
        views.append(table_of(explanation.cells))
    if explanation.lines:
        views.append(Lines("Difference", tuple((line.mark, line.text) for line in explanation.lines)))
    return CaseForm(sentence=explanation.headline, views=tuple(views))


def dimension_of(part: Part) -> TermPart:
    """A part as a dimension whose terms are texts."""
    found, missing, extra = (tuple(map(Term, side)) for side in (part.found, part.missing, part.extra))
    return TermPart(part.label, paired(found, missing, extra), part.note)


def table_of(cells: Cells) -> CellTable:
    """Cells without what is known beyond them."""
    lines = tuple(CellLine(row.label.removeprefix("row "), row.cells, _mark(row.cells)) for row in cells.rows)
    differing = {place for line in lines for place, cell in enumerate(line.cells) if cell.mark == "changed"}
    columns = tuple(CellColumn(name, "", place in differing) for place, name in enumerate(cells.columns))
    compared = tuple(ComparedColumn(*near, right=False) for near in cells.nearest)
    return CellTable("Cells", cells.sizes, columns, lines, compared=compared)


def _mark(cells: tuple[Cell, ...]) -> Mark:
    marks = {cell.mark for cell in cells}
    return next(iter(marks)) if len(marks) == 1 else "changed"


@cache
def _show(suite: str) -> ShowForm:
    """A run of a suite that is not installed here can still be looked at."""
    try:
        return load_suite(suite).form
    except UnknownName:
        return no_form
