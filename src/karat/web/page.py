"""From a template and values to a page. Everything is escaped by the template engine; no text is ever marked as
safe."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from fastapi import Request
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.responses import Response

from karat.core import plugins
from karat.core.problems import UserError
from karat.judge.settings import JudgeSettings
from karat.store import Store, run_name
from karat.store.viewer_queries import Viewing
from karat.web import formatting
from karat.web.cache import Kept
from karat.web.live.resuming import Resuming
from karat.web.live.watched_runs import Watched
from karat.web.run_page.waiting_reports import WaitingReports
from karat.web.search.recent_search import LastSearched
from karat.web.security.sessions import Sessions


class Viewer:
    """What the routes share: the store, the sessions, the templates, and a few things that were computed before."""

    def __init__(
        self,
        store: Store,
        sessions: Sessions,
        resuming: Resuming | None = None,
        project: str = "",
        judge: JudgeSettings | None = None,
    ) -> None:
        self.store = store
        self.sessions = sessions
        self.project = project
        self.judge = judge
        self.viewing = Viewing(store)
        self.kept = Kept(16)
        self.kept_small = Kept(5000)
        """For what is a few numbers, such as the difference between two runs."""
        self.kept_pages = Kept(64)
        """For what fills a page: a few cases with their answers, or a report."""
        self.reports = WaitingReports()
        self.views = WaitingReports()
        self.last_searched, self.last_indexed = LastSearched(), LastSearched()
        self.watched = Watched(store)
        self.resuming = resuming or Resuming()

    def menu(self) -> frozenset[str]:
        """The pages of the head that have something to show: tuning only where a run has a note of it."""
        return frozenset({"/review", "/tune"} if self.viewing.any_notes() else {"/review"})

    def page(self, request: Request, template: str, code: int = 200, **values: object) -> Response:
        """A page. Halves of surrogate pairs, which UTF-8 cannot hold, are shown as escapes."""
        session = getattr(request.state, "session", "")
        known = {
            "csrf": self.sessions.form_token(session) if session else "",
            "closed": self.sessions.closed,
            "here": request.url.path,
            "project": self.project,
            "menu": self.menu() if session else frozenset(),
        }
        text = _templates().get_template(template).render(**known, **values)
        return Response(text.encode("utf-8", "backslashreplace"), code, media_type="text/html")


@cache
def _templates() -> Environment:
    """The templates, each compiled once in a process."""
    found = Environment(
        loader=ChoiceLoader([PackageLoader("karat.web", "templates"), PackageLoader("karat.reports", "look")]),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= formatting.FILTERS
    found.globals["run_name"] = run_name
    return found


@cache
def warm() -> None:
    """Load what the first pages need, so that nobody waits for it: templates, and numpy for figures."""
    import numpy  # noqa: F401 (for its import)

    found = _templates()
    for name in found.list_templates(["html"]):
        found.get_template(name)


def warm_suites(store: Store) -> None:
    """Load the suites of the newest runs. One that cannot be loaded is reported where somebody opens its runs."""
    for suite in {row.suite for row in store.runs(20)}:
        with suppress(UserError, ImportError):
            plugins.load_suite(suite)


def viewer_of(request: Request) -> Viewer:
    """The viewer that answers this request."""
    found: Viewer = request.app.state.viewer
    return found
