"""The page of a choice under a budget, for a sheet that was really tuned: with and without a script, whatever the texts
are."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.testclient import TestClient

import karat
from karat.core.plugins import load_suite
from karat.core.presentation.choice import Choice
from karat.reports.choice_page import choice_page
from karat.store import open_store
from karat.web.app import create_app
from tests.web.conftest import HERE, arrived, served
from tests.web.sample_store import PAYLOADS, build

EXAMPLE = Path(__file__).parents[2] / "examples" / "retrieval"


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with one run, whose settings were chosen for 30 tokens."""
    folder = tmp_path_factory.mktemp("tuned") / "shop"
    shutil.copytree(EXAMPLE, folder)
    store = f"sqlite:///{folder}/karat.db"
    karat.run(
        suite="retrieval",
        cases=folder / "shop.sheet",
        options={"budget_tokens": 30, "models": ["bm25", "wordllama"]},
        store=store,
    )
    return store


@pytest.fixture(scope="module")
def choice(tuned: str) -> Choice:
    with open_store(tuned) as store:
        found = load_suite("retrieval").choice(store.result(1))
    assert found is not None
    return found


@pytest.fixture
def tune(tuned: str) -> Iterator[TestClient]:
    with TestClient(create_app(tuned), base_url=HERE, raise_server_exceptions=False) as found:
        yield found


def test_the_choice_is_that_of_the_notes(choice: Choice, tuned: str) -> None:
    with open_store(tuned) as store:
        note = store.notes(1)["tuning"]
    assert (choice.passed, choice.of, choice.cost, choice.budget) == (note["passed"], 22, note["tokens"], 30)
    assert [(one.part, one.option, one.amount) for one in choice.settings] == [
        (one["field"], one["model"], one["n"]) for one in note["fields"]
    ]
    assert [point.cost for point in choice.front] == [point["tokens"] for point in note["pareto"]]
    failed = [row for row in choice.grid if row.passed is False]
    assert len(choice.grid) == 22 and len(failed) == 22 - choice.passed
    assert choice.grid[: len(failed)] == tuple(failed), "worst first"
    for row in choice.grid:
        for cell, own in zip(row.cells, choice.settings, strict=True):
            assert all(rank <= own.amount for rank in cell.found) and all(rank > own.amount for rank in cell.beyond)


def test_the_choice_at_any_budget_is_the_last_point_that_fits(choice: Choice) -> None:
    for budget in range(choice.known_to + 3):
        fitting = [point for point in choice.front if point.cost <= budget]
        expected = fitting[-1] if fitting and budget <= choice.known_to else None
        assert choice.at(budget) == expected
        page = choice_page(choice, budget)
        assert (page.picked.point if page.picked else None) == expected
        if expected is None:
            assert page.settings == () or budget == choice.budget
    assert "computed for budgets up to" in choice_page(choice, choice.known_to + 1).title
    assert choice_page(choice, 0).title == "Nothing fits into 0 tokens"
    assert choice_page(choice).title == f"{choice.passed} of 22 questions pass with {choice.cost} of 30 tokens"


def test_every_place_is_on_the_chart(choice: Choice) -> None:
    page = choice_page(choice)
    places = [dot.x for dot in page.dots] + [mark.x for row in page.rows for cell in row.cells for mark in cell.marks]
    assert all(0 <= place <= 100 for place in places)
    free = msgspec.structs.replace(choice, front=(msgspec.structs.replace(choice.front[0], cost=0),), cost=0, budget=0)
    assert choice_page(free).dots[0].x == 0, "what costs nothing is at the beginning"
    assert choice_page(msgspec.structs.replace(choice, front=(), curves=(), grid=())).path == ""


def test_the_page_without_a_script(tune: TestClient) -> None:
    text = tune.get("/tune?run=r-0001").text
    assert "questions pass with" in text and "Recall against n" in text and "what was found" in text
    assert 'name="budget"' in text and "The choice at any budget" in text
    passed = text[text.index("Questions passed</th>") :]
    assert (
        re.findall(r"<text[^>]*>([^<]*)</text>", passed[: passed.index("</thead>")])[-1]
        == re.findall(r">of (\d+)</th>", passed)[0]
    ), "the axis ends at all questions"
    small = tune.get("/tune?run=r-0001&budget=12").text
    title = re.search(r"<h1[^>]*>([^<]+)", small)
    assert title is not None and title[1].endswith("of 12 tokens")
    assert "r-0001" in tune.get("/tune").text
    assert tune.get("/tune?run=r-0009").status_code == 404
    for wrong in ("-1", "1e3", "99999999999999999999", "%3Cscript%3E", "１２"):
        assert tune.get(f"/tune?run=r-0001&budget={wrong}").status_code == 400


def test_the_run_says_first_what_to_expect_of_new_questions(tune: TestClient, tuned: str) -> None:
    """Settings that were chosen on the questions themselves do better on these."""
    with open_store(tuned) as store:
        held_out = next(item.mean for item in store.result(1).summary if item.metric == "held_out_passed")
    text = tune.get("/runs/r-0001").text
    heading = re.sub(r"<[^>]+>", "", text[text.index("<h1") : text.index("</h1>")])
    assert f"{held_out:.3f} passed, held out; " in heading and "passed, in-sample" in heading
    assert text.index(">passed, held out</a>") < text.index(">passed, in-sample</a>")


def test_a_run_without_a_choice_says_so(tmp_path: Path) -> None:
    with TestClient(create_app(build(tmp_path)), base_url=HERE, raise_server_exceptions=False) as client:
        answer = client.get("/tune?run=r-0001")
        assert answer.status_code == 404 and "has not chosen its settings" in answer.text
        assert "No run here has chosen its settings" in client.get("/tune").text


def test_the_slider_shows_the_choice_at_any_budget(chromium: Browser, tuned: str) -> None:
    with served(tuned) as address:
        context = chromium.new_context(base_url=address, viewport={"width": 390, "height": 800})
        page: Page = context.new_page()
        wrong: list[str] = []
        page.on("console", lambda said: wrong.append(said.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto("/tune?run=r-0001")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        before = page.locator("h1").inner_text()
        slider = page.locator("[data-slider] input")
        expect(slider).to_be_visible()
        slider.focus()
        for _ in range(40):
            page.keyboard.press("PageDown")
        expect(page.locator("h1")).not_to_have_text(before)
        page.locator("input[name=budget]").fill("12")
        expect(page.locator("h1")).to_contain_text(" 12")
        moved = page.locator("h1").inner_text()
        rows = page.locator("[data-settings] tbody tr").all_inner_texts()
        page.get_by_role("button", name="Show").click()
        arrived(page, "budget=12$")
        expect(page.locator("h1")).to_have_text(moved)  # the server says the same
        for row, same in zip(rows, page.locator("[data-settings] tbody tr").all_inner_texts(), strict=True):
            assert row.split()[:3] == same.split()[:3]
        context.close()
        assert wrong == []


def test_hostile_texts_stay_texts(tuned: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/copy.db"
    shutil.copy(tuned.removeprefix("sqlite:///"), tmp_path / "copy.db")
    with open_store(url) as store:
        note = store.notes(1)["tuning"]
        text = " ".join(PAYLOADS[:5])
        for field in note["fields"]:
            field["model"] = text
        note["warnings"] = [text]
        for curve in note["curves"]:
            curve["model"] = text
        for point in note["pareto"]:
            for pick in point["fields"]:
                pick["model"] = text
        store.add_notes(1, {"tuning": note}, replace=True)
    with TestClient(create_app(url), base_url=HERE, raise_server_exceptions=False) as client:
        page = client.get("/tune?run=r-0001").text
    assert "&lt;script&gt;window.hit" in page
    assert "<script>window" not in page and "<img src" not in page and "<svg onload" not in page and "49{" not in page
