"""What a suite finds over all cases of a run, for the run's page: at once for a small run, counted by a thread for a
larger one while the page is there already. Kept, as a scoring never changes."""

from __future__ import annotations

import msgspec

from karat.core import plugins
from karat.core.problems import UserError
from karat.core.suite import no_sheets
from karat.reports.run_views import RunViews, run_views
from karat.stats.intervals.estimates import estimate
from karat.store import RunRow
from karat.web.page import Viewer

AT_ONCE = 500
"""Cases up to which a page waits for them."""
MOST = 20_000
"""Cases above which they are not counted here: every case would have to be held in memory."""


class ShownViews(msgspec.Struct, frozen=True):
    """What the template ``run_views.html`` of the viewer shows."""

    found: RunViews = RunViews()
    counting: bool = False
    """They are being counted."""
    too_many: bool = False
    """Nobody counts them here; ``karat report`` does."""


def views_of(viewer: Viewer, row: RunRow) -> ShownViews:
    """The views of a run's newest scoring."""
    if row.scoring is None or not _has_any(row.suite):
        return ShownViews()
    scoring = row.scoring
    if row.cases > MOST:
        return ShownViews(too_many=True)
    if row.cases <= AT_ONCE:
        return viewer.kept_pages(("views", scoring), lambda: ShownViews(_counted(viewer, row.id, scoring)))
    written = viewer.views.get((scoring,), lambda _: msgspec.msgpack.encode(_counted(viewer, row.id, scoring)))
    if written is None:
        return ShownViews(counting=True)
    if written.page is None:  # the terminal says why; the page is of use without them
        return ShownViews()
    return ShownViews(msgspec.msgpack.decode(written.page, type=RunViews))


def _has_any(suite: str) -> bool:
    try:
        return plugins.load_suite(suite).run_sheets is not no_sheets
    except UserError:  # a suite that is not installed here
        return False


def _counted(viewer: Viewer, run_id: int, scoring: int) -> RunViews:
    result = viewer.store.result(run_id, scoring)
    return run_views(plugins.load_suite(result.run.suite).run_sheets(result, estimate))
