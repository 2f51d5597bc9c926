"""How the judge of a run came out against people: whether it counts, its figures, what it was tried with, how it has
done over time, and where people say otherwise."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from karat.core.results.judged import JudgeSummary
from karat.store import RunRow, run_name
from karat.store.verdicts.judgements import JudgeRecords
from karat.verbs.judge.corrected import judged_run
from karat.web.lookup import find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.review.judge_figures import JudgePage, judge_page
from karat.web.routes.run.run import choices

router = APIRouter(include_in_schema=False)

MOST = 50
"""Cases on which people and judge differ that are listed."""


@router.get("/review/calibration")
def calibration_page(request: Request, run: str = "") -> Response:
    """The judge of a run, and every version before it."""
    viewer = viewer_of(request)
    rows = [row for row in viewer.store.runs(100) if row.scoring is not None]
    row = find_row(viewer, run) if run else next(iter(rows), None)
    if row is None:
        return viewer.page(request, "review_none.html")
    seen = judged_run(viewer.store, row.id)
    return viewer.page(
        request,
        "calibration.html",
        run=row,
        runs=choices(rows),
        base=f"/runs/{run_name(row.id)}",
        done=len({review.case_id for review in viewer.store.reviews(row.id)}),
        seen=seen,
        by_rule={item.metric: item for item in row.summary},
        page=judge_page(JudgeRecords(viewer.store), row, seen.version) if seen is not None else JudgePage(),
        places=_places(viewer, row, seen),
        listed=seen.doubts[:MOST] if seen is not None else (),
    )


def _places(viewer: Viewer, row: RunRow, seen: JudgeSummary | None) -> dict[str, int]:
    if seen is None or not seen.doubts:
        return {}
    wanted = {one.case for one in seen.doubts if one.run == run_name(row.id)}
    return {case: place for case, place in viewer.viewing.places(scoring_of(row)).items() if case in wanted}
