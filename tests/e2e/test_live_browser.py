"""A run that is watched, stopped and resumed in the browser, from its first answer to its last."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect
from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response

from karat.core.records import Prediction
from karat.store import open_store
from tests.e2e.test_killed import project, start
from tests.slow_server import Assistant, serving
from tests.web.conftest import chromium, served, store_url

__all__ = ["chromium", "store_url"]

CASES, FIRST = 40, 15


class Permitted(Assistant):
    """Answers as many questions as it has permits for; the others wait."""

    def __init__(self) -> None:
        super().__init__()
        self.permits = threading.Semaphore(FIRST)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        found = super().answer(request)
        self.permits.acquire(timeout=120)
        return found


PATIENCE = 60_000.0
"""Milliseconds that a busy machine may take."""


@contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """``karat serve`` in a project; its address."""
    command = [sys.executable, "-m", "karat", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = None
            while found is None and (line := process.stdout.readline()):
                found = re.search(r"http://\S+", line)
            assert found, "the viewer did not start"
            yield found[0]
        finally:
            process.terminate()


def watched(browser: Browser, address: str) -> Page:
    page = browser.new_page()
    page.goto(address)
    page.goto(f"{address.split('login')[0]}runs/r-0001")
    return page


def asking(folder: Path, assistant: Assistant) -> subprocess.Popen[str]:
    """A run that has as many answers as it is permitted."""
    project(folder, assistant, CASES)
    process = start(folder, "--name", "watched", "--grace", "0.5")
    while sum(assistant.calls.values()) <= FIRST and process.poll() is None:
        time.sleep(0.02)
    return process


def test_a_run_is_watched_stopped_and_resumed_from_its_page(tmp_path: Path, chromium: Browser) -> None:
    with serving(Permitted()) as assistant:
        assert isinstance(assistant, Permitted)
        process = asking(tmp_path, assistant)
        with viewer(tmp_path) as address, open_store(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as store:
            page = watched(chromium, address)
            said: list[str] = []
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            expect(page.locator("h1")).to_contain_text(f"watched: {FIRST} of {CASES} answered", timeout=PATIENCE)
            for _ in range(5):
                assistant.permits.release()
            expect(page.locator("h1")).to_contain_text(f"{FIRST + 5} of {CASES}", timeout=PATIENCE)  # by itself
            expect(page.get_by_role("heading", name="Figures so far")).to_be_visible(timeout=PATIENCE)
            page.get_by_role("button", name="Stop").click()
            expect(page.locator("h1")).to_contain_text("interrupted at", timeout=PATIENCE)
            assert process.wait(60) == 130, "as on Ctrl-C"
            assert store.run(1).status == "interrupted"
            answered = len(store.answered(1))
            for _ in range(2 * CASES):
                assistant.permits.release()
            assistant.calls.clear()
            page.get_by_role("button", name="Resume").click()
            expect(page).to_have_title(
                re.compile("^r-0001 watched · karat"), timeout=PATIENCE
            )  # the page of a scored run
            assert store.run(1).status == "finished"
            assert sum(assistant.calls.values()) == CASES - answered, "stored answers are not asked for again"
            assert store.result(1).status_counts() == {"scored": CASES}
            assert said == []
            page.close()


def test_the_page_works_without_a_script(tmp_path: Path, chromium: Browser) -> None:
    with serving(Permitted()) as assistant:
        process = asking(tmp_path, assistant)
        with served(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as address:
            context = chromium.new_context(java_script_enabled=False)
            page = context.new_page()
            page.goto(f"{address}/runs/r-0001")
            expect(page.locator("h1")).to_contain_text(f"of {CASES} answered")
            with page.expect_navigation():
                page.get_by_role("button", name="Stop").click()
            assert process.wait(60) == 130
            page.reload()
            expect(page.locator("h1")).to_contain_text("interrupted at")
            context.close()


def test_a_page_goes_on_after_the_viewer_was_away_for_a_moment(store_url: str, chromium: Browser) -> None:
    """Its figures are asked for again, and so is the page when only that could not be had."""
    refused = {"/api/runs/r-0003/progress": 1, "/runs/r-0003": 2}
    opened_once = False

    async def away(request: Request, answer: RequestResponseEndpoint) -> Response:
        path = request.url.path
        if opened_once and refused.get(path):
            refused[path] -= 1
            return Response("not now", status_code=503)
        return await answer(request)

    with served(store_url, away) as address, open_store(store_url) as store:
        page = chromium.new_page()
        page.goto(f"{address}/runs/r-0003")
        answered = page.get_by_role("progressbar", name="Answered")
        expect(answered).to_have_attribute("aria-valuenow", "40")
        opened_once = True
        store.add_predictions(3, [Prediction(f"c{n}", response=b"x") for n in range(40, 60)])
        expect(answered).to_have_attribute("aria-valuenow", "60")
        assert set(refused.values()) == {0}
        page.close()
