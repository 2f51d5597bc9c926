"""Hostile text in the fields of all four suites, on the pages of a case: it is shown, and does nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from karat.store import open_store, run_name
from karat.web.app import create_app
from tests.web.conftest import HERE, chromium, page, served
from tests.web.hostile_runs import TURNING, build

__all__ = ["chromium", "page"]


@pytest.fixture(scope="module")
def hostile_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # results of queries are kept where the run is started
        return build(folder)


@pytest.fixture
def server(hostile_store: str) -> Iterator[str]:
    with served(hostile_store) as address:
        yield address


def addresses(store_url: str) -> list[str]:
    """Every case of every run, and the history of each."""
    found = []
    with open_store(store_url) as store:
        for row in store.runs(50):
            result = store.result(row.id)
            for position, case in enumerate(result.cases):
                found.append(f"/runs/{run_name(row.id)}/cases/{position}")
                found.append(f"/cases/{row.suite}?id={quote(case.id)}")
    return found


def test_no_text_becomes_markup(hostile_store: str) -> None:
    with TestClient(create_app(hostile_store), base_url=HERE) as client:
        asked = addresses(hostile_store)
        assert len(asked) > 100
        for address in asked:
            answer = client.get(address)
            assert answer.status_code == 200, address
            text = answer.text
            for act in (
                "<script>window",
                "<img src=x",
                "<svg onload",
                "' onmouseover='window",
                "</div></div></div></div></div></div></div>",
            ):
                assert act not in text, (address, act)
            shown = re.sub(r'<input type="hidden"[^>]*>', "", text)  # an id that a form sends back as it is
            assert not set(TURNING) & set(shown), "what turns the direction of reading is written out"
            assert "\x1b" not in shown and "\x07" not in shown
            assert " style=" not in text.split("<main")[1].split("</main>")[0].replace("&#39;", "").replace("&#34;", "")
            assert "/karat.db" not in text and str(Path(hostile_store.removeprefix("sqlite:///")).parent) not in text


def test_each_form_is_really_shown(hostile_store: str) -> None:
    with TestClient(create_app(hostile_store), base_url=HERE) as client:
        pages = [client.get(address).text for address in addresses(hostile_store)]
    shown = (
        'class="term extra"',
        'class="t cells cards"',
        '<mark class="m">',
        'class="lost"',
        'class="l bad"',
        "tool call<",
        "Two results",
        "boxed is-wrong",
    )
    assert [form for form in shown if not any(form in text for text in pages)] == []


def test_nothing_runs_and_nothing_is_wider_than_a_phone(page: Page, hostile_store: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for address in addresses(hostile_store)[::3]:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("window.hit") is None, address
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, (address, wide)
