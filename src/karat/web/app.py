"""The application: the store, the routes, and what a mistake looks like."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from threading import Thread

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from karat.core.problems import UserError
from karat.core.struct_types import settle_types
from karat.judge.settings import JudgeSettings
from karat.store import Store, open_store
from karat.store.verdicts.reviews import StaleReview
from karat.web.live.resuming import Resuming
from karat.web.page import Viewer, warm, warm_suites
from karat.web.routes import ROUTERS
from karat.web.security.guard import HEADERS, Guard
from karat.web.security.host_names import host_list, is_loopback
from karat.web.security.sessions import SHORTEST_TOKEN, Sessions


def create_app(
    store: Store | str,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    allow_hosts: Sequence[str] = (),
    behind_proxy: bool = False,
    resuming: Resuming | None = None,
    project: str = "",
    judge: JudgeSettings | None = None,
) -> FastAPI:
    """The viewer of a store, open or by its URL; it is closed with the viewer. An address that others can reach needs a
    token. ``behind_proxy``: a proxy that sets ``X-Forwarded-Proto`` itself is in front. ``resuming``: how a run is
    resumed from its page, which only a viewer of this machine alone does. ``project`` is the name in the head of every
    page, and ``judge`` what the project says of its judge."""
    if token is None and not is_loopback(host):
        raise UserError(
            f"{host} can be reached by others, so the viewer needs a token there",
            hint="Put one into an environment variable and pass its name: --token-env KARAT_TOKEN.",
        )
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise UserError(
            f"the viewer's token is too short: it needs at least {SHORTEST_TOKEN} characters",
            hint="Create one: python -c 'import secrets; print(secrets.token_urlsafe())'",
        )
    opened = open_store(store, create=False) if isinstance(store, str) else store
    sessions = Sessions(port, token)

    @asynccontextmanager
    async def opened_and_closed(_: FastAPI) -> AsyncIterator[None]:
        settle_types()
        Thread(target=_warm, args=(opened,), daemon=True).start()
        yield
        opened.close()

    app = FastAPI(
        title="karat",
        version=version("karat"),
        summary="Runs, cases, comparisons and reviews of one store.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere
        redoc_url=None,
        lifespan=opened_and_closed,
    )
    app.state.viewer = Viewer(opened, sessions, resuming if is_loopback(host) else None, project, judge)
    for router in ROUTERS:
        app.include_router(router)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(UserError, _user_error)
    app.add_exception_handler(Exception, _bug)
    app.add_middleware(Guard, hosts=host_list(host, port, allow_hosts), sessions=sessions, behind_proxy=behind_proxy)
    return app


def _warm(store: Store) -> None:
    warm()
    with suppress(Exception):  # a store that is closed at once, or cannot be read: the first page says so
        warm_suites(store)


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (registered for it)
    text = "There is no such page." if error.status_code == 404 and error.detail == "Not Found" else str(error.detail)
    return _error_response(request, error.status_code, text)


def _unreadable(request: Request, error: Exception) -> Response:  # noqa: ARG001 (the framework's signature)
    return _error_response(request, 404, "There is no such page: part of its address cannot be read.")


def _user_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, UserError)  # noqa: S101 (registered for it)
    if isinstance(error, StaleReview):
        return _error_response(request, 409, error.message, error.hint)
    return _error_response(request, 404 if error.message.startswith("there is no ") else 400, error.message, error.hint)


def _bug(request: Request, error: Exception) -> Response:  # noqa: ARG001 (the framework's signature)
    response = _error_response(
        request, 500, "Something went wrong in the viewer.", "See the terminal where karat serve is running."
    )
    response.headers.update(HEADERS)  # this handler is outside the guard
    return response


def _error_response(request: Request, status: int, text: str, hint: str = "") -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": text, "hint": hint}, status)
    viewer: Viewer = request.app.state.viewer
    return viewer.page(request, "error.html", status, status=status, text=text, hint=hint)
