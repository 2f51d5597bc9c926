"""Pinning a run as the baseline of its suite, and taking it off."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from karat.store import run_name
from karat.web.compare.baseline import pin, unpin
from karat.web.lookup import find_row, scoring_of
from karat.web.page import viewer_of
from karat.web.security.forms import checked_form

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(checked_form)]


@router.post("/runs/{run}/pin")
def pin_run(request: Request, run: str, form: Form) -> Response:
    """Hold the other runs of the suite against this one."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    scoring_of(row)
    response = _back(form, row.id)
    pin(viewer, request, response, row)
    return response


@router.post("/runs/{run}/unpin")
def unpin_run(request: Request, run: str, form: Form) -> Response:
    """Leave the suite of this run without a baseline."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    response = _back(form, row.id)
    unpin(viewer, request, response, row.suite)
    return response


def _back(form: dict[str, str], number: int) -> Response:
    return RedirectResponse("/" if form.get("back") == "runs" else f"/runs/{run_name(number)}", 303)
