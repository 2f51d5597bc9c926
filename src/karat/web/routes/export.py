"""Files to take away: a run as JSON or Excel, a comparison as Excel, the reviews as lines to bring back to the case files."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from karat.core import plugins
from karat.core.report import Report
from karat.reports.comparison_report import comparison_report
from karat.reports.json import result_json
from karat.reports.whole import whole_report
from karat.reports.xlsx import write_xlsx
from karat.store import run_name
from karat.web.finding import find_row, scoring_of
from karat.web.page import viewer_of
from karat.web.patch import review_lines
from karat.web.routes.compare import compared

router = APIRouter(include_in_schema=False)

_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@router.get("/export/compare.xlsx")
def comparison_xlsx(request: Request, a: str, b: str) -> Response:
    """Two runs side by side as a workbook."""
    viewer = viewer_of(request)
    first, second = find_row(viewer, a), find_row(viewer, b)
    found = compared(viewer, first, second)
    return _saved(_workbook(comparison_report([found])), f"{run_name(first.id)}-{run_name(second.id)}.xlsx", _EXCEL)


@router.get("/export/{run}/{what}")
def run_file(request: Request, run: str, what: str) -> Response:
    """``run.json``, ``run.xlsx`` or ``reviews.jsonl``."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    name = run_name(row.id)
    if what == "reviews.jsonl":
        return _saved(review_lines(viewer.store, row), f"{name}-reviews.jsonl", "application/jsonl")
    if what == "run.json":
        return _saved(result_json(viewer.store.result(row.id, scoring_of(row))), f"{name}.json", "application/json")
    if what == "run.xlsx":
        result = viewer.store.result(row.id, scoring_of(row))
        report = whole_report(result, plugins.load_suite(row.suite))
        return _saved(_workbook(report), f"{name}.xlsx", _EXCEL)
    raise HTTPException(404, "There is no such file. A run can be had as run.json, run.xlsx and reviews.jsonl.")


def _workbook(report: Report) -> bytes:
    with tempfile.TemporaryDirectory(prefix="karat-") as folder:
        path = Path(folder) / "report.xlsx"
        write_xlsx(report, path)
        return path.read_bytes()


def _saved(data: bytes, name: str, kind: str) -> Response:
    return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
