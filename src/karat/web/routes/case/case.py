"""One case: what was asked, what was expected, what came, what the rules say, what people say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath

import msgspec
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from karat.core.case_files.case_file import base_name, case_file
from karat.core.case_form import CaseForm
from karat.core.json_types import JsonObject
from karat.core.presentation.case_explanation import explanation_of, target_of
from karat.core.presentation.case_forms import form_of
from karat.core.results.result import CaseResult
from karat.reports.compare.answer_changes import PartChange, answer_changes
from karat.store import RunRow, run_name
from karat.store.cases.case_pages import CaseQuery
from karat.web.cases.attempts import tries_text
from karat.web.cases.case_answers import Answer, answers_of
from karat.web.cases.case_history import Past, history_of, strip_of, strip_words
from karat.web.cases.case_verdict import Verdict, verdict_of
from karat.web.compare.baseline import baselines
from karat.web.lookup import find_case, find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.review.review_panel import is_blind, review_panel
from karat.web.run_page.figures import Figure, figures_of, headline, main_figure
from karat.web.search.filters import Filters, read_filters
from karat.web.search.search import with_answers

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run}/cases/{position}")
def case_page(request: Request, run: str, position: int) -> Response:
    """The case at this place of the run's newest scoring, with its neighbours in the filtered list."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    figures = figures_of(row)
    main = main_figure(figures)
    filters = read_filters(request.query_params, figures)
    before, after, place, count = _neighbours(viewer, row, position, filters)
    base = f"/runs/{run_name(row.id)}"
    stored = viewer.store.case(row.id, case.id)
    asked = msgspec.json.decode(stored) if stored is not None else {}
    answers = answers_of(viewer, row, case, asked, main)
    verdict = _verdict(row, case, main)
    past = strip_of(viewer, row, case.id, position)
    baseline = baselines(viewer, request).get(row.suite)
    form = _form(row, case, asked, answers)
    scored = [item for item in figures if item.name in case.scores]
    first = _first(scored)
    return viewer.page(
        request,
        "case.html",
        run=row,
        base=base,
        case=case,
        position=position,
        back=filters.link(base),
        before=filters.link(f"{base}/cases/{before}") if before is not None else "",
        after=filters.link(f"{base}/cases/{after}") if after is not None else "",
        place=place,
        count=count,
        query=filters.link("").lstrip("?"),
        conversation=asked.get("conversation", ()),
        source=_source(asked),
        comments=asked.get("comments", ""),
        verdict=verdict,
        divided=verdict.word == "right" and bool(case.details) and explanation_of(row.suite, case).outcome == "wrong",
        form=form,
        answers=answers,
        failed=_failed_calls(viewer, row) if case.status == "error" and _call_failed(answers) else 0,
        past=past,
        past_words=strip_words(past),
        changed=_changed(viewer, baseline, row, case, asked, position),
        copyable=bool(asked) and case_file(row.suite, [asked]) is not None,
        tries=tries_text(case, main),
        sets=viewer.viewing.sets(row.suite, case.id),
        all_sets=viewer.viewing.sets(row.suite),
        figures=first,
        more_figures=[item for item in scored if item not in first],
        main=main,
        panel=review_panel(viewer, request, row, case.id, blind=is_blind(request)),
        rule_says=verdict.said,
    )


def _verdict(row: RunRow, case: CaseResult, main: Figure | None) -> Verdict:
    score = case.scores.get(main.name) if main is not None else None
    value = None if score is None else score.value
    rate = main is None or main.kind == "rate"
    return verdict_of(case.status, value, explanation_of(row.suite, case).outcome if case.details else "", rate=rate)


def _form(row: RunRow, case: CaseResult, asked: JsonObject, answers: Sequence[Answer]) -> CaseForm:
    """Of a case with one answer, that answer's; of one with several, what was kept of the case as a whole, else the
    first try that is not right."""
    turns = sum(turn.get("role") == "user" for turn in asked.get("conversation", ()))
    if len(answers) == 1 and turns < 2:
        return answers[0].form
    if case.details or not answers:
        return form_of(row.suite, case, target_of(row.suite, asked) if asked else None)
    return next((one.form for one in answers if one.right == "wrong"), answers[0].form)


def _first(figures: list[Figure]) -> list[Figure]:
    """The scores that matter: the headline of the run, rates before shares."""
    chosen = headline(figures)
    return [*(one for one in chosen if one.kind == "rate"), *(one for one in chosen if one.kind != "rate")]


def _call_failed(answers: Sequence[Answer]) -> bool:
    return any(one.prediction.error is not None for one in answers)


def _failed_calls(viewer: Viewer, row: RunRow) -> int:
    return len(viewer.viewing.case_order(row.id, scoring_of(row), CaseQuery(status="error")))


class Changed(msgspec.Struct, frozen=True):
    """The case in the baseline, and what differs from there."""

    before: Past
    verdict: Verdict
    scores: dict[str, float | None]
    sentence: str
    parts: tuple[PartChange, ...] = ()


def _changed(
    viewer: Viewer,
    baseline: RunRow | None,
    row: RunRow,
    case: CaseResult,
    asked: JsonObject,
    position: int,
) -> Changed | None:
    """What the pinned baseline had here; None where there is none or it lacks the case."""
    if baseline is None or baseline.id == row.id:
        return None
    past = history_of(viewer, [baseline], case.id, position)
    if not past:
        return None
    (result,) = viewer.viewing.case_results([past[0].found])
    if result is None:
        return None
    found = viewer.store.case_predictions(baseline.id, [case.id])
    answer = found[0] if len(found) == 1 else None
    target = target_of(row.suite, asked) if asked else None
    other = form_of(row.suite, result, target, answer)
    parts = answer_changes(*(explanation_of(row.suite, one, target) for one in (result, case)))
    verdict = _verdict(baseline, result, past[0].main)
    return Changed(past[0], verdict, past[0].found.figures, other.sentence, parts)


@router.get("/export/{run}/cases/{position}/answer.txt")
def raw_answer(request: Request, run: str, position: int, n: int = 0) -> Response:
    """One answer, byte for byte, to save."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    found = viewer.store.case_predictions(row.id, [case.id])
    if not 0 <= n < len(found):
        raise HTTPException(404, "This case has no such answer.")
    name = f"{run_name(row.id)}-{position}-{n}.txt"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(found[n].response, media_type="application/octet-stream", headers=headers)


def _neighbours(
    viewer: Viewer, row: RunRow, position: int, filters: Filters
) -> tuple[int | None, int | None, int | None, int]:
    """(before, after, place in the list, length of it). A case that left the list is where its number would be."""
    order = viewer.viewing.case_order(row.id, scoring_of(row), with_answers(viewer, row, filters.query))
    if position in order:
        place = order.index(position)
        before = order[place - 1] if place else None
        after = order[place + 1] if place + 1 < len(order) else None
        return before, after, place + 1, len(order)
    after = next((item for item in order if item > position), order[0] if order else None)
    before = next((item for item in reversed(order) if item < position), None)
    return before, after, None, len(order)


def _source(asked: JsonObject) -> str:
    """The case's file and line: below the project folder as in a patch of reviews, else the file's name alone, without
    the folders of this machine."""
    source = asked.get("source") or {}
    file, line = str(source.get("file", "")).replace("\\", "/"), source.get("line", 0)
    inside = Path(os.path.normpath(file)) if file else Path()
    if inside.is_absolute() and inside.is_relative_to(Path.cwd()):
        inside = inside.relative_to(Path.cwd())
    outside = inside.is_absolute() or ".." in inside.parts or PureWindowsPath(file).is_absolute()
    name = base_name(file) if outside else inside.as_posix() if file else ""
    return f"{name}:{line}" if name and line else name
