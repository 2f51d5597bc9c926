"""What people share: saved filters, and sets of cases. Plain forms, so they work without a script."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import QueryParams
from starlette.responses import RedirectResponse, Response

from karat.store import run_name
from karat.web.lookup import find_case, find_row
from karat.web.page import viewer_of
from karat.web.run_page.figures import figures_of
from karat.web.search.filters import Filters, read_filters
from karat.web.security.forms import checked_form

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(checked_form)]


@router.post("/runs/{run}/filters")
def save_filter(request: Request, run: str, form: Form) -> Response:
    """Keep the filters of the address under a name, for every run of the suite; ``forget`` takes one away."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    filters = read_filters(request.query_params, figures_of(row))
    if "forget" in form:
        viewer.viewing.drop_filter(row.suite, form["forget"])
    else:
        viewer.viewing.save_filter(row.suite, form.get("name", ""), filters.link("").lstrip("?"))
    return RedirectResponse(filters.link(f"/runs/{run_name(row.id)}") + "#cases", 303)


@router.post("/runs/{run}/cases/{position}/sets")
def change_sets(request: Request, run: str, position: int, form: Form) -> Response:
    """Put the case into a set, or take it out (``remove``)."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    if "remove" in form:
        viewer.viewing.take_from_set(row.suite, form["remove"], case.id)
    else:
        viewer.viewing.add_to_set(row.suite, form.get("set", ""), [case.id])
    filters: Filters = read_filters(QueryParams(request.url.query), figures_of(row))
    return RedirectResponse(filters.link(f"/runs/{run_name(row.id)}/cases/{position}") + "#sets", 303)
