"""A person's verdict on a case, and taking it back. Both are plain forms, so they work without a script."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from karat.store import run_name
from karat.web.figures import figures_of
from karat.web.filters import read_filters
from karat.web.lookup import find_case, find_row, scoring_of
from karat.web.page import viewer_of
from karat.web.search import with_answers
from karat.web.security.forms import checked_form

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(checked_form)]


@router.post("/runs/{run}/cases/{position}/review")
def give_review(request: Request, run: str, position: int, form: Form) -> Response:
    """Keep the verdict. From the queue it goes on to the next case, from elsewhere it stays."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    filters = read_filters(request.query_params, figures_of(row))
    base = f"/runs/{run_name(row.id)}"
    following = None
    if filters.query.review == "open":
        order = viewer.viewing.case_order(row.id, scoring_of(row), with_answers(viewer, row, filters.query))
        rest = order[order.index(position) + 1 :] if position in order else order
        following = next(iter(rest or [item for item in order if item != position]), None)
    reviewer = form.get("reviewer", "").strip()[:200]
    viewer.store.add_review(
        row.id, case.id, form.get("verdict", ""), reviewer=reviewer, comment=form.get("comment", "").strip()[:10_000]
    )
    if filters.query.review == "open":
        to = filters.link(f"{base}/cases/{following}") if following is not None else filters.link(base)
    else:
        to = filters.link(f"{base}/cases/{position}")
    response = RedirectResponse(to, 303)
    # Only a convenience: whose name is in the form next time.
    response.set_cookie(
        "karat_reviewer", _plain(reviewer), max_age=31_536_000, httponly=True, samesite="strict", path="/runs"
    )
    return response


@router.post("/runs/{run}/cases/{position}/undo")
def undo_review(
    request: Request,
    run: str,
    position: int,
    form: Form,  # noqa: ARG001 (checks the token)
) -> Response:
    """The rule's word stands again."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    viewer.store.undo_review(row.id, find_case(viewer, row, position).id)
    filters = read_filters(request.query_params, figures_of(row))
    return RedirectResponse(filters.link(f"/runs/{run_name(row.id)}/cases/{position}"), 303)


def _plain(name: str) -> str:
    """A name as a cookie can hold it."""
    return "".join(letter for letter in name if letter.isascii() and (letter.isalnum() or letter in " .-_@"))
