"""One run: its figures, where it fails, and its cases a page at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from karat.core.json_types import JsonObject
from karat.core.results.clusters import cluster_names
from karat.core.results.columns.columns import Columns
from karat.core.results.result import Estimate
from karat.stats.reviewed import rate_with_reviews, with_reviews
from karat.store import RunRow, run_name
from karat.store.cases.case_list import Line
from karat.store.cases.case_pages import TagCount
from karat.web.cases.case_rows import case_rows
from karat.web.compare.baseline import baselines
from karat.web.compare.baseline_diff import Against, at_hand, columns_in
from karat.web.compare.changed_verdicts import Newly, newly
from karat.web.formatting import figure, spent
from karat.web.lookup import find_row
from karat.web.page import Viewer, viewer_of
from karat.web.review.review_panel import shown_verdicts
from karat.web.routes.run.live import live_page
from karat.web.run_page.failure_groups import shown_groups
from karat.web.run_page.figures import Figure, figures_of, headline, held_out_figure, listed_columns, main_figure
from karat.web.run_page.run_title import run_title
from karat.web.run_page.run_views import views_of
from karat.web.run_page.where_it_fails import SHOWN, bars, outcomes
from karat.web.search.filters import ORDERS, PAGE_SIZE, REVIEWS, Filters, read_filters
from karat.web.search.quick_filters import quick_filters
from karat.web.search.search import with_answers

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run}")
def run_page(request: Request, run: str) -> Response:
    """The run's page; while it is not scored yet, how far it is."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    if row.scoring is None:
        return live_page(request, viewer, row)
    base = f"/runs/{run_name(row.id)}"
    figures = figures_of(row)
    main = main_figure(figures)
    tags = by_tag(tag_counts(viewer, row, main))
    filters = read_filters(request.query_params, figures)
    offset = (filters.page - 1) * PAGE_SIZE
    query = with_answers(viewer, row, filters.query)
    count, lines = viewer.viewing.case_page(row.id, row.scoring, query, offset, PAGE_SIZE)
    baseline = baselines(viewer, request).get(row.suite)
    other = baseline if baseline is not None and baseline.id != row.id else None
    against = at_hand(viewer, row, other) if other is not None else {}
    changed = newly(viewer, row, other, main) if against is not None else Newly()
    found = outcomes(viewer, row, main)
    held_out = held_out_figure(figures, main)
    big = sorted(headline(figures), key=lambda item: (item is not held_out, item is not main))
    states = _states(tag_counts(viewer, row, main))
    given = shown_verdicts(viewer, request, row, [line.case_id for line in lines])
    return viewer.page(
        request,
        "run.html",
        run=row,
        base=base,
        title=run_title(row, main, found.all, against, changed, held_out),
        others=choices(viewer.store.runs(100, row.suite), row),
        baseline=baseline,
        other=other,
        other_figures={item.name: item for item in figures_of(other)} if other is not None else {},
        against=against,
        reach=_reach(against, big),
        figures=figures,
        big=big,
        main=main,
        reviewed=reviewed_rates(viewer, row, figures),
        tally=found.all,
        states=states,
        groups=shown_groups(viewer, row, baseline, filters, base, found.all.wrong + found.all.failed),
        spent=spent(row, figures),
        quick=quick_filters(viewer, row, figures, filters, base, states, found.all, (other, changed)),
        saved=viewer.viewing.filters(row.suite),
        savable=filters.link("").lstrip("?"),
        bars=bars(viewer, row, main, found, _with_main(other)),
        first_bars=SHOWN,
        tags=tags,
        views=views_of(viewer, row),
        filters=filters,
        columns=_telling(filters, lines, main),
        usual=listed_columns(figures),
        chips=filters.chips(base, {item.name: item.title for item in figures}),
        cases=case_rows(viewer, row, lines, main, changed),
        given=given,
        count=count,
        first=offset + 1,
        last=offset + len(lines),
        pages=max(1, -(-count // PAGE_SIZE)),
        orders=ORDERS,
        review_words=REVIEWS,
    )


def _with_main(row: RunRow | None) -> tuple[RunRow, Figure] | None:
    main = main_figure(figures_of(row)) if row is not None else None
    return (row, main) if row is not None and main is not None else None


def _reach(against: Mapping[str, Against] | None, drawn: Sequence[Figure]) -> float:
    """Half of the axis on which the differences are drawn: a round number that encloses all of their intervals."""
    names = {item.name for item in drawn}
    ends = [
        abs(end)
        for name, item in (against or {}).items()
        for end in (item.difference.low, item.difference.high, item.difference.mean)
        if end is not None and item.kind != "quantity" and name in names
    ]
    largest = max(ends, default=0.0)
    return next((step for step in (0.05, 0.1, 0.2, 0.5) if largest <= step), 1.0)


def _telling(filters: Filters, lines: Sequence[Line], main: Figure | None) -> list[Figure]:
    """The columns that somebody chose; else the usual ones, without those that say the same in every row, or in every
    row what the sign of the verdict or a column before them says. A rate of all cases is 0 where the verdict is not
    given yet, which is no news either."""
    if filters.value("col") or len(lines) < 2:
        return list(filters.columns)
    seen: set[tuple[float | None, ...]] = set()
    if main is not None and main.kind == "rate":
        own = _values(main, lines)
        seen = {own, tuple(value or 0.0 for value in own)}
    found = []
    for item in filters.columns:
        own = _values(item, lines)
        if (len(set(own)) > 1 and own not in seen) or filters.query.sort == item.index:
            found.append(item)
        seen.add(own)
    return found


def _values(item: Figure, lines: Sequence[Line]) -> tuple[float | None, ...]:
    return tuple(line.figures[item.index] if item.index < len(line.figures) else None for line in lines)


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


def by_tag(counts: Sequence[TagCount]) -> dict[str, int]:
    """Every tag with its number of cases."""
    found: dict[str, int] = {}
    for item in counts:
        for tag in set(item.tags):
            found[tag] = found.get(tag, 0) + item.cases
    return dict(sorted(found.items()))


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
