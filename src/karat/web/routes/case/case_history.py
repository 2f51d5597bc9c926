"""One case through all runs of its suite, and two of its answers side by side."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from karat.core.case_form import CaseForm
from karat.core.presentation.case_explanation import target_of
from karat.core.presentation.case_forms import form_of
from karat.core.results.result import CaseResult
from karat.reports.compare.form_pair import given_parts, other_views
from karat.web.cases.case_history import (
    MOST_RUNS,
    GivenAnswer,
    Past,
    answers_of,
    first_broken,
    flaky,
    history_of,
    shown_figures,
    tries_right,
)
from karat.web.lookup import run_number
from karat.web.page import Viewer, viewer_of

router = APIRouter(include_in_schema=False)


class Side(msgspec.Struct, frozen=True):
    """One of the two answers that are compared."""

    past: Past
    form: CaseForm
    letter: str


@router.get("/cases/{suite}")
def history_page(request: Request, suite: str, id: str = "", a: str = "", b: str = "") -> Response:
    """The case ``id`` in the newest runs of the suite; ``a`` and ``b`` are the runs side by side."""
    viewer = viewer_of(request)
    rows = viewer.store.runs(MOST_RUNS, suite)
    past = history_of(viewer, rows, id) if id else []
    if not past:
        raise HTTPException(404, "No scored run of this suite has such a case.")
    results = viewer.viewing.case_results([one.found for one in past])
    answers = answers_of(suite, past, results)
    settings = viewer.viewing.run_settings([one.run.id for one in past])
    letters = {one.run.id: answer.letter for answer in answers for one in answer.runs}
    left, right = _chosen(past, answers, run_number(a) if a else None, run_number(b) if b else None)
    sides = [_side(viewer, suite, one, results[past.index(one)], letters) for one in (left, right)]
    silent = [side for side in sides if side.past.verdict.word in ("error", "missing")]
    parts = [] if silent else given_parts(sides[0].form, sides[1].form)
    last = next((result for result in reversed(results) if result is not None), None)
    judged = [one for one in past if one.verdict.mark != "e"]
    return viewer.page(
        request,
        "case_history.html",
        suite=suite,
        case_id=id,
        question=last.question if last is not None else "",
        past=past,
        newest=past[-1],
        judged=judged,
        right=sum(one.verdict.word == "right" for one in judged),
        broken=first_broken(past),
        flaky=flaky(past, settings),
        letters=letters,
        answers=answers,
        tries=[tries_right(result, one.main) for one, result in zip(past, results, strict=True)],
        figures=shown_figures(past),
        prompts=_stretches([settings.get(one.run.id, ("", ""))[1] for one in past]),
        truths=_stretches([one.run.truth_set for one in past]),
        left=sides[0],
        right_side=sides[1],
        differing=[part for part in parts if not part.same],
        same_parts=[part for part in parts if part.same],
        views=[other_views(side.form) for side in sides],
        same_views=other_views(sides[0].form) == other_views(sides[1].form),
        silent=silent,
        limited=len(rows) == MOST_RUNS,
    )


def _chosen(past: list[Past], answers: list[GivenAnswer], a: int | None, b: int | None) -> tuple[Past, Past]:
    """The runs that are asked for; else the newest, beside the last one before it that gave another answer."""
    by_run = {one.run.id: one for one in past}
    right = by_run.get(b or 0, past[-1])
    own = next((answer for answer in answers if right in answer.runs), None)
    others = [one for one in past if one.run.id < right.run.id and (own is None or one not in own.runs)]
    before = [one for one in others if one.verdict.mark != "e"] or [one for one in past if one is not right]
    return by_run.get(a or 0, before[-1] if before else right), right


def _side(viewer: Viewer, suite: str, one: Past, result: CaseResult | None, letters: dict[int, str]) -> Side:
    stored = viewer.store.case(one.run.id, result.id) if result is not None else None
    target = target_of(suite, msgspec.json.decode(stored)) if stored is not None else None
    found = viewer.store.case_predictions(one.run.id, [result.id]) if result is not None else []
    form = form_of(suite, result, target, found[0] if len(found) == 1 else None) if result is not None else CaseForm()
    return Side(one, form, letters.get(one.run.id, ""))


def _stretches(values: list[str]) -> list[tuple[str, int]]:
    """Equal neighbours as one, with their number; none where all are empty."""
    found: list[tuple[str, int]] = []
    for value in values:
        if found and found[-1][0] == value:
            found[-1] = (value, found[-1][1] + 1)
        else:
            found.append((value, 1))
    return found if any(values) else []
