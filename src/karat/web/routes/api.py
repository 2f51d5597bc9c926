"""The JSON API: what the pages show, for scripts. Its description is at ``/api/openapi.json``."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Query, Request
from starlette.responses import Response

from karat.core.json_types import JsonObject
from karat.reports.compare.comparison import as_plain
from karat.store import RunRow, run_name
from karat.store.codec import to_json
from karat.store.verdicts.reviews import WORDS, Review
from karat.web.api_models import AgainstOut, CaseList, CaseOut, ProgressOut, ReviewOut, RunList, RunOut
from karat.web.compare.baseline import baselines
from karat.web.compare.baseline_diff import Against, differences
from karat.web.live.live_run import as_json, live_view
from karat.web.lookup import find_case, find_row, scoring_of
from karat.web.page import viewer_of
from karat.web.review.review_panel import is_blind, review_panel, seen_in
from karat.web.routes.compare import compared
from karat.web.run_page.figures import figures_of
from karat.web.search.filters import read_filters
from karat.web.search.search import with_answers
from karat.web.security.forms import checked_form

router = APIRouter(prefix="/api", tags=["karat"])

Form = Annotated[dict[str, str], Depends(checked_form)]


@router.get("/runs", response_model=RunList, summary="The newest runs")
def list_runs(request: Request, limit: Annotated[int, Query(ge=1, le=1000)] = 50, suite: str = "") -> Response:
    """The newest runs first, with the figures of each one's newest scoring."""
    return _json({"runs": [_run(row) for row in viewer_of(request).store.runs(limit, suite or None)]})


@router.get("/runs/{run}", response_model=RunOut, summary="One run")
def one_run(request: Request, run: str) -> Response:
    """A run with its figures."""
    return _json(_run(find_row(viewer_of(request), run)))


@router.get("/runs/{run}/progress", response_model=ProgressOut, summary="Progress of a run")
def progress(
    request: Request,
    run: str,
    baseline: Annotated[str, Query(description="a run to compare with; the pinned one by default")] = "",
) -> Response:
    """Answers and errors so far, the first failures, and the figures over the cases that were scored so far. When the
    run is finished, its scoring has the figures."""
    del baseline  # read from the address, as the pages do
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    found = live_view(viewer, row, baselines(viewer, request).get(row.suite))
    return _json({"scored": row.scoring is not None, **msgspec.structs.asdict(found.progress), **as_json(found)})


@router.get("/runs/{run}/cases", response_model=CaseList, summary="A page of a run's cases")
def list_cases(
    request: Request,
    run: str,
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=1000)] = 50,
    q: Annotated[str, Query(description="words to find in id, name, question, tags, reasons or answers")] = "",
    status: Annotated[str, Query(description="scored, error, missing or not_applicable")] = "",
    tag: str = "",
    review: Annotated[str, Query(description="open, wanted, done, disputed, or a verdict")] = "",
    reason: Annotated[str, Query(description="exactly this reason, as in the list of cases")] = "",
    group: Annotated[str, Query(description="only cases of this failure group, by its key")] = "",
    against: Annotated[str, Query(description="the run that the failure groups were compared with")] = "",
    set: Annotated[str, Query(description="only cases of this set")] = "",
    metric: Annotated[str, Query(description="only cases with a value of this metric")] = "",
    min: Annotated[str, Query(description="at least this value of the metric")] = "",
    max: Annotated[str, Query(description="at most this value of the metric")] = "",
    sort: Annotated[
        str, Query(description="position, case_id, status, reason or a metric; - before it: descending")
    ] = "",
) -> Response:
    """Filtered and sorted as on the run's page; the parameters are the same."""
    del (
        q,
        status,
        tag,
        review,
        reason,
        group,
        against,
        set,
        metric,
        min,
        max,
        sort,
    )  # read from the address below, as the pages do
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    figures = figures_of(row)
    filters = read_filters(request.query_params, figures)
    query = with_answers(viewer, row, filters.query)
    count, lines = viewer.viewing.case_page(row.id, scoring_of(row), query, (page - 1) * size, size)
    names = [item.name for item in figures]
    plain = [
        {**msgspec.structs.asdict(line), "figures": dict(zip(names, line.figures, strict=False))} for line in lines
    ]
    return _json({"total": count, "page": page, "size": size, "cases": plain})


@router.get("/runs/{run}/cases/{position}", response_model=CaseOut, summary="One case")
def one_case(request: Request, run: str, position: int) -> Response:
    """A case with its scores, details and reviews."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    panel = review_panel(viewer, request, row, case.id, blind=is_blind(request))
    history = [_review(item) for item in panel.history]
    return _json({"position": position, "result": case, "reviews": history})


@router.post("/runs/{run}/cases/{position}/review", response_model=ReviewOut, summary="Give a verdict")
def review(request: Request, run: str, position: int, form: Form) -> Response:
    """A form with ``verdict``, ``reviewer`` and ``comment``; ``adjudicate=1`` settles the case for everybody. With
    ``seen``, the newest verdict on the case that the sender knows (0: none), a verdict that does not know a newer one
    is refused (409). Needs the page's form token, or the server's token as a bearer."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    if form.get("verdict") not in WORDS:
        raise HTTPException(422, f"A verdict is one of {', '.join(WORDS)}.")
    viewer.store.add_review(
        row.id,
        case.id,
        form["verdict"],
        reviewer=form.get("reviewer", "")[:200],
        comment=form.get("comment", "")[:10_000],
        adjudication=form.get("adjudicate") == "1",
        seen=seen_in(form),
    )
    return _json(_review(viewer.store.review_history(row.id, case.id)[0]))


@router.get("/runs/{run}/against/{baseline}", response_model=AgainstOut, summary="A run against a baseline")
def against(request: Request, run: str, baseline: str) -> Response:
    """The difference of each headline figure, paired on the case, with its 95 % interval. Quick, as no case is
    opened."""
    viewer = viewer_of(request)
    row, base = find_row(viewer, run), find_row(viewer, baseline)
    found = differences(viewer, row, base)
    plain = [{**msgspec.structs.asdict(item.difference), **_said(item)} for item in found.values()]
    return _json({"run": run_name(row.id), "baseline": run_name(base.id), "figures": plain})


@router.get("/compare", response_model=JsonObject, summary="Two runs compared")
def compare(request: Request, a: str, b: str) -> Response:
    """b against a, paired on the case, with intervals and adjusted p-values."""
    viewer = viewer_of(request)
    return _json(as_plain([compared(viewer, find_row(viewer, a), find_row(viewer, b))]))


def _said(item: Against) -> JsonObject:
    return {"metric": item.metric, "title": item.title, "outcome": item.outcome, "text": item.text}


def _run(row: RunRow) -> JsonObject:
    return {**msgspec.structs.asdict(row), "id": run_name(row.id)}


def _review(item: Review) -> JsonObject:
    return {**msgspec.structs.asdict(item), "run_id": run_name(item.run_id)}


def _json(value: object) -> Response:
    return Response(to_json(value), media_type="application/json")
