"""Two runs side by side: what is better, what is worse, whether it is more than chance, and which cases changed."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from karat.reports.answer_text import answers_of
from karat.reports.comparison import ORDER, Change, Compared, outcome, side_by_side
from karat.stats.comparing import compare_runs
from karat.store import RunRow, run_name
from karat.web.figures import suite_metrics
from karat.web.finding import find_row, run_number, scoring_of
from karat.web.page import Viewer, viewer_of

router = APIRouter(include_in_schema=False)

PAGE = 25
CUT = 4000


@router.get("/compare")
def compare_page(request: Request, a: str = "", b: str = "", kind: str = "", page: int = 1) -> Response:
    """``a`` is the run before, ``b`` the run after."""
    viewer = viewer_of(request)
    rows = [row for row in viewer.store.runs(200) if row.scoring is not None]
    if not a or not b:
        return viewer.page(request, "compare_choose.html", rows=rows, a=run_number(a) if a else None)
    first, second = find_row(viewer, a), find_row(viewer, b)
    if first.id == second.id:
        return RedirectResponse(f"/runs/{run_name(first.id)}", 303)
    found = compared(viewer, first, second)
    changes = [change for change in found.changes if not kind or change.kind == kind]
    page = min(max(1, page), max(1, -(-len(changes) // PAGE)))
    shown = changes[(page - 1) * PAGE : page * PAGE]
    return viewer.page(
        request,
        "compare.html",
        a=first,
        b=second,
        rows=[row for row in rows if row.suite == first.suite],
        found=found,
        metrics=[(item, outcome(item)) for item in found.comparison.metrics if item.headline or item.difference],
        counts=found.counts(),
        kinds=ORDER,
        kind=kind,
        changes=[_with_answers(viewer, first, second, change) for change in shown],
        places=[_places(viewer, row, shown) for row in (first, second)],
        total=len(changes),
        page=page,
        pages=max(1, -(-len(changes) // PAGE)),
    )


def compared(viewer: Viewer, first: RunRow, second: RunRow) -> Compared:
    """The comparison of the two newest scorings, kept, as scorings never change."""
    if first.suite != second.suite:
        raise HTTPException(400, f"The runs are of different suites: {first.suite} and {second.suite}.")
    key = ("compare", scoring_of(first), scoring_of(second))
    return viewer.kept(key, lambda: _compare(viewer, first, second))


def _compare(viewer: Viewer, first: RunRow, second: RunRow) -> Compared:
    before, after = (viewer.store.result(row.id, row.scoring) for row in (first, second))
    known = {item.metric for item in before.summary} & {item.metric for item in after.summary}
    metrics = [metric for metric in suite_metrics(first.suite) if metric.name in known]
    return side_by_side(before, after, compare_runs(before, after, metrics), metrics, {}, {})


def _with_answers(viewer: Viewer, first: RunRow, second: RunRow, change: Change) -> Change:
    sides = []
    for row, side in ((first, change.a), (second, change.b)):
        text = answers_of(viewer.store.case_predictions(row.id, [change.id]), {change.id}).get(change.id, "")
        sides.append(msgspec.structs.replace(side, answer=text[:CUT] + (" …" if len(text) > CUT else "")))
    return msgspec.structs.replace(change, a=sides[0], b=sides[1])


def _places(viewer: Viewer, row: RunRow, changes: list[Change]) -> dict[str, int]:
    lines = viewer.store.lines(scoring_of(row), [change.id for change in changes])
    return {line.case_id: line.position for line in lines}
