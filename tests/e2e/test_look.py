"""Every page of the viewer, for each suite, wide and on a phone, light and dark: nothing is wider than the screen, axe
finds nothing, the console is silent, and nothing is asked of another host.

One server and one browser serve all of it: a page is loaded once and looked at in each size and colour. With
``KARAT_LOOK=folder`` each is saved as a picture.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec
import pytest

from tests.e2e import browser
from tests.web.conftest import served
from tests.web.four_suites import SUITES, Pair, build
from tests.web.staged_run import add_staged

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

chromium = browser.chromium

PAGES = {
    "run": "/runs/{run}?baseline={base}",
    "run filtered": "/runs/{run}?q=e&sort=-latency&baseline={base}",
    "case": "/runs/{run}/cases/{wrong}",
    "new case": "/runs/{run}/cases/{wrong}/new",
    "report": "/runs/{run}/report",
    "compare": "/compare?a={base}&b={run}",
    "history": "/cases/{suite}?id={wrong_id}",
    "matrix": "/compare?runs={base},{run},{third}",
    "review": "/review?run={run}",
    "agreement": "/review/agreement?run={run}",
    "calibration": "/review/calibration?run={run}",
    "live": "/runs/{live}?baseline={base}",
}
"""Pages that each suite has; a page of a suite is added here."""
OTHERS = {
    "runs": "/?baseline=r-0001",
    "runs by date": "/?by=date",
    "compare what": "/compare",
    "tune what": "/tune",
    "tune": "/tune?run={run}",
    "tune at a budget": "/tune?run={run}&budget=30",
    "no such page": "/nothing",
    "run with what was confused": "/runs/{staged}",
}
"""Pages that are the same for all suites, or that one suite has."""
STATUS = {"no-such-page": 404}
"""Of a page that is not to be found."""
WIDTHS = (1440, 390)
FURTHER_WIDTHS = (1920, 1024, 768, 320)
"""Where only the overflow is measured."""
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
"""What can differ between light and dark."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
TOO_WIDE = """() => [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).slice(0, 3)
    .map((one) => one.outerHTML.slice(0, 120))"""


class Viewer(msgspec.Struct, frozen=True):
    """A viewer that is served, and the runs in it."""

    address: str
    pairs: dict[str, Pair]
    staged: str


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    url, pairs = build(tmp_path_factory.mktemp("look"))
    staged = add_staged(url, 4)
    with served(url) as address:
        yield Viewer(address, pairs, staged)


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    with chromium.new_context(viewport={"width": WIDTHS[0], "height": 900}, reduced_motion="reduce") as context:
        yield context.new_page()


def looked_at(page: Page, viewer: Viewer, path: str, name: str) -> list[str]:
    """Everything that is wrong with a page, in each width and colour."""
    found: list[str] = []

    def said(message: object) -> None:
        text = getattr(message, "text", str(message))
        if name not in STATUS or "status of 404" not in text:  # what the browser says of a page that is not there
            found.append(f"console: {text}")

    def asked(request: object) -> None:
        url = str(getattr(request, "url", ""))
        if not url.startswith((viewer.address, "data:", "blob:")):
            found.append(f"request: {url}")

    page.on("console", said)
    page.on("pageerror", said)
    page.on("request", asked)
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    page.emulate_media(color_scheme="light")
    answer = page.goto(viewer.address + path)
    if answer is None or answer.status != STATUS.get(name, 200):
        found.append(f"status: {answer and answer.status}")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            where = f"{width} px, {scheme}"
            if page.evaluate(OVERFLOW) > 0:
                found.append(f"{where}: wider than the screen: {page.evaluate(TOO_WIDE)}")
            wrong = browser.violations(page, CONTRAST if scheme == "dark" else None)
            found += [f"{where}: {v['id']}: {[node['html'][:160] for node in v['nodes'][:2]]}" for v in wrong]
            if folder := os.environ.get("KARAT_LOOK"):
                page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    for width in FURTHER_WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate(OVERFLOW) > 0:
            found.append(f"{width} px: wider than the screen: {page.evaluate(TOO_WIDE)}")
    page.remove_listener("console", said)
    page.remove_listener("pageerror", said)
    page.remove_listener("request", asked)
    return found


def address(pattern: str, viewer: Viewer, suite: str) -> str:
    """A page's address for the runs of a suite."""
    fields = msgspec.structs.asdict(viewer.pairs[suite])
    fields |= {"wrong_id": quote(fields["wrong_id"]), "suite": suite, "staged": viewer.staged}
    return pattern.format(**fields)


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_a_suite(page: Page, viewer: Viewer, name: str, suite: str) -> None:
    path = address(PAGES[name], viewer, suite)
    assert looked_at(page, viewer, path, f"{name}-{suite}".replace(" ", "-")) == []


@pytest.mark.parametrize("name", OTHERS)
def test_a_page_for_all_suites(page: Page, viewer: Viewer, name: str) -> None:
    path = address(OTHERS[name], viewer, "retrieval")
    assert looked_at(page, viewer, path, name.replace(" ", "-")) == []
