"""The pinned baseline of each suite: in the address (``?baseline=r-0001``), else in a cookie, so that it stays from
page to page.

The cookie holds run numbers alone. It belongs to one browser: two people may hold a run against different ones.
"""

from __future__ import annotations

import re

from fastapi import Request
from starlette.responses import Response

from karat.core.problems import UserError
from karat.store import RunRow
from karat.web.lookup import run_number
from karat.web.page import Viewer

MOST = 20
"""Suites with a baseline; the one that was pinned first goes first."""


def baselines(viewer: Viewer, request: Request) -> dict[str, RunRow]:
    """Suite → its baseline. A run that is gone, or not scored, is none."""
    named = run_number(request.query_params.get("baseline", "")) if "baseline" in request.query_params else None
    found: dict[str, RunRow] = {}
    for number in (*_pinned(viewer, request), *([named] if named else [])):
        try:
            row = viewer.store.run_row(number)
        except UserError:
            continue
        if row.scoring is not None:
            found[row.suite] = row
    return found


def pin(viewer: Viewer, request: Request, response: Response, row: RunRow) -> None:
    """Make a run the baseline of its suite."""
    others = [base.id for base in baselines(viewer, request).values() if base.suite != row.suite]
    _keep(viewer, response, [*others, row.id])


def unpin(viewer: Viewer, request: Request, response: Response, suite: str) -> None:
    """Leave a suite without a baseline."""
    _keep(viewer, response, [base.id for base in baselines(viewer, request).values() if base.suite != suite])


def _cookie(viewer: Viewer) -> str:
    return f"{viewer.sessions.cookie}_baselines"


def _pinned(viewer: Viewer, request: Request) -> list[int]:
    text = request.cookies.get(_cookie(viewer), "")
    return [int(number) for number in re.findall(r"[0-9]{1,18}", text)][-MOST:]


def _keep(viewer: Viewer, response: Response, numbers: list[int]) -> None:
    value = ".".join(str(number) for number in numbers[-MOST:])
    response.set_cookie(_cookie(viewer), value, max_age=31_536_000, httponly=True, samesite="strict", path="/")
