"""The pages of a case in a real browser: rows that fold, keys, two runs side by side, and all of it without script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import karat
from tests.e2e.browser import violations
from tests.web.conftest import chromium, page, served

__all__ = ["chromium", "page"]

GOLD = "k,v\n" + "".join(f"k{row},{row}\n" for row in range(12))


@pytest.fixture(scope="module")
def store_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two runs of one table: a cell differs, then none does."""
    folder = tmp_path_factory.mktemp("case_pages")
    (folder / "gold.csv").write_text(GOLD)
    rule = {"func": "table_match", "parameters": {"gold": "gold.csv", "ignore_order": True}}
    case = {"instance_id": "t", "instruction": "Which?", "type": "table", "evaluation": rule}
    (folder / "t").mkdir()
    for number, text in enumerate((GOLD.replace("k6,6", "k6,66"), GOLD)):
        (folder / "t" / f"given{number}.csv").write_text(text)
        answer = {"instance_id": "t", "answer_type": "file", "answer_or_path": f"given{number}.csv"}
        store = f"sqlite:///{folder}/karat.db"
        karat.run(suite="answers", cases=[case], predictions=[answer], folder=folder, store=store)
    return f"sqlite:///{folder}/karat.db"


@pytest.fixture
def server(store_url: str) -> Iterator[str]:
    with served(store_url) as address:
        yield address


def test_equal_rows_fold_by_mouse_and_by_keyboard(page: Page) -> None:
    page.goto("/runs/r-0001/cases/0")
    fold = page.get_by_role("button", name="6 equal rows")
    rows = page.locator("tbody[data-folded]").first
    expect(rows).to_be_hidden()
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(rows).to_be_visible()
    expect(rows).to_contain_text("k5")
    fold.press("Enter")
    expect(rows).to_be_hidden()
    expect(page.locator("td.bad")).to_have_text(["✗ 66"])


def test_from_a_case_to_its_history_and_back_by_key(page: Page) -> None:
    page.goto("/runs/r-0001/cases/0")
    page.get_by_role("link", name="history").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Right in r-0002; right in 1 of the 2 runs so far")
    page.get_by_label("left").select_option("r-0002")
    page.wait_for_url("**a=r-0002**", wait_until="load")
    expect(page.get_by_label("left")).to_have_value("r-0002")
    page.keyboard.press("u")
    page.wait_for_url("**/runs/r-0002/cases/0", wait_until="load")
    expect(page.get_by_role("heading", level=1)).to_have_text("Right: the answer holds what gold holds")


def test_without_a_script_nothing_is_hidden(chromium: Browser, server: str) -> None:
    with chromium.new_context(base_url=server, java_script_enabled=False) as context:
        plain = context.new_page()
        plain.goto("/runs/r-0001/cases/0")
        expect(plain.locator("tbody[data-folded]").first).to_be_visible()
        plain.goto("/cases/answers?id=t")
        expect(plain.get_by_role("button", name="Show", exact=True)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    found = []
    for address in ("/runs/r-0001/cases/0", "/runs/r-0002/cases/0?baseline=r-0001", "/cases/answers?id=t"):
        page.goto(address)
        found += [(address, item["id"]) for item in violations(page)]
    assert found == []
