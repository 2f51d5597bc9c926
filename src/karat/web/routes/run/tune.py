"""How the settings of a run were chosen: the front, the curves, and the choice at any budget."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from karat.core import plugins
from karat.core.presentation.choice import Choice
from karat.core.problems import UserError
from karat.reports.choice_page import choice_page
from karat.store import RunRow, run_name
from karat.web.lookup import find_row, scoring_of
from karat.web.page import Viewer, viewer_of

router = APIRouter(include_in_schema=False)

LARGEST = 10**9


@router.get("/tune")
def tune_page(request: Request, run: str = "", budget: str = "") -> Response:
    """The page of a run at a budget; without a run, the runs that have one."""
    viewer = viewer_of(request)
    if not run:
        noted = viewer.viewing.noted_runs()
        rows = [row for row in viewer.store.runs(200) if row.id in noted and row.scoring is not None]
        return viewer.page(request, "tune_choose.html", rows=rows)
    row = find_row(viewer, run)
    choice = choice_in(viewer, row)
    if choice is None:
        raise HTTPException(404, "This run has not chosen its settings: there is nothing to show here.")
    view = choice_page(choice, _budget(budget))
    ids = [drawn.row.case_id for drawn in view.rows]
    addresses = {
        line.case_id: f"/runs/{run_name(row.id)}/cases/{line.position}"
        for line in viewer.viewing.lines(scoring_of(row), ids)
    }
    return viewer.page(request, "tune.html", row=row, view=view, addresses=addresses)


def choice_in(viewer: Viewer, row: RunRow) -> Choice | None:
    """What the suite says of its notes; kept, as scorings never change."""

    def read() -> Choice | None:
        try:
            suite = plugins.load_suite(row.suite)
        except (UserError, ImportError):
            return None
        return suite.choice(viewer.store.result(row.id, scoring_of(row)))

    return viewer.kept(("choice", scoring_of(row)), read)


def _budget(text: str) -> int | None:
    """A whole number; nothing for an empty field."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST)):
        raise HTTPException(400, f'"{text[:40]}" is not a budget: a whole number from 0 to {LARGEST:,} is expected.')
    return int(text)
