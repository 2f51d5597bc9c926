"""How n and model were chosen, for pages: recall against n, the front, and at which ranks the truths of each question
came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.presentation.choice import Choice, Curves, FrontPoint, GridCell, GridRow, HeldOut, Line, Setting
from karat.core.results.result import CaseResult, RunResult
from karat.suites.retrieval.details import FieldDetails, details_of
from karat.suites.retrieval.notes import tuning_of

if TYPE_CHECKING:
    from karat.search.choose.reporting.result import QuestionDetail, Tuning

LEFT_OUT = "left out"
"""Stands for the model of a field with n = 0."""
MOST_QUESTIONS = 1000
"""Questions of a sheet that the grid is made from: its first ones."""


def choice(result: RunResult) -> Choice | None:
    """None where n and model were not chosen in this run."""
    tuning = tuning_of(result)
    if tuning is None:
        return None
    from karat.search.choose.reporting.text import more_sentence, proof_words

    costs = [point.tokens for point in tuning.pareto]
    return Choice(
        unit=tuning.unit,
        amount="n",
        value="recall",
        option="model",
        cases="questions",
        budget=tuning.budget_tokens,
        cost=tuning.tokens,
        passed=tuning.passed,
        of=tuning.questions,
        proof=proof_words(tuning),
        settings=_settings(tuning),
        held_out=_held_out(tuning),
        remarks=(*(_sentence(more_sentence(more, tuning.unit)) for more in tuning.more), *tuning.warnings),
        front=tuple(
            FrontPoint(
                point.tokens,
                point.passed,
                point.mean_recall,
                tuple(Setting(pick.field, pick.model or LEFT_OUT, pick.n, pick.tokens) for pick in point.fields),
            )
            for point in tuning.pareto
        ),
        complete=tuning.pareto_complete,
        known_to=tuning.known_to or max([tuning.budget_tokens, *costs]),
        curves=_curves(tuning),
        grid=_grid(result, tuning),
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _settings(tuning: Tuning) -> tuple[Setting, ...]:
    stable = {one.field: one for one in tuning.stability}
    found = []
    for field in tuning.fields:
        again = stable.get(field.field)
        words = f"{round(again.same_option * again.resamples)} of {again.resamples}" if again is not None else ""
        found.append(Setting(field.field, field.model or LEFT_OUT, field.n, field.tokens, field.recall, words))
    return tuple(found)


def _held_out(tuning: Tuning) -> HeldOut | None:
    out = tuning.held_out
    return None if out is None else HeldOut(out.passed, out.passed_low, out.passed_high, out.method)


def _curves(tuning: Tuning) -> tuple[Curves, ...]:
    by_field: dict[str, list[Line]] = {field.field: [] for field in tuning.fields}
    for curve in tuning.curves:
        points = tuple(zip(curve.n, curve.recall, strict=True))
        by_field.setdefault(curve.field, []).append(Line(curve.model, points))
    return tuple(Curves(field, tuple(lines)) for field, lines in by_field.items() if lines)


def _grid(result: RunResult, tuning: Tuning) -> tuple[GridRow, ...]:
    """The questions of this run, those that failed first, those with the most missing on top."""
    told = {detail.question: detail for detail in tuning.questions_detail}
    names = [field.field for field in tuning.fields]
    rows = [
        _row(case, told[case.question], names)
        for case in result.cases[:MOST_QUESTIONS]
        if case.question in told and case.status == "scored"
    ]
    rows.sort(key=lambda row: (row.passed is not False, -sum(len(c.beyond) + c.nowhere for c in row.cells)))
    return tuple(rows)


def _row(case: CaseResult, detail: QuestionDetail, names: list[str]) -> GridRow:
    found = details_of(case)
    by_field: dict[str, FieldDetails] = {one.field: one for one in found.fields} if found is not None else {}
    cells = []
    for name in names:
        gone = [one for one in detail.missing if one.field == name]
        own = by_field.get(name)
        cells.append(
            GridCell(
                own.ranks if own is not None else (),
                tuple(sorted(one.rank for one in gone if one.rank is not None)),
                sum(one.rank is None for one in gone),
                bool(gone) or (own is not None and own.relevant > 0),
            )
        )
    return GridRow(case.id, detail.question, detail.passed, tuple(cells))
