"""Files to take away: a run as HTML, Excel or JSON, a comparison as Excel, Markdown or JSON, the reviews as lines and
as a patch."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from karat.core import plugins
from karat.core.report import Report
from karat.reports.compare.comparison import as_plain
from karat.reports.compare.comparison_sheets import comparison_report
from karat.reports.excel.workbook import write_xlsx
from karat.reports.full_report import whole_report
from karat.reports.html.comparison import comparison_html
from karat.reports.json import result_json
from karat.reports.markdown.comparison import comparison_markdown
from karat.reports.patches.patch import review_lines, review_patch
from karat.store import run_name
from karat.store.codec import to_json
from karat.web.compare.changes import with_texts
from karat.web.lookup import find_row, scoring_of
from karat.web.page import viewer_of
from karat.web.routes.compare import compared
from karat.web.routes.run.report import report_html

router = APIRouter(include_in_schema=False)

_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@router.get("/export/compare.{kind}")
def comparison_file(request: Request, kind: str, a: str, b: str) -> Response:
    """Two runs side by side as a page, a workbook, Markdown for a comment, or JSON; with both answers of each case that
    changed."""
    viewer = viewer_of(request)
    first, second = find_row(viewer, a), find_row(viewer, b)
    name = f"{run_name(first.id)}-{run_name(second.id)}"
    if kind not in ("html", "xlsx", "md", "json"):
        raise HTTPException(404, "There is no such file. A comparison is available as html, xlsx, md and json.")
    found = with_texts(viewer, first, second, compared(viewer, first, second))
    if kind == "xlsx":
        return _saved(_workbook(comparison_report([found])), f"{name}.xlsx", _EXCEL)
    if kind == "html":
        return _saved(comparison_html([found]).encode("utf-8", "backslashreplace"), f"{name}.html", "text/html")
    if kind == "md":
        return _saved(comparison_markdown([found]).encode("utf-8", "replace"), f"{name}.md", "text/markdown")
    return _saved(to_json(as_plain([found])), f"{name}.json", "application/json")


@router.get("/export/{run}/{what}")
def run_file(request: Request, run: str, what: str) -> Response:
    """``run.html``, ``run.xlsx``, ``run.json``, ``reviews.jsonl`` or ``reviews.patch``."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    name = run_name(row.id)
    if what == "reviews.jsonl":
        return _saved(review_lines(viewer.store, row), f"{name}-reviews.jsonl", "application/jsonl")
    if what == "reviews.patch":
        return _saved(review_patch(viewer.store, row.id).data, f"{name}-reviews.patch", "text/x-diff")
    if what not in ("run.html", "run.json", "run.xlsx"):
        known = "run.html, run.xlsx, run.json, reviews.jsonl and reviews.patch"
        raise HTTPException(404, f"There is no such file. A run is available as {known}.")
    result = viewer.store.result(row.id, scoring_of(row))
    if what == "run.json":
        return _saved(result_json(result), f"{name}.json", "application/json")
    if what == "run.xlsx":
        return _saved(_workbook(whole_report(result, plugins.load_suite(row.suite))), f"{name}.xlsx", _EXCEL)
    return _saved(report_html(result), f"{name}.html", "text/html")


def _workbook(report: Report) -> bytes:
    with tempfile.TemporaryDirectory(prefix="karat-") as folder:
        path = Path(folder) / "report.xlsx"
        write_xlsx(report, path)
        return path.read_bytes()


def _saved(data: bytes, name: str, kind: str) -> Response:
    return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
