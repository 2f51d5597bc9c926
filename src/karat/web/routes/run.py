"""One run: its figures, where it fails, and its cases a page at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from karat.core.json_types import JsonObject
from karat.core.results.clusters import cluster_names
from karat.core.results.columns import Columns
from karat.core.results.result import Estimate
from karat.reports.console.run import reason_of
from karat.stats.reviewed import rate_with_reviews, with_reviews
from karat.store import RunRow, run_name
from karat.store.case_list import Line
from karat.store.case_pages import TagCount
from karat.web.attempts import tries_text
from karat.web.baseline import baselines
from karat.web.baseline_diff import at_hand, columns_in
from karat.web.failure_groups import shown_groups
from karat.web.figures import Figure, figures_of, headline, main_figure
from karat.web.filters import ORDERS, PAGE_SIZE, REVIEWS, read_filters
from karat.web.formatting import figure
from karat.web.lookup import find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.quick_filters import quick_filters
from karat.web.review_panel import shown_verdicts
from karat.web.search import with_answers

router = APIRouter(include_in_schema=False)

TAGS = 24
"""Bars in the plot by tag; the filter has all tags."""


class TagFigure(msgspec.Struct, frozen=True):
    """The main metric over the cases with one tag."""

    tag: str
    cases: int
    mean: float | None


@router.get("/runs/{run}")
def run_page(request: Request, run: str) -> Response:
    """The run's page; while it is not scored yet, how far it is."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    base = f"/runs/{run_name(row.id)}"
    prompt = str(viewer.store.run(row.id).config.get("prompt", ""))
    if row.scoring is None:
        progress = viewer.store.progress(row.id)
        return viewer.page(request, "run_waiting.html", run=row, base=base, progress=progress, prompt=prompt)
    figures = figures_of(row)
    main = main_figure(figures)
    counts = tag_counts(viewer, row, main)
    tags = by_tag(counts)
    filters = read_filters(request.query_params, figures)
    offset = (filters.page - 1) * PAGE_SIZE
    query = with_answers(viewer, row, filters.query)
    count, lines = viewer.viewing.case_page(row.id, row.scoring, query, offset, PAGE_SIZE)
    opened = {line.position: _opened(viewer, row, line, main) for line in lines}
    baseline = baselines(viewer, request).get(row.suite)
    states = _states(counts)
    given = shown_verdicts(viewer, request, row, [line.case_id for line in lines])
    return viewer.page(
        request,
        "run.html",
        run=row,
        base=base,
        prompt=prompt,
        others=choices(viewer.store.runs(100, row.suite), row),
        baseline=baseline,
        against=at_hand(viewer, row, baseline) if baseline is not None else {},
        figures=figures,
        big=headline(figures),
        main=main,
        reviewed=reviewed_rates(viewer, row, figures),
        states=states,
        groups=shown_groups(viewer, row, baseline, filters, base),
        quick=quick_filters(viewer, row, figures, filters, base, states),
        saved=viewer.viewing.filters(row.suite),
        savable=filters.link("").lstrip("?"),
        worst=sorted((tag for tag in tags if tag.mean is not None), key=_worst_first)[:TAGS],
        tags=tags,
        filters=filters,
        chips=filters.chips(base, {item.name: item.title for item in figures}),
        lines=lines,
        opened=opened,
        given=given,
        count=count,
        first=offset + 1,
        last=offset + len(lines),
        pages=max(1, -(-count // PAGE_SIZE)),
        orders=ORDERS,
        review_words=REVIEWS,
    )


class Opened(msgspec.Struct, frozen=True):
    """What only the case itself tells: why it is not right, as the terminal says it, and its tries in groups."""

    reason: str = ""
    tries: str = ""


def _opened(viewer: Viewer, row: RunRow, line: Line, main: Figure | None) -> Opened:
    """Only the cases of one page are opened for it."""
    right = main is not None and line.figures[main.index] == 1
    if right and row.repeats < 2:
        return Opened()
    found = viewer.store.case_result(scoring_of(row), line.position)
    if found is None:
        return Opened(line.reason)
    return Opened("" if right else found.error or reason_of(row.suite, found) or line.reason, tries_text(found, main))


def choices(rows: Sequence[RunRow], row: RunRow | None = None) -> list[tuple[RunRow, str]]:
    """Runs to choose from, each with its main figure in words."""
    found = []
    for other in rows:
        main = main_figure(figures_of(other))
        if other.scoring is not None and (row is None or other.id != row.id):
            found.append((other, f"{main.title} {figure(main.summary.mean, main.kind)}" if main else ""))
    return found


def tag_counts(viewer: Viewer, row: RunRow, main: Figure | None) -> list[TagCount]:
    """Counts by tags and state, kept, as a scoring never changes."""
    scoring = row.scoring or 0
    index = main.index if main else None
    return viewer.kept(("tags", scoring), lambda: viewer.viewing.tag_counts(scoring, index))


def by_tag(counts: Sequence[TagCount]) -> list[TagFigure]:
    """Every tag with its number of cases and the mean over those that have a value."""
    found: dict[str, list[float]] = {}
    for item in counts:
        for tag in set(item.tags):
            sums = found.setdefault(tag, [0, 0, 0])
            for place, number in enumerate((item.cases, item.valued, item.total)):
                sums[place] += number
    return [
        TagFigure(tag, int(cases), total / valued if valued else None)
        for tag, (cases, valued, total) in sorted(found.items())
    ]


def _worst_first(tag: TagFigure) -> tuple[float, str]:
    return (tag.mean if tag.mean is not None else 2.0, tag.tag)


def _states(counts: Sequence[TagCount]) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in counts:
        found[item.status] = found.get(item.status, 0) + item.cases
    return found


def reviewed_rates(viewer: Viewer, row: RunRow, figures: Sequence[Figure]) -> dict[str, Estimate]:
    """Metric → its rate with people's verdicts, for the headline rates; empty when nobody gave one."""
    given = {case: review.verdict for case, review in viewer.store.verdicts(row.id).items()}
    if not given or row.scoring is None:
        return {}
    rates = [item for item in headline(figures) if item.kind == "rate"]
    scoring = row.scoring
    if viewer.kept_small(("clustered", scoring), lambda: viewer.viewing.clustered(scoring)):
        return _over_clusters(columns_in(viewer, row), given, rates)
    values: JsonObject = {line.case_id: line.figures for line in viewer.viewing.lines(row.scoring, list(given))}
    found = {}
    for item in rates:
        pairs = [(word, values[case][item.index]) for case, word in given.items() if case in values]
        found[item.name] = with_reviews(item.summary, pairs)
    return found


def _over_clusters(columns: Columns, verdicts: Mapping[str, str], rates: Sequence[Figure]) -> dict[str, Estimate]:
    """Where cases are variants of one, all of them say how far the rate can be trusted."""
    ids = columns.case_ids
    clusters = cluster_names(columns.clusters or [""] * len(ids), ids)
    found = {}
    for item in rates:
        known = [value if math.isfinite(value) else None for value in columns.column(item.name).tolist()]
        found[item.name] = rate_with_reviews(zip(ids, known, strict=True), verdicts, clusters)
    return found
