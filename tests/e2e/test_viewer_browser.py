"""The viewer's journeys in a real Chromium. A console error or a request to another host fails any of them."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from karat.core.result import RunInfo, RunResult
from karat.store import open_store
from tests.web.conftest import chromium, page, server, store_url  # noqa: F401
from tests.web.sample_store import PAYLOADS, a_case, summary_of


def arrived(page: Page, address: str) -> None:  # noqa: F811
    """The page is there with its script, so that a key is heard."""
    page.wait_for_url(re.compile(address), wait_until="load")


def test_from_the_runs_to_a_case_and_back(page: Page) -> None:  # noqa: F811
    page.goto("/")
    page.get_by_role("link", name="r-0001", exact=True).last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("r-0001")
    page.get_by_label("Search").fill("number 17")
    page.get_by_label("Search").press("Enter")
    expect(page.get_by_role("status")).to_have_text("1–1 of 1")
    assert "q=number" in page.url and "status=" not in page.url
    page.get_by_role("link", name="case_017").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Case 17")
    expect(page.locator(".term.missing")).to_contain_text("GHA")
    expect(page.locator(".line.extra").first).to_contain_text("FRA")
    page.go_back()
    expect(page.get_by_role("status")).to_have_text("1–1 of 1")


def test_the_keyboard_goes_through_the_filtered_list(page: Page) -> None:  # noqa: F811
    page.goto("/runs/r-0001?tag=weo")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    arrived(page, r"/cases/2\?tag=weo")
    page.keyboard.press("j")
    arrived(page, r"/cases/4\?tag=weo")
    page.keyboard.press("ArrowLeft")
    arrived(page, r"/cases/2\?tag=weo")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    arrived(page, r"/runs/r-0001\?tag=weo")
    page.keyboard.press("/")
    expect(page.get_by_label("Search")).to_be_focused()


def test_a_filter_applies_at_once_and_a_chip_takes_it_off(page: Page) -> None:  # noqa: F811
    page.goto("/runs/r-0001")
    page.locator("select[name=status]").select_option("error")
    expect(page.get_by_role("status")).to_have_text("1–2 of 2")
    page.get_by_label("Take off error").click()
    expect(page.get_by_role("status")).to_have_text("1–50 of 60")
    page.get_by_role("link", name="Next →").click()
    expect(page.get_by_role("status")).to_have_text("51–60 of 60")


def test_the_review_queue_by_keyboard(page: Page) -> None:  # noqa: F811
    page.goto("/runs/r-0001")
    page.get_by_role("link", name="Review queue").click()
    expect(page.get_by_role("status")).to_have_text("1–6 of 6")
    page.get_by_role("link", name="case_001").click()
    page.get_by_label("Who").fill("Ada")
    page.get_by_label("Why").fill("the map says so")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("1")
    arrived(page, r"/cases/3\?review=open")
    expect(page.get_by_label("Who")).to_have_value("Ada")
    page.keyboard.press("4")
    arrived(page, r"/cases/5\?review=open")
    page.goto("/runs/r-0001")
    expect(page.locator(".reviewed")).to_contain_text("0.534")  # 29 + 2 of 58
    page.goto("/runs/r-0001/cases/1")
    expect(page.get_by_text("the map says so")).to_be_visible()
    page.keyboard.press("0")
    expect(page.get_by_text("Take it back")).to_have_count(0)
    page.goto("/runs/r-0001")
    expect(page.locator(".reviewed")).to_contain_text("0.517")


def test_two_runs_side_by_side(page: Page) -> None:  # noqa: F811
    page.goto("/runs/r-0002")
    page.get_by_label("Compare with").select_option("r-0001")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("r-0001 → r-0002")
    page.locator(".chip", has_text="worse").click()
    expect(page.locator("article.change").first).to_contain_text("worse")
    page.locator("article.change").first.get_by_role("link", name="r-0002").click()
    arrived(page, r"/runs/r-0002/cases/\d+")


def test_a_running_run_moves_by_itself(page: Page, store_url: str) -> None:  # noqa: F811
    page.goto("/runs/r-0003")
    expect(page.locator("[data-answered]")).to_have_text("40")
    expect(page.get_by_text("no answer within 120 s")).to_be_visible()
    with open_store(store_url) as store:
        from karat.core.records import Prediction

        store.add_predictions(3, [Prediction(f"c{n}", response=b"x") for n in range(40, 60)])
        expect(page.locator("[data-answered]")).to_have_text("60")
        cases = [a_case(n, True, 1.0) for n in range(3)]
        store.add_scoring(3, RunResult(RunInfo("data_query", cases=3), summary_of(cases), tuple(cases)))
        store.set_status(3, "finished")
    expect(page.get_by_role("heading", name="Cases")).to_be_visible()


def test_files_are_saved(page: Page) -> None:  # noqa: F811
    page.goto("/runs/r-0001")
    for name, file in (("Excel", "r-0001.xlsx"), ("JSON", "r-0001.json"), ("Reviews", "r-0001-reviews.jsonl")):
        with page.expect_download() as saved:
            page.get_by_role("link", name=name, exact=True).click()
        assert saved.value.suggested_filename == file


def test_payloads_do_nothing(page: Page) -> None:  # noqa: F811
    addresses = ["/", "/runs/r-0004", "/compare?a=r-0001&b=r-0004"]
    addresses += [f"/runs/r-0004/cases/{number}" for number in range(len(PAYLOADS))]
    for address in addresses:
        page.goto(address)
        for summary in page.locator("summary").all():
            summary.click()
        assert page.evaluate("window.hit") is None, address
    page.goto("/runs/r-0004/cases/0")
    page.get_by_label("Who").fill(PAYLOADS[0])
    page.get_by_label("Why").fill(PAYLOADS[1])
    page.get_by_role("button", name="Accept this too").click()
    expect(page.locator("p.text").last).to_contain_text("<img")
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, scheme: str) -> None:  # noqa: F811
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    found = []
    for address in (
        "/",
        "/runs/r-0001",
        "/runs/r-0001/cases/1",
        "/runs/r-0003",
        "/compare?a=r-0001&b=r-0002",
        "/compare",
    ):
        page.goto(address)
        found += [
            (address, item["id"], item["nodes"][0]["html"][:200])
            for item in Axe().run(page).response["violations"]
            if item["impact"] in ("serious", "critical")
        ]
    assert found == []
