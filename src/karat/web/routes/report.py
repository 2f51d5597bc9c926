"""The whole report of a run as a page: every table and plot of its suite, such as recall against n, or the recovery
funnel.

It is the file that can be mailed, shown in place. It brings its scripts with it, so its own policy stands in for the
viewer's: scripts by their hashes, and nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Collection

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from karat.core import plugins
from karat.core.results.result import RunResult
from karat.reports.full_report import whole_report
from karat.reports.html.report import content_policy, html_report
from karat.stats.intervals.estimates import estimate
from karat.store import run_name
from karat.web.lookup import find_row, scoring_of
from karat.web.page import viewer_of

router = APIRouter(include_in_schema=False)


AT_ONCE = 500
"""Cases up to which the page waits for its report; of more, it says that the report is coming, and opens it then."""


@router.get("/runs/{run}/report")
def report_page(request: Request, run: str) -> Response:
    """The report of the run's newest scoring."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    scoring = scoring_of(row)
    reviews = [review.id for review in viewer.store.reviews(row.id)]

    def write() -> bytes:
        return report_html(viewer.store.result(row.id, scoring), f"/runs/{run_name(row.id)}", viewer.menu())

    key = (scoring, *reviews)
    if row.cases <= AT_ONCE:
        page = viewer.kept_pages(("report", *key, viewer.menu()), write)
    else:
        written = viewer.reports.get(key, write)
        if written is None:
            return viewer.page(request, "report_wait.html", run=row)
        if written.page is None:
            raise HTTPException(500, "The report could not be written. See the terminal where karat serve is running.")
        page = written.page
    request.state.policy = content_policy()
    return HTMLResponse(page)


def report_html(result: RunResult, back: str = "", menu: Collection[str] = ()) -> bytes:
    """The page as bytes, whatever the texts hold; ``back`` and ``menu`` where it is opened in the viewer."""
    suite = plugins.load_suite(result.run.suite)
    metrics = suite.metrics_for(result.run.headline)
    page = html_report(result, whole_report(result, suite), metrics, estimate, back, menu)
    return page.encode("utf-8", "backslashreplace")
