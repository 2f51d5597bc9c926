"""From what is in an address to a run or a case; what is not there is a page that says so."""

from __future__ import annotations

from fastapi import HTTPException

from karat.core.problems import UserError
from karat.core.results.result import CaseResult
from karat.store import RunRow, parse_run
from karat.store.records import MAX_ID
from karat.web.page import Viewer


def run_number(text: str) -> int | None:
    """The number in ``r-0012``; None for what names no run."""
    try:
        return parse_run(text)
    except UserError:
        return None


def find_row(viewer: Viewer, run: str) -> RunRow:
    """The run of an address."""
    number = run_number(run)
    if number is None:
        raise HTTPException(404, "This is not the name of a run. Run names look like r-0012.")
    return viewer.store.run_row(number)


def scoring_of(row: RunRow) -> int:
    """The run's newest scoring. A run that was never scored has no cases to show."""
    if row.scoring is None:
        raise HTTPException(404, "This run has no scores yet.")
    return row.scoring


def find_case(viewer: Viewer, row: RunRow, position: int) -> CaseResult:
    """The case at a position of the run's newest scoring."""
    found = viewer.store.case_result(scoring_of(row), position) if 0 <= position <= MAX_ID else None
    if found is None:
        raise HTTPException(404, "This run has no such case.")
    return found
