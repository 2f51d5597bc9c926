"""Signing in, where the viewer has a token: by the printed link, once, or by the token itself."""

from __future__ import annotations

import math
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from karat.web.page import Viewer, viewer_of

router = APIRouter(include_in_schema=False)


@router.get("/login")
def login_page(request: Request, ticket: str = "") -> Response:
    """The link's ticket becomes a cookie and leaves the address; without one, a form for the token."""
    viewer = viewer_of(request)
    if not viewer.sessions.closed:
        return RedirectResponse("/", 303)
    attempts = viewer.sessions.attempts
    if ticket and (wait := attempts.wait(request.state.caller)):
        return _too_many(request, wait)
    if ticket and viewer.sessions.use_ticket(ticket):
        return _signed_in(viewer)
    if ticket:
        attempts.failed(request.state.caller)
    wrong = "This link was used before, or the viewer was restarted. Sign in with the token." if ticket else ""
    return viewer.page(request, "login.html", 403 if ticket else 200, wrong=wrong)


@router.post("/login")
async def login(request: Request) -> Response:
    """The token, from the form. Its origin was checked; there is no session yet that a form token could belong to."""
    viewer = viewer_of(request)
    fields = dict(parse_qsl((await request.body()).decode("utf-8", "replace"), max_num_fields=20))
    if wait := viewer.sessions.attempts.wait(request.state.caller):
        return _too_many(request, wait)
    if viewer.sessions.token_valid(fields.get("token", "")):
        return _signed_in(viewer)
    viewer.sessions.attempts.failed(request.state.caller)
    return viewer.page(request, "login.html", 403, wrong="This token is not valid.")


def _too_many(request: Request, wait: float) -> Response:
    """The form again, with how long to wait; the token was not looked at."""
    seconds = max(1, math.ceil(wait))
    told = f"Too many wrong tokens. Try again in {seconds} s."
    response = viewer_of(request).page(request, "login.html", 429, wrong=told)
    response.headers["Retry-After"] = str(seconds)
    return response


def _signed_in(viewer: Viewer) -> Response:
    response = RedirectResponse("/", 303)
    response.set_cookie(viewer.sessions.cookie, viewer.sessions.start(), httponly=True, samesite="strict")
    return response
