"""Several runs beside each other: the page of the matrix."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import HTTPException, Request
from starlette.responses import Response

from karat.core.results.result import RunInfo
from karat.reports.compare.several import NOTE, Matrix
from karat.stats.compare.several import compare_several
from karat.store import RunRow, run_name
from karat.web.compare.baseline import baselines
from karat.web.compare.baseline_diff import columns_in
from karat.web.lookup import find_row, run_number, scoring_of
from karat.web.page import Viewer
from karat.web.run_page.figures import suite_metrics

PAGE = 50
MOST_RUNS = 12


def several_page(viewer: Viewer, request: Request, names: Sequence[str], base: str, page: int) -> Response:
    """Runs × figures, and the cases whose verdict is not the same in all; the baseline first, then the oldest."""
    if len(names) > MOST_RUNS:
        raise HTTPException(400, f"{len(names)} runs are too many for one page: choose at most {MOST_RUNS}.")
    rows = sorted((find_row(viewer, name) for name in names), key=lambda row: row.id)
    suites = sorted({row.suite for row in rows})
    if len(suites) > 1:
        raise HTTPException(400, f"The runs are of different suites: {', '.join(suites)}.")
    baseline = rows[_baseline(viewer, request, rows, base, names[0])]
    rows.sort(key=lambda row: row.id != baseline.id)
    matrix = _matrix(viewer, rows)
    pages = max(1, -(-matrix.differing // PAGE))
    page = min(max(1, page), pages)
    some = matrix.cases((page - 1) * PAGE, page * PAGE)
    ids = [case.id for case in some]
    addresses = {
        (line.case_id, place): f"/runs/{run_name(row.id)}/cases/{line.position}"
        for place, row in enumerate(rows)
        for line in viewer.viewing.lines(scoring_of(row), ids)
    }
    return viewer.page(
        request,
        "compare_several.html",
        rows=rows,
        matrix=matrix,
        note=NOTE,
        cases=some,
        addresses=addresses,
        page=page,
        pages=pages,
    )


def _baseline(viewer: Viewer, request: Request, rows: Sequence[RunRow], base: str, first: str) -> int:
    """The run that is named, else the pinned one where it is among them, else the one that was named first."""
    pinned = baselines(viewer, request).get(rows[0].suite)
    wanted = [run_number(base) if base else None, pinned.id if pinned is not None else None, run_number(first)]
    ids = [row.id for row in rows]
    return next((ids.index(one) for one in wanted if one in ids), 0)


def _matrix(viewer: Viewer, rows: Sequence[RunRow]) -> Matrix:
    """The first run is the baseline. Kept, as scorings never change."""
    key = ("several", *(scoring_of(row) for row in rows))

    def compare() -> Matrix:
        newest = max(rows, key=lambda row: row.id)
        known = set.intersection(*({item.metric for item in row.summary} for row in rows))
        metrics = [metric for metric in suite_metrics(newest.suite, newest.headline) if metric.name in known]
        infos = tuple(RunInfo(row.suite, run_name(row.id), row.name, row.system) for row in rows)
        columns = [columns_in(viewer, row) for row in rows]
        settings = viewer.viewing.same_settings([(row.id, row.truth_set) for row in rows])
        return Matrix(infos, compare_several(columns, metrics, 0, settings))

    return viewer.kept(key, compare)
