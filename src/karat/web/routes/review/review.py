"""A person's verdict on a case, and taking it back. Both are plain forms, so they work without a script."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from karat.core.results.result import CaseResult
from karat.store import RunRow, run_name
from karat.store.verdicts.reviews import StaleReview
from karat.web.lookup import find_case, find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.review.review_panel import LONGEST_NAME, keep_reviewer, reviewer_of, seen_in
from karat.web.run_page.figures import figures_of
from karat.web.search.filters import Filters, read_filters
from karat.web.search.search import with_answers
from karat.web.security.forms import checked_form

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(checked_form)]


@router.post("/runs/{run}/cases/{position}/review")
def give_review(request: Request, run: str, position: int, form: Form) -> Response:
    """Keep the verdict, unless the page did not know a newer one. From a queue it goes on to the next case, from
    elsewhere it stays."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    filters = read_filters(request.query_params, figures_of(row))
    following = _following(viewer, row, position, filters)
    reviewer = form.get("reviewer", "").strip()[:LONGEST_NAME]
    try:
        viewer.store.add_review(
            row.id,
            case.id,
            form.get("verdict", ""),
            reviewer=reviewer,
            comment=form.get("comment", "").strip()[:10_000],
            adjudication=form.get("adjudicate") == "1",
            blind=form.get("blind") == "1",
            seen=seen_in(form),
        )
    except StaleReview as stale:
        return _refused(request, row, position, case, form, stale)
    base = f"/runs/{run_name(row.id)}"
    if form.get("from") == "queue":
        judge = {"judge": filters.query.judge} if filters.query.judge else {}
        to = "/review?" + urlencode({"run": run_name(row.id), "given": position, **judge})
    elif filters.query.review == "open":
        to = filters.link(f"{base}/cases/{following}") if following is not None else filters.link(base)
    else:
        to = filters.link(f"{base}/cases/{position}")
    response = RedirectResponse(to, 303)
    keep_reviewer(response, reviewer)
    return response


@router.post("/runs/{run}/cases/{position}/undo")
def undo_review(request: Request, run: str, position: int, form: Form) -> Response:
    """Take one's own verdict back."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    try:
        viewer.store.undo_review(row.id, case.id, form.get("reviewer", reviewer_of(request)), seen=seen_in(form))
    except StaleReview as stale:
        return _refused(request, row, position, case, form, stale)
    if form.get("from") == "queue":
        return RedirectResponse("/review?" + urlencode({"run": run_name(row.id), "case": position}), 303)
    filters = read_filters(request.query_params, figures_of(row))
    return RedirectResponse(filters.link(f"/runs/{run_name(row.id)}/cases/{position}"), 303)


def _following(viewer: Viewer, row: RunRow, position: int, filters: Filters) -> int | None:
    """The next case of the list of those that wait."""
    if filters.query.review != "open":
        return None
    order = viewer.viewing.case_order(row.id, scoring_of(row), with_answers(viewer, row, filters.query))
    rest = order[order.index(position) + 1 :] if position in order else order
    return next(iter(rest or [item for item in order if item != position]), None)


def _refused(
    request: Request, row: RunRow, position: int, case: CaseResult, form: dict[str, str], stale: StaleReview
) -> Response:
    """The newer verdict, with the choice to keep it or to replace it."""
    viewer = viewer_of(request)
    return viewer.page(
        request,
        "review_stale.html",
        409,
        run=row,
        base=f"/runs/{run_name(row.id)}",
        position=position,
        case=case,
        newer=stale.newer,
        given=form,
        mine=stale.newer.reviewer == form.get("reviewer", ""),
        query=request.url.query,
    )
