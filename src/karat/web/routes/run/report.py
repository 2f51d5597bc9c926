"""The whole report of a run as a page: every table and plot of its suite, such as recall against n, or the recovery
funnel.

It is the file that can be mailed, shown in place. It brings its scripts with it, so its own policy replaces the
viewer's: scripts by their hashes, and nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Collection

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from karat.core import plugins
from karat.core.problems import count_of
from karat.core.results.result import RunResult
from karat.reports.full_report import whole_report
from karat.reports.html.large_run import LARGE, Say, large_report
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

    def write(say: Say) -> bytes:
        return report_html(viewer.store.result(row.id, scoring), f"/runs/{run_name(row.id)}", viewer.menu(), say)

    key = (scoring, *reviews)
    if row.cases <= AT_ONCE:
        page = viewer.kept_pages(("report", *key, viewer.menu()), lambda: write(unsaid))
    else:
        written = viewer.reports.get(key, write)
        if written is None:
            return viewer.page(request, "report_wait.html", run=row, progress=viewer.reports.progress(key))
        if written.page is None:
            raise HTTPException(500, "The report could not be written. See the terminal where karat serve is running.")
        page = written.page
    request.state.policy = content_policy()
    return HTMLResponse(page)


def unsaid(_: str) -> None:
    """For a report that nobody waits for."""


def report_html(result: RunResult, back: str = "", menu: Collection[str] = (), say: Say = unsaid) -> bytes:
    """The page as bytes, whatever the texts hold; ``back`` and ``menu`` where it is opened in the viewer. ``say`` is
    told what is being done. Of a run with more cases than a page holds, only the worst are read."""
    suite = plugins.load_suite(result.run.suite)
    if len(result.cases) > LARGE:
        return large_report(result, suite, estimate, back, menu, say).encode("utf-8", "backslashreplace")
    metrics = suite.metrics_for(result.run.headline)
    say(f"counting over {count_of(len(result.cases), 'case')}")
    report = whole_report(result, suite)
    say("writing the page")
    return html_report(result, report, metrics, estimate, back, menu).encode("utf-8", "backslashreplace")
