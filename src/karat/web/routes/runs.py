"""All runs: their figures, what changed since the pinned one, and each metric over time."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from karat.core.json_types import JsonObject
from karat.store import RunRow
from karat.web.baseline import baselines
from karat.web.baseline_diff import at_hand
from karat.web.charts import Trend, trend
from karat.web.figures import figures_of, headline, main_figure
from karat.web.page import Viewer, viewer_of

router = APIRouter(include_in_schema=False)

LISTED = 200


@router.get("/")
def runs_page(request: Request, suite: str = "", q: str = "") -> Response:
    """The newest first, of one suite or of all."""
    viewer = viewer_of(request)
    rows = viewer.store.runs(LISTED)
    suites = sorted({row.suite for row in rows})
    bases = baselines(viewer, request)
    shown = [row for row in rows if (not suite or row.suite == suite) and _matches(row, q)]
    return viewer.page(
        request,
        "runs.html",
        rows=[_listed(viewer, row, bases.get(row.suite)) for row in shown],
        total=len(rows),
        limit=LISTED,
        suites=suites,
        suite=suite,
        q=q,
        bases=[base for name, base in sorted(bases.items()) if not suite or name == suite],
        trends=_trends(shown, [suite] if suite else suites),
    )


def _matches(row: RunRow, q: str) -> bool:
    text = "\n".join((row.name, row.system, row.suite, row.status, *row.tags)).casefold()
    return all(word in text or word.lstrip("r-0") == str(row.id) for word in q.casefold().split())


def _listed(viewer: Viewer, row: RunRow, base: RunRow | None) -> JsonObject:
    """A run with its main figure. A difference that must be computed first is left to the page, which asks for one
    after the other."""
    main = main_figure(figures_of(row))
    comparable = base is not None and base.id != row.id and main is not None and row.scoring is not None
    found = at_hand(viewer, row, base, most=0) if comparable and base is not None else None
    return {"run": row, "main": main, "base": base, "comparable": comparable, "against": found}


def _trends(rows: Sequence[RunRow], suites: Sequence[str]) -> list[tuple[str, list[Trend]]]:
    """Suite → the trend of each of its headline metrics, where there are two runs to draw a line through."""
    found = []
    for name in suites:
        own = [row for row in reversed(rows) if row.suite == name and row.summary]
        if len(own) < 2:
            continue
        lines = [trend(own, item.name, item.title, item.kind) for item in headline(figures_of(own[-1]))]
        found.append((name, [line for line in lines if line is not None]))
    return found
