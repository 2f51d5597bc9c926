"""One case: what was asked, what was expected, what came, what the rules say, what people say."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from karat.core.case_explanation import explanation_of
from karat.core.explanation import Line
from karat.core.json_types import JsonObject
from karat.core.records import Prediction
from karat.core.results.result import CaseResult
from karat.reports.answer_text import answer_text
from karat.reports.case_view import text_lines
from karat.reports.difference import as_text, json_lines, json_or_none
from karat.store import RunRow, run_name
from karat.web.attempts import tries_text
from karat.web.figures import Figure, figures_of, main_figure
from karat.web.filters import Filters, read_filters
from karat.web.lookup import find_case, find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.search import with_answers

router = APIRouter(include_in_schema=False)

SHOWN = 100_000
"""Characters of a text on the page; what is longer has a link to all of it."""


class Answer(msgspec.Struct, frozen=True):
    """One answer, beside what was expected of it."""

    label: str
    expected: str
    given: str
    raw: str
    lines: tuple[Line, ...]
    prediction: Prediction
    right: str
    """``right``, ``wrong`` or ``failed`` where this is one of several tries."""
    cut: bool


@router.get("/runs/{run}/cases/{position}")
def case_page(request: Request, run: str, position: int) -> Response:
    """The case at this place of the run's newest scoring, with its neighbours in the filtered list."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    figures = figures_of(row)
    filters = read_filters(request.query_params, figures)
    before, after, place, count = _neighbours(viewer, row, position, filters)
    base = f"/runs/{run_name(row.id)}"
    stored = viewer.store.case(row.id, case.id)
    asked = msgspec.json.decode(stored) if stored is not None else {}
    history = viewer.store.review_history(row.id, case.id)
    explanation = explanation_of(row.suite, case)
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
        answers=_answers(viewer, row, case, asked, main_figure(figures)),
        parts_of_answer=explanation.parts,
        cells=explanation.cells,
        tries=tries_text(case, main_figure(figures)),
        sets=viewer.viewing.sets(row.suite, case.id),
        all_sets=viewer.viewing.sets(row.suite),
        figures=[item for item in figures if item.name in case.scores],
        main=main_figure(figures),
        review=next((item for item in history if not item.undone), None),
        history=history,
        reviewer=request.cookies.get("karat_reviewer", ""),
    )


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
    """(before, after, place in the list, length of it). A case that left the list stands where its number would."""
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
    """The case's file and line, without the folders of this machine."""
    source = asked.get("source") or {}
    file = str(source.get("file", "")).replace("\\", "/").rpartition("/")[2]
    line = source.get("line", 0)
    return f"{file}:{line}" if file and line else file


def _answers(viewer: Viewer, row: RunRow, case: CaseResult, asked: JsonObject, main: Figure | None) -> list[Answer]:
    users = [turn for turn in asked.get("conversation", ()) if turn.get("role") == "user"]
    scored = [index for index, turn in enumerate(users) if turn.get("target") is not None]
    found = viewer.store.case_predictions(row.id, [case.id])
    answers = []
    for prediction in found:
        turn = prediction.turn if prediction.turn is not None else (scored[0] if len(scored) == 1 else 0)
        target = users[turn].get("target") if 0 <= turn < len(users) else None
        one = case.repeats[prediction.repeat] if prediction.repeat < len(case.repeats) else None
        score = one.scores.get(main.name) if one is not None and main is not None and main.kind == "rate" else None
        right = "failed" if one is not None and one.status == "error" else ""
        if score is not None and score.value in (0, 1):
            right = "right" if score.value else "wrong"
        lines = text_lines(row.suite, case, prediction, asked)
        answers.append(_answer(prediction, target, lines, _label(prediction, len(users), row.repeats), right))
    return answers


def _label(prediction: Prediction, turns: int, repeats: int) -> str:
    parts = [f"turn {(prediction.turn or 0) + 1}"] if turns > 1 else []
    parts += [f"try {prediction.repeat + 1}"] if repeats > 1 else []
    return ", ".join(parts)


def _answer(prediction: Prediction, target: object, lines: tuple[Line, ...], label: str, right: str) -> Answer:
    raw = prediction.response.decode("utf-8", "replace")
    given = answer_text(prediction)
    parsed = json_or_none(given)
    shown = as_text(parsed) if parsed is not None else given
    lines = (lines or json_lines(target, given)) if prediction.error is None else ()
    expected = as_text(target) if target is not None else ""
    cut = max(len(raw), len(shown), len(expected)) > SHOWN
    return Answer(label, expected[:SHOWN], shown[:SHOWN], raw[:SHOWN], lines, prediction, right, cut)
