"""How the judge of a run came out against people: its figures, whether it counts, and where people say otherwise."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from karat.core.results.judged import JudgeSummary
from karat.core.results.result import Estimate
from karat.store import RunRow, run_name
from karat.store.judgements import JudgeRecords
from karat.verbs.judge.corrected import judged_run
from karat.verbs.judge.pools import read_calibration
from karat.web.lookup import find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.routes.run import choices

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
        done=len(viewer.store.verdicts(row.id)),
        seen=seen,
        figures=_figures(viewer, seen),
        places=_places(viewer, row, seen),
        listed=seen.doubts[:MOST] if seen is not None else (),
        versions=_versions(viewer, row),
    )


def _figures(viewer: Viewer, seen: JudgeSummary | None) -> list[tuple[str, Estimate, str]]:
    """(title, figure, over how many) of the newest calibration."""
    stored = JudgeRecords(viewer.store).calibrations(seen.version) if seen is not None else []
    if not stored:
        return []
    found = read_calibration(stored[0].figures).agreement
    if not found.n:
        return []
    agreement = Estimate(found.agreement, found.n, found.agreement_low, found.agreement_high)
    return [
        ("agreement with people", agreement, f"{found.n:,}"),
        ("a judge that always says the same", Estimate(found.constant, found.n, None, None), "for scale"),
        ("kappa", found.kappa, f"{found.kappa.n:,}"),
        ("sensitivity", found.sensitivity, f"{found.sensitivity.n:,} right"),
        ("specificity", found.specificity, f"{found.specificity.n:,} wrong"),
    ]


def _places(viewer: Viewer, row: RunRow, seen: JudgeSummary | None) -> dict[str, int]:
    if seen is None or not seen.doubts:
        return {}
    wanted = {one.case for one in seen.doubts if one.run == run_name(row.id)}
    return {case: place for case, place in viewer.viewing.places(scoring_of(row)).items() if case in wanted}


def _versions(viewer: Viewer, row: RunRow) -> list[tuple[str, str, float | None, str]]:
    """(version, when it was last calibrated, kappa, why it does not count) of every judge of the run."""
    records = JudgeRecords(viewer.store)
    found = []
    for version in records.versions_of_run(row.id):
        stored = records.calibrations(version)
        one = read_calibration(stored[0].figures) if stored else None
        kappa = one.agreement.kappa.mean if one is not None else None
        why = "never calibrated" if one is None else next(iter(one.misses), "counts")
        found.append((version, one.created[:16].replace("T", " ") if one is not None else "", kappa, why))
    return found
