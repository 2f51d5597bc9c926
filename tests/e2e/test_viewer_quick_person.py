"""A person who is quicker than the page's script: what is chosen, clicked or typed on a page that can be seen
counts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response

from tests.web.conftest import chromium, served, server, store_url


@pytest.fixture
def slow_script(store_url: str) -> Iterator[str]:
    """A viewer whose script comes half a second after its page; its address."""

    async def late(request: Request, answer: RequestResponseEndpoint) -> Response:
        if request.url.path == "/static/karat.js":
            await asyncio.sleep(0.5)
        return await answer(request)

    with served(store_url, late) as address:
        yield address


def test_what_is_done_before_the_script_has_come_still_counts(chromium: Browser, slow_script: str) -> None:
    with chromium.new_context(base_url=slow_script) as context:
        page = context.new_page()
        page.goto("/runs/r-0001", wait_until="commit")
        page.locator("select[name=tag]").select_option("weo")
        expect(page.get_by_role("status")).to_have_text("1–29 of 29")
        page.goto("/runs/r-0001?page=2", wait_until="commit")
        page.locator("select[name=sort]").select_option("-macro_recall")
        page.wait_for_url(re.compile(r"/runs/r-0001\?sort=-macro_recall"), wait_until="commit")
        page.locator("select[name=review]").select_option("open")
        page.wait_for_url(re.compile(r"review=open&sort=-macro_recall"), wait_until="commit")
        page.goto("/", wait_until="commit")
        page.get_by_role("link", name="data_query 5").click()
        page.wait_for_url(re.compile(r"/\?suite=data_query$"), wait_until="commit")
        page.goto("/runs/r-0001/cases/3", wait_until="commit")
        page.get_by_role("button", name="Keys").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.goto("/runs/r-0001?tag=weo", wait_until="commit")
        expect(page.get_by_role("status")).to_be_visible()
        page.keyboard.press("j")
        expect(page.get_by_role("link", name="country number 0?")).to_be_focused()


def test_a_page_that_the_browser_kept_shows_what_it_lists(chromium: Browser, server: str) -> None:
    with chromium.new_context(base_url=server) as context:
        page = context.new_page()
        page.goto("/runs/r-0001")
        page.evaluate(
            """() => {
                document.querySelector("select[name=tag]").value = "weo"; // as it was left, without a page load
                window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
            }"""
        )
        expect(page.locator("select[name=tag]")).to_have_value("")
        page.locator("select[name=tag]").select_option("weo")
        expect(page.get_by_role("status")).to_have_text("1–29 of 29")
