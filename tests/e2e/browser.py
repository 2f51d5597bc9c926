"""A real Chromium, Debian's, for the tests of pages. A test module has the fixture by ``chromium =
browser.chromium``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


TIMEOUT = 60_000
"""Milliseconds for one step of a page, and for what is expected after it: only what never comes takes so long, and a
busy machine may be slow."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser; without one the tests are skipped and say what to install."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make setup")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium here: apt-get install chromium")
    playwright.expect.set_options(timeout=TIMEOUT)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program)
        yield browser
        browser.close()


class Watched:
    """What a page did while it was open: what it wrote to the console, and whom it asked for something."""

    def __init__(self, page: Page) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")


@contextmanager
def opened(browser: Browser, address: str, **context: Any) -> Iterator[tuple[Page, Watched]]:
    """A page at this address in a fresh context of the browser, with a record of what it does."""
    with browser.new_context(**context) as fresh:
        page = fresh.new_page()
        page.set_default_timeout(TIMEOUT)
        watched = Watched(page)
        page.goto(address)
        yield page, watched


def violations(page: Page, options: dict[str, Any] | None = None) -> list[Any]:
    """What axe holds against the page as it stands. Its script goes into a document once, and only what is wrong comes
    back."""
    if not page.evaluate("'axe' in window"):
        from axe_playwright_python.base import AXE_SCRIPT

        page.evaluate(AXE_SCRIPT)
    asked = json.dumps({"resultTypes": ["violations"], "preload": False, **(options or {})})
    found: list[Any] = page.evaluate(f"axe.run({asked}).then((all) => all.violations)")
    return found


def serious_findings(page: Page) -> list[str]:
    """What axe holds against the page as it stands, as far as it is serious or critical."""
    return [
        f"{item['id']}: {item['help']}: {[node['html'][:200] for node in item['nodes'][:3]]}"
        for item in violations(page)
        if item["impact"] in ("serious", "critical")
    ]
