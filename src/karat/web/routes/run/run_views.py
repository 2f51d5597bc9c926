"""The part of a run's page that is counted while the page is there already: a script asks for it until it comes."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from karat.web.lookup import find_row
from karat.web.page import viewer_of
from karat.web.run_page.run_views import views_of

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run}/views")
def views_part(request: Request, run: str) -> Response:
    """The part alone; 202 while it is being counted."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    found = views_of(viewer, row)
    return viewer.page(request, "run_views_part.html", code=202 if found.counting else 200, run=row, views=found)
