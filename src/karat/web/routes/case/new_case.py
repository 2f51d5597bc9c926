"""A new case from one that is there: as it would be in a case file, to copy or to save."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from karat.core.case_files.case_file import CaseFile, case_file
from karat.core.json_types import JsonMapping
from karat.store import RunRow, run_name
from karat.web.lookup import find_case, find_row, scoring_of
from karat.web.page import Viewer, viewer_of
from karat.web.run_page.figures import figures_of
from karat.web.search.filters import read_filters
from karat.web.search.search import with_answers

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run}/cases/{position}/new")
def new_case_page(request: Request, run: str, position: int, id: str = "") -> Response:
    """The case under a new id, ready for the case file."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    new_id = id.strip()[:200] or f"{case.id}_2"
    return viewer.page(
        request,
        "new_case.html",
        run=row,
        base=f"/runs/{run_name(row.id)}",
        case=case,
        position=position,
        new_id=new_id,
        found=_new(viewer, row, case.id, new_id),
        kept=viewer.store.case(row.id, case.id) is not None,
    )


@router.get("/export/{run}/cases/{position}/new")
def new_case_file(request: Request, run: str, position: int, id: str = "") -> Response:
    """The same as a file."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    found = _new(viewer, row, case.id, id.strip()[:200] or f"{case.id}_2")
    if found is None:
        raise HTTPException(404, "The cases of this suite are not separate entries of a text file.")
    return _saved(found, f"{run_name(row.id)}-{position}-new")


@router.get("/export/{run}/cases/{position}/case.json")
def whole_case(request: Request, run: str, position: int) -> Response:
    """The case as the run kept it and as it was scored, with nothing cut."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    case = find_case(viewer, row, position)
    stored = viewer.store.case(row.id, case.id)
    text = msgspec.json.encode({"case": msgspec.Raw(stored or b"null"), "result": _plain(case)})
    name = f"{run_name(row.id)}-{position}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(msgspec.json.format(text, indent=2), media_type="application/json", headers=headers)


@router.get("/export/{run}/cases")
def listed_cases(request: Request, run: str) -> Response:
    """The cases of a filtered list as one case file: a set of its own."""
    viewer = viewer_of(request)
    row = find_row(viewer, run)
    query = with_answers(viewer, row, read_filters(request.query_params, figures_of(row)).query)
    wanted = viewer.viewing.case_order(row.id, scoring_of(row), query)
    places = {place: case for case, place in viewer.viewing.places(scoring_of(row)).items()}
    stored = {case["id"]: case for case in map(msgspec.json.decode, viewer.store.cases(row.id))}
    cases = [stored[places[place]] for place in wanted if places[place] in stored]
    found = case_file(row.suite, cases)
    if found is None:
        raise HTTPException(404, "These cases cannot be written as one case file of their suite.")
    return _saved(found, f"{run_name(row.id)}-cases")


def _new(viewer: Viewer, row: RunRow, case_id: str, new_id: str) -> CaseFile | None:
    stored = viewer.store.case(row.id, case_id)
    if stored is None:
        return None
    decoded: JsonMapping = msgspec.json.decode(stored)
    return case_file(row.suite, [{**decoded, "id": new_id}])


def _plain(case: object) -> msgspec.Raw:
    from karat.store.codec import to_json

    return msgspec.Raw(to_json(case))


def _saved(found: CaseFile, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}.{found.ending}"'}
    return Response(found.text.encode("utf-8", "replace"), media_type="text/plain; charset=utf-8", headers=headers)
