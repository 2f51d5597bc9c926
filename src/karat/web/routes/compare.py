"""Two runs side by side: what is better, what is worse, whether it is more than chance, and which cases changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import RedirectResponse, Response

from karat.reports.compare.changes import Change
from karat.reports.compare.comparison import Compared, moves_text, side_by_side
from karat.reports.compare.comparison_page import comparison_page
from karat.stats.compare.runs import compare_runs
from karat.store import RunRow, run_name
from karat.verbs.compare import with_judges
from karat.web.compare.baseline_diff import columns_in
from karat.web.compare.changes import WORDS, chosen, counts_of, read_changes, tags_in
from karat.web.compare.several_runs import several_page
from karat.web.lookup import find_row, run_number, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.routes.run.run import choices
from karat.web.run_page.figures import suite_metrics

router = APIRouter(include_in_schema=False)

PAGE = 25


@router.get("/compare")
def compare_page(
    request: Request,
    a: str = "",
    b: str = "",
    kind: str = "",
    tag: str = "",
    page: int = 1,
    runs: Annotated[list[str], Query()] = [],  # noqa: B006 (FastAPI copies it)
    base: str = "",
    add: bool = False,
    oldest: bool = False,
) -> Response:
    """``a`` is the run before, ``b`` the run after; or ``runs``: several, with commas between them or one by one. The
    first of them is the baseline; ``oldest``: the oldest, as the list to choose from begins with the newest."""
    viewer = viewer_of(request)
    named = list(dict.fromkeys(name for one in runs for name in one.split(",") if name))
    if oldest:
        named.sort(key=lambda name: run_number(name) or 0)
    if len(named) == 2 and not add:
        a, b = sorted(named, key=lambda name: run_number(name) or 0)
    elif len(named) > 2 and not add:
        return several_page(viewer, request, named, base, page)
    if not a or not b:
        rows = [row for row in viewer.store.runs(200) if row.scoring is not None]
        chosen_runs = {run_number(name) for name in (*named, a) if name}
        before, after = _preset(rows, run_number(a) if a else None)
        return viewer.page(
            request, "compare_choose.html", rows=choices(rows), preset={"a": before, "b": after}, chosen=chosen_runs
        )
    first, second = find_row(viewer, a), find_row(viewer, b)
    if first.id == second.id:
        return RedirectResponse(f"/runs/{run_name(first.id)}", 303)
    found = with_judges(compared(viewer, first, second), viewer.store, first.id, second.id)
    kind = kind if kind in WORDS else ""
    ids = chosen(viewer, first, second, found, kind, tag)
    pages = max(1, -(-len(ids) // PAGE))
    page = min(max(1, page), pages)
    return viewer.page(
        request,
        "compare.html",
        a=first,
        b=second,
        found=found,
        view=comparison_page(found),
        judge=found.judge,
        counts=counts_of(viewer, first, second, found, tag),
        total=len(chosen(viewer, first, second, found, "", tag)),
        words=WORDS,
        kind=kind,
        tag=tag,
        tags=tags_in(viewer, second),
        changes=_shown(viewer, first, second, found, ids[(page - 1) * PAGE : page * PAGE]),
        page=page,
        pages=pages,
    )


def _preset(rows: Sequence[RunRow], before: int | None) -> tuple[int | None, int | None]:
    """The two runs that are chosen already, before and after: of one suite, the newest that has two; with a run before,
    the newest other one of its suite."""
    for row in rows:
        own = [other.id for other in rows if other.suite == row.suite]
        if before is not None and before in own:
            return before, next((number for number in own if number != before), None)
        if before is None and len(own) > 1:
            return own[1], own[0]
    return before, None


def _shown(
    viewer: Viewer, first: RunRow, second: RunRow, found: Compared, ids: Sequence[str]
) -> list[tuple[Change, str, str, str]]:
    """(case, how its figures moved, its address before, its address after); an address is empty where it is not."""
    before, after = found.changes.places(ids)
    changes = read_changes(viewer, first, second, found, ids)
    return [
        (change, moves_text(found, change), _address(first, was), _address(second, now))
        for change, was, now in zip(changes, before, after, strict=True)
    ]


def compared(viewer: Viewer, first: RunRow, second: RunRow) -> Compared:
    """The comparison of the two newest scorings, kept, as scorings never change."""
    if first.suite != second.suite:
        raise HTTPException(400, f"The runs are of different suites: {first.suite} and {second.suite}.")
    key = ("compare", scoring_of(first), scoring_of(second))
    return viewer.kept(key, lambda: _compare(viewer, first, second))


def _compare(viewer: Viewer, first: RunRow, second: RunRow) -> Compared:
    for row in (first, second):
        columns_in(viewer, row)  # the page needs both lists anyway: the comparison then uses their columns
    before, after = (viewer.store.result(row.id, row.scoring) for row in (first, second))
    known = {item.metric for item in before.summary} & {item.metric for item in after.summary}
    metrics = [
        metric for metric in suite_metrics(first.suite, second.headline or first.headline) if metric.name in known
    ]
    return side_by_side(before, after, compare_runs(before, after, metrics), metrics)


def _address(row: RunRow, place: int) -> str:
    return f"/runs/{run_name(row.id)}/cases/{place}" if place >= 0 else ""
