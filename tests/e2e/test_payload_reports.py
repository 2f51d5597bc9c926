"""Hostile text in all four suites, in run names, tags and reviews: on every other page, in the HTML report,
in Excel, in Markdown and on the terminal it is shown as text and does nothing."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec
import openpyxl
import pytest
from playwright.sync_api import Browser
from starlette.testclient import TestClient
from typer.testing import CliRunner

from karat.cli.main import app
from karat.store import open_store, run_name
from karat.web.app import create_app
from tests.e2e import browser
from tests.web.conftest import HERE, served
from tests.web.hostile_runs import TEXTS, TURNING, build

chromium = browser.chromium

FORMULAS = ('=HYPERLINK("http://evil.example/","x")', "@SUM(1+1)*cmd|' /C calc'!A0", "+1+1", "-2+3", "\t=1+1")
ACTS = ("<script>window", "<img src=x", "<svg onload", "' onmouseover='window")


@pytest.fixture(scope="module")
def store_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The hostile runs; a copy of the first that is under a hostile name, and reviews and tags of every run."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = build(folder)
    with open_store(found) as store:
        record, result = store.run(1), store.result(1)
        name = f"{TEXTS[1]} {FORMULAS[0]} {TEXTS[6]}"
        fresh = msgspec.structs.replace(record, id=0, name=name, system=TEXTS[0], created="", status="finished")
        copy = store.create_run(fresh)
        store.add_cases(copy, zip([case.id for case in result.cases], store.cases(1), strict=True))
        store.add_predictions(copy, store.predictions(1))
        store.add_scoring(copy, msgspec.structs.replace(result, cases=result.cases[1:]))
        for row in store.runs(50):
            store.tag_run(row.id, [TEXTS[2], FORMULAS[1]])
            ids = [case.id for case in store.result(row.id).cases[:2]]
            for place, case in enumerate(ids):
                store.add_review(row.id, case, "pass", reviewer=f"{TEXTS[0]}{TEXTS[6]}", comment=FORMULAS[0])
                store.add_review(row.id, case, "pass" if place else "fail", reviewer=FORMULAS[1], comment=TEXTS[1])
    return found


@pytest.fixture
def client(store_url: str) -> Iterator[TestClient]:
    with TestClient(create_app(store_url), base_url=HERE) as found:
        yield found


def runs(store_url: str) -> list[str]:
    with open_store(store_url) as store:
        return [run_name(row.id) for row in store.runs(50)]


def pages(store_url: str) -> list[str]:
    found = ["/", "/?by=date", "/compare", "/compare?a=r-0001&b=r-0002", "/compare?a=r-0001&b=r-0007"]
    found += ["/compare?runs=r-0001,r-0002,r-0007", "/compare?a=r-0007&b=r-0001&kind=answer"]
    for run in runs(store_url):
        own = f"/runs/{run}"
        found += [f"{own}?baseline=r-0001&q=e", f"{own}/report", f"/review?run={run}", f"/review/agreement?run={run}"]
        found += [f"{own}?review=disputed", f"/review?run={run}&blind=0"]
    return found


def test_no_page_has_markup_from_a_text(client: TestClient, store_url: str) -> None:
    for address in pages(store_url):
        answer = client.get(address)
        assert answer.status_code == 200, address
        text = answer.text.split("<body", 1)[1] if address.endswith("/report") else answer.text
        text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL) if address.endswith("/report") else text
        shown = re.sub(r'(<input type="hidden"|<option)[^>]*>', "", text)  # what a form sends back is as it is
        assert [act for act in ACTS if act in text] == [], address
        assert not set(TURNING) & set(shown), address
        assert "\x1b" not in shown and "\x07" not in shown, address


def test_nothing_runs_in_a_browser_and_nothing_overflows(chromium: Browser, store_url: str) -> None:
    with served(store_url) as server, chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        for address in pages(store_url):
            page.goto(server + address)
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert page.evaluate("window.hit") is None, address
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide == 0, (address, wide)


def test_workbooks_hold_no_formula_and_no_link(client: TestClient, store_url: str) -> None:
    files = [f"/export/{run}/run.xlsx" for run in runs(store_url)] + ["/export/compare.xlsx?a=r-0001&b=r-0007"]
    for address in files:
        data = client.get(address).content
        book: Any = openpyxl.load_workbook(io.BytesIO(data))
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        assert [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink] == [], address
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            names = parts.namelist()
            charts = "".join(parts.read(name).decode() for name in names if name.startswith("xl/charts/chart"))
        assert not [name for name in names if "externalLink" in name or "vba" in name.lower()]
        assert all("!$" in one for one in re.findall(r"<c:f>(.*?)</c:f>", charts)), "only cells of the book"


def test_markdown_and_html_files(client: TestClient, store_url: str) -> None:
    text = client.get("/export/compare.md?a=r-0001&b=r-0007").text
    assert not re.search(r"<(?!!--|/?(details|summary|br|b|sub|code)\b)[a-z]", text) and not set(TURNING) & set(text)
    assert "\x1b" not in text
    for address in ["/export/compare.html?a=r-0001&b=r-0007", *(f"/export/{run}/run.html" for run in runs(store_url))]:
        body = re.sub(r"<(script|style)\b.*?</\1>", "", client.get(address).text, flags=re.DOTALL)
        assert [act for act in ACTS if act in body] == [], address


def test_the_terminal_gets_no_control_character(store_url: str) -> None:
    asked = [["runs", "list"], ["compare", "r-0001", "r-0007"]]
    asked += [["runs", "show", run] for run in ("r-0001", "r-0003", "r-0005", "r-0006", "r-0007")]
    for arguments in asked:
        done = CliRunner().invoke(app, [*arguments, "--store", store_url], env={"NO_COLOR": "1", "TERM": "dumb"})
        assert done.exit_code in (0, 1), (arguments, done.output)
        assert not {character for character in done.output if ord(character) < 32} - {"\n", "\t"}, arguments
        assert not set(TURNING[:2]) & set(done.output), arguments
