"""All runs: their figures on one axis, what changed since the pinned one, and each suite's figures over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from karat.store import RunRow, run_name
from karat.store.records import Progress
from karat.web.charts import Trend, trend
from karat.web.compare.baseline import baselines
from karat.web.compare.baseline_diff import Against, at_hand
from karat.web.live.live_run import Running, running
from karat.web.lookup import find_row
from karat.web.page import Viewer, viewer_of
from karat.web.run_page.figures import Figure, figures_of, headline, main_figure

router = APIRouter(include_in_schema=False)

LISTED = 200
NEAR = 10
"""Runs of each suite that are shown at once; the earlier ones are folded."""


class Listed(msgspec.Struct, frozen=True):
    """A run in the list, with its main figure. ``against`` is None where a difference must be computed first: the page
    asks for one after the other."""

    run: RunRow
    main: Figure | None
    base: RunRow | None
    comparable: bool
    against: dict[str, Against] | None
    progress: Progress | None
    """How far it is, for a run that is not finished."""
    running: Running | None = None
    """Its pace and its main figure so far, for a run that goes on."""


class Group(msgspec.Struct, frozen=True):
    """The runs of a suite, the newest first; or all runs, by date, where ``suite`` is empty. What most rows share is
    said once, above them."""

    suite: str
    title: str
    truth_set: str
    near: tuple[Listed, ...]
    earlier: tuple[Listed, ...]


@router.get("/")
def runs_page(request: Request, suite: str = "", q: str = "", by: str = "", few: bool = False) -> Response:
    """The newest first, of one suite or of all, grouped by suite or in the order of their dates. ``few``: too few were
    chosen to compare."""
    viewer = viewer_of(request)
    counts = viewer.viewing.run_counts()
    rows = viewer.store.runs(LISTED, suite or None)
    bases = baselines(viewer, request)
    matching = [row for row in rows if _matches(row, q)]
    listed = [_listed(viewer, row, bases.get(row.suite)) for row in matching]
    found_all = bool(q)
    return viewer.page(
        request,
        "runs.html",
        groups=[_group("", listed, found_all)] if by == "date" else _by_suite(listed, found_all),
        counts=counts,
        total=sum(counts.values()),
        capped=len(rows) == LISTED and (counts.get(suite, 0) if suite else sum(counts.values())) > LISTED,
        limit=LISTED,
        suite=suite,
        q=q,
        by=by,
        few=few,
        bases=bases,
        with_prompt=any(row.prompt for row in matching),
        with_who=any(row.who for row in matching),
        trends=_trends(matching),
    )


@router.get("/compare/chosen")
def compare_chosen(request: Request, run: Annotated[list[str] | None, Query()] = None) -> Response:
    """From the runs that were chosen in the list to the page that compares them: the earliest, or the baseline, is the
    one before."""
    viewer = viewer_of(request)
    rows = {row.id: row for row in (find_row(viewer, name) for name in (run or [])[:LISTED])}
    if len(rows) < 2:
        return RedirectResponse("/?few=1", 303)
    pinned = {base.id for base in baselines(viewer, request).values()}
    names = [run_name(number) for number in sorted(rows, key=lambda number: (number not in pinned, number))]
    if len(names) == 2:
        return RedirectResponse(f"/compare?a={names[0]}&b={names[1]}", 303)
    return RedirectResponse(f"/compare?runs={','.join(names)}", 303)


def _matches(row: RunRow, q: str) -> bool:
    words = (row.name, row.system, row.suite, row.status, row.prompt, row.who, row.truth_set, *row.tags)
    text = "\n".join(words).casefold()
    return all(word in text or word.lstrip("r-0") == str(row.id) for word in q.casefold().split())


def _listed(viewer: Viewer, row: RunRow, base: RunRow | None) -> Listed:
    main = main_figure(figures_of(row))
    comparable = base is not None and base.id != row.id and main is not None and row.scoring is not None
    found = at_hand(viewer, row, base, most=0) if comparable and base is not None else None
    progress = viewer.store.progress(row.id, 0) if row.status != "finished" else None
    goes_on = running(viewer, row, progress) if progress is not None and row.status == "running" else None
    return Listed(row, main, base, comparable, found, progress, goes_on)


def _by_suite(listed: Sequence[Listed], whole: bool) -> list[Group]:
    """The runs of a suite together; apart by their figure, where runs of a suite go by another one. A run without
    figures is with the newest of its suite."""
    usual: dict[str, str] = {}
    for item in listed:
        if item.main is not None:
            usual.setdefault(item.run.suite, item.main.title)
    groups: dict[tuple[str, str], list[Listed]] = {}
    for suite in dict.fromkeys(item.run.suite for item in listed):
        for item in listed:
            if item.run.suite == suite:
                title = item.main.title if item.main is not None else usual.get(suite, "")
                groups.setdefault((suite, title), []).append(item)
    return [_group(suite, items, whole) for (suite, _), items in groups.items()]


def _group(suite: str, items: Sequence[Listed], whole: bool) -> Group:
    title = _usual(item.main.title for item in items if item.main is not None) if suite else ""
    truth_set = _usual(item.run.truth_set for item in items if item.run.truth_set) if suite else ""
    most = len(items) if whole else NEAR if suite else 4 * NEAR
    return Group(suite, title, truth_set, tuple(items[:most]), tuple(items[most:]))


def _usual(words: Iterable[str]) -> str:
    """The word that most runs have, of as many the newest; empty when no run has one."""
    return next((word for word, _ in Counter(words).most_common(1)), "")


def _trends(rows: Sequence[RunRow]) -> list[tuple[str, list[Trend]]]:
    """Suite → the trend of its main figure, then of its other headline figures, where there are two runs to draw a line
    through."""
    found = []
    for name in dict.fromkeys(row.suite for row in rows):
        own = [row for row in reversed(rows) if row.suite == name and row.summary]
        if len(own) < 2:
            continue
        figures = figures_of(own[-1])
        main = main_figure(figures)
        shown = sorted(headline(figures), key=lambda item: item is not main and item != main)
        lines = [trend(own, item.name, item.title, item.kind) for item in shown]
        found.append((name, [line for line in lines if line is not None and len(line.points) > 1]))
    return [(name, lines) for name, lines in found if lines]
