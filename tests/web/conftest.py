"""A viewer to ask: as an application in the same process, and as a real server with a real browser."""

from __future__ import annotations

import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from karat.web.app import create_app
from tests.e2e.browser import TIMEOUT
from tests.web.sample_store import build

Middleware = Callable[[Request, RequestResponseEndpoint], Awaitable[Response]]

HERE = "http://127.0.0.1:8765"


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    """A store with four runs."""
    return build(tmp_path)


@pytest.fixture
def client(store_url: str) -> Iterator[TestClient]:
    """A viewer without a server."""
    with TestClient(create_app(store_url), base_url=HERE, raise_server_exceptions=False) as found:
        yield found


def arrived(page: Page, address: str) -> None:
    """Wait for the page at an address (a pattern, without what follows #) and its script: a click is answered by the
    browser before the next page is there, and until then neither its elements nor its keys are."""
    page.wait_for_url(lambda url: re.search(address, url.partition("#")[0]) is not None, wait_until="load")


def posted(page: Page, name: str) -> None:
    """Press a button that posts a form, and wait for the page that it leads to: going elsewhere before that would
    cancel it, and what is read before that is read of the old page, or of none."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()


@contextmanager
def served(store_url: str, before: Middleware | None = None) -> Iterator[str]:
    """A viewer on a free port, with something that each request goes through; its address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = create_app(store_url, port=port)
    if before is not None:
        app.add_middleware(BaseHTTPMiddleware, dispatch=before)
    config = uvicorn.Config(app, log_level="warning", access_log=False, ws="none")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not running.started and time.monotonic() < deadline:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(10)


@pytest.fixture
def server(store_url: str) -> Iterator[str]:
    """A viewer on a free port; its address."""
    with served(store_url) as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; where there is none these tests are skipped, and say so."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("chromium is not installed")
    options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=options)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, server: str) -> Iterator[Page]:
    """A page that fails its test on a console error, a page error, or a request to another host."""
    context = chromium.new_context(base_url=server, viewport={"width": 1360, "height": 900})
    found = context.new_page()
    wrong: list[str] = []
    found.on(
        "console", lambda said: wrong.append(f"console: {said.text}") if said.type in ("error", "warning") else None
    )
    found.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    found.on("request", lambda sent: None if sent.url.startswith(server) else wrong.append(f"request: {sent.url}"))
    found.on("dialog", lambda shown: wrong.append(f"dialog: {shown.message}"))
    yield found
    context.close()
    assert wrong == []
