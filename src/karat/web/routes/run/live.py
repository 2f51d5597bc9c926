"""A run while it goes on: its page, and stopping and resuming it from there."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from karat.store import RunRow, run_name
from karat.store.live import LiveRuns
from karat.web.compare.baseline import baselines
from karat.web.live.live_run import live_view
from karat.web.lookup import find_row
from karat.web.page import Viewer, viewer_of
from karat.web.security.forms import checked_form

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(checked_form)]


def live_page(request: Request, viewer: Viewer, row: RunRow) -> Response:
    """The page of a run that is not scored yet."""
    record = viewer.store.run(row.id)
    base = baselines(viewer, request).get(row.suite)
    name = run_name(row.id)
    begun = viewer.resuming.under_way(name) and row.status != "running"
    return viewer.page(
        request,
        "live.html",
        run=row,
        base=f"/runs/{name}",
        live=live_view(viewer, row, base),
        baseline=base if base is not None and base.id != row.id else None,
        prompt=str(record.config.get("prompt", "")),
        at_once=record.config.get("system", {}).get("concurrency"),
        resuming=begun,
        can_resume=viewer.resuming.allowed,
        complaint=viewer.resuming.complaint(name) if row.status != "running" else "",
    )


@router.post("/runs/{run}/stop")
def stop_run(request: Request, run: str, form: Form) -> Response:  # noqa: ARG001 (checks the token)
    """Ask the process that works on the run to stop, as with Ctrl-C."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    if row.status == "running":
        LiveRuns(viewer.store).ask_to_stop(row.id)
    return RedirectResponse(f"/runs/{run_name(row.id)}", 303)


@router.post("/runs/{run}/resume")
def resume_run(request: Request, run: str, form: Form) -> Response:  # noqa: ARG001 (checks the token)
    """Resume a run that was stopped, where the viewer may."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    if row.status in ("interrupted", "failed"):
        viewer.resuming.start(run_name(row.id))
    return RedirectResponse(f"/runs/{run_name(row.id)}", 303)
