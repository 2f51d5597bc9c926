"""The viewer's journeys in a real Chromium. A console error or a request to another host fails any of them.

The tests that begin with a number are the interactions that people ask of such a viewer, in the order of the list they
were gathered in.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote, quote_plus

import msgspec
import pytest
import yaml
from playwright.sync_api import Page, expect

from karat.core.plugins import load_suite
from karat.core.records import CallError, Prediction
from karat.core.results.result import RunInfo, RunResult
from karat.store import RunRecord, open_store
from tests.e2e.browser import violations
from tests.web.conftest import arrived, chromium, page, posted, server, store_url
from tests.web.sample_store import PAYLOADS, a_case, summary_of

ONE_CASE = """id: one
conversation:
  - role: user
    content: Which country grew?
    target:
      indicator_selection:
        - dataset_id: A:B
          dimensions:
            - dimension_name: COUNTRY
              values:
                - {id: GHA, name: Ghana}
"""


def saved(page: Page, name: str, file: str) -> bytes:
    """What a link to a file gives, under its file name."""
    expect(page.locator("#keys")).to_be_attached()  # what stands last on every page
    link = page.locator(".crumbs").get_by_role("link", name=name)
    if not link.count():
        page.locator("details.menu:has(a) > summary").click()
        link = page.locator("details.menu").get_by_role("link", name=name)
    with page.expect_download() as found:
        link.first.click()
    assert found.value.suggested_filename == file
    page.keyboard.press("Escape")
    return Path(found.value.path()).read_bytes()


def stop_clock(page: Page) -> None:
    """From the next page on, what passes after a while does so only when the test moves the clock: however slow the
    machine is."""
    page.clock.install(time=0)
    page.clock.pause_at(1)


def test_from_the_runs_to_a_case_and_back(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="r-0001", exact=True).last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("before: 29 of 58 fully right")
    page.get_by_role("searchbox").fill("number 17")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("status")).to_have_text("1–1 of 1")
    page.get_by_role("link", name="country number 17?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Wrong: asked for Ghana, got France")
    expect(page.locator("#case-id")).to_have_text("case_017")
    page.go_back()
    expect(page.get_by_role("status")).to_have_text("1–1 of 1")


def test_01_two_runs_side_by_side_and_a_pinned_baseline(page: Page) -> None:
    page.goto("/runs/r-0002")
    page.get_by_label("Compare with").select_option("r-0001")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "after is better than before: 15 more of 58 cases right, none newly wrong"
    )
    expect(page.locator(".crumbs b")).to_have_text("r-0001 → r-0002")
    page.locator(".chip", has_text="worse").click()
    expect(page.locator("article.chg").first).to_contain_text("worse, still wrong")
    page.locator("article.chg").first.get_by_role("link", name="case_003").click()
    arrived(page, r"/runs/r-0002/cases/\d+")

    page.goto("/")
    page.get_by_role("button", name="Pin r-0001 as baseline").click()
    row = page.get_by_role("row").filter(has_text="after")
    expect(row).to_contain_text("+0.259")  # the page asked for it by itself
    expect(row).to_contain_text("▲ better")
    expect(page.get_by_role("row").filter(has_text="before")).to_contain_text("baseline")
    row.get_by_role("link", name="r-0002", exact=True).click()
    figures = page.locator(".figs td[data-l='against r-0001']")
    expect(figures).to_have_text(["+0.259", "+0.069", "±0.000"])
    expect(figures.first).to_have_attribute("title", "+0.259, +0.136 – +0.364, p < 0.001")
    expect(page.locator(".figs tbody tr").first).to_contain_text("▲ better")
    expect(page.get_by_role("heading", level=1)).to_contain_text("15 more than the baseline")
    page.goto("/runs/r-0001")
    posted(page, "Unpin the baseline")
    page.goto("/runs/r-0002")
    expect(figures).to_have_count(0)


def test_02_only_what_changed(page: Page, store_url: str) -> None:
    with open_store(store_url) as store:
        store.add_predictions(2, [Prediction("case_000", response=b"another answer altogether")])
    page.goto("/compare?a=r-0001&b=r-0002")
    page.get_by_role("link", name="newly right 15").click()
    arrived(page, "kind=newly_right")
    expect(page.locator("article.chg")).to_have_count(15)
    page.get_by_role("link", name="swap").click()
    page.get_by_role("link", name="newly wrong 15").click()
    arrived(page, "kind=newly_wrong")
    expect(page.locator("article.chg")).to_have_count(15)
    page.get_by_role("link", name="another answer, same verdict").click()
    arrived(page, "kind=answer")
    expect(page.locator("article.chg")).to_have_count(1)
    expect(page.locator("article.chg")).to_contain_text("another answer altogether")


def test_03_expected_against_given_by_terms_and_cells(page: Page) -> None:
    page.goto("/runs/r-0001/cases/17")
    expect(page.locator(".term.missing")).to_contain_text("GHA")
    expect(page.locator(".term.extra")).to_contain_text("FRA")
    page.goto("/runs/r-0006/cases/0")
    expect(page.locator("td.bad")).to_have_text(["✗ 12.9"])
    expect(page.locator("tr:not(.missing) td.was")).to_have_text(["12.4"])
    expect(page.locator("tr.missing")).to_contain_text("row missing")


def test_04_everything_is_in_the_address_and_a_filter_can_be_saved(page: Page) -> None:
    page.goto("/runs/r-0001")
    page.get_by_role("link", name="error 2").click()
    expect(page.get_by_role("status")).to_have_text("1–2 of 2")
    page.get_by_label("Remove error").click()
    expect(page.get_by_role("status")).to_have_text("1–50 of 60")
    page.get_by_role("link", name="Next →").click()
    expect(page.get_by_role("status")).to_have_text("51–60 of 60")
    page.locator("select[name=tag]").select_option("weo")
    arrived(page, "tag=weo")  # choosing loads the page anew: the next choice is made on that one
    page.locator("select[name=sort]").select_option("-macro_recall")
    arrived(page, r"/runs/r-0001\?tag=weo&sort=-macro_recall$")  # without the page and the status of before
    expect(page.get_by_role("status")).to_have_text("1–29 of 29")
    page.locator(".cases tbody .q a").first.click()
    arrived(page, r"/cases/\d+\?tag=weo&sort=-macro_recall")
    page.go_back()
    page.go_back()
    expect(page.locator("select[name=sort]")).to_have_value("position")
    page.go_forward()
    page.get_by_label("Save this filter as").fill("weo, best first")
    posted(page, "Save")
    page.goto("/runs/r-0002")
    page.get_by_role("link", name="weo, best first").click()
    arrived(page, r"/runs/r-0002\?tag=weo&sort=-macro_recall")
    posted(page, "Delete the filter weo, best first")
    expect(page.get_by_role("link", name="weo, best first")).to_have_count(0)


def test_05_one_click_filters(page: Page) -> None:
    for chip, count in (
        ("scored 58", 58),
        ("wrong 29", 29),
        ("slowest tenth: 5.3 s and more 5", 5),
        ("COUNTRY wrong 29", 29),
        ("429 after 5 tries 2", 2),
        ("waiting for review 6", 6),
    ):
        page.goto("/runs/r-0001")
        page.get_by_text("More filters", exact=True).click()
        page.get_by_role("link", name=chip, exact=True).click()
        expect(page.get_by_role("status")).to_have_text(f"1–{min(count, 50)} of {count}")
        arrived(page, r"/runs/r-0001\?")
        page.get_by_role("link", name=chip, exact=True).click()
        arrived(page, "/runs/r-0001$")
        expect(page.get_by_role("status")).to_have_text("1–50 of 60")
    page.locator(".barrow").get_by_role("link", name="weo").click()
    expect(page.get_by_role("status")).to_have_text("1–29 of 29")


def test_06_the_keyboard_goes_through_the_filtered_list(page: Page) -> None:
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
    expect(page.get_by_role("dialog")).to_be_hidden()
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("2")
    expect(page.get_by_text("Undo verdict")).to_be_visible()
    page.keyboard.press("u")
    arrived(page, r"/runs/r-0001\?tag=weo")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_07_a_persons_verdict_and_its_way_back_to_the_case_file(page: Page, store_url: str, tmp_path: Path) -> None:
    page.goto("/runs/r-0001")
    page.get_by_role("link", name="Review queue").click()
    expect(page.get_by_role("status")).to_have_text("1–6 of 6")
    page.get_by_role("link", name="country number 1?").click()
    arrived(page, r"/cases/1\?review=open")
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
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("0")
    expect(page.get_by_text("Undo verdict")).to_have_count(0)
    page.goto("/runs/r-0001")
    expect(page.locator(".reviewed")).to_contain_text("0.517")
    lines = saved(page, "Reviews", "r-0001-reviews.jsonl")
    assert [json.loads(line)["verdict"] for line in lines.splitlines()] == ["accept"]

    case = tmp_path / "cases" / "one.yaml"
    case.parent.mkdir()
    case.write_text(ONE_CASE)
    (read,) = load_suite("data_query").load_cases(case).cases
    with open_store(store_url) as store:
        run = store.create_run(
            RunRecord(suite="data_query", cases=1, status="finished", config={"cases_path": str(case)})
        )
        store.add_cases(run, [("one", msgspec.json.encode(read))])
        store.add_predictions(run, [Prediction("one", response=b"{}")])
        scored = [msgspec.structs.replace(a_case(1, False, 0.0), id="one")]
        store.add_scoring(run, RunResult(RunInfo("data_query", cases=1), summary_of(scored), tuple(scored)))
        store.add_review(run, "one", "gold_wrong", reviewer="Ada", comment="it is Togo")
    page.goto(f"/runs/r-{run:04d}")
    patch = saved(page, "Patch", f"r-{run:04d}-reviews.patch").decode()
    assert "one.yaml" in patch and "it is Togo" in patch and "\n+#" in patch


def test_08_tries_are_grouped(page: Page) -> None:
    page.goto("/runs/r-0005")
    expect(page.get_by_role("row").filter(has_text="tried_0")).to_contain_text("18 right, 2 wrong")
    page.get_by_role("row").filter(has_text="tried_1").get_by_role("link").first.click()
    expect(page.get_by_text("20 answers: 10 right, 9 wrong, 1 failed")).to_be_visible()
    page.get_by_text("try 12 wrong").click()
    expect(page.locator("#given-11")).to_have_text("answer 11")
    expect(page.locator("#given-11")).to_be_visible()


def test_09_every_field_can_be_copied_and_seen_whole(page: Page, store_url: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    stop_clock(page)
    page.goto("/runs/r-0001/cases/3")

    def copied(name: str) -> str:
        button = page.get_by_role("button", name=f"Copy {name}", exact=True)
        button.click()
        expect(button).to_have_text("Copied")
        page.clock.run_for(1200)
        expect(button).to_have_text("Copy")
        return str(page.evaluate("navigator.clipboard.readText()"))

    assert copied("the id") == "case_003"
    assert copied("the user's words") == "What is the growth of country number 3?"
    page.get_by_text("Answer, indented").click()
    assert json.loads(copied("what was given"))["country"] == ["FRA"]
    page.get_by_text("Raw response").click()
    assert copied("what was received") == '{"country": ["FRA"], "note": "case_003"}'
    page.get_by_text("Raw record").click()
    page.get_by_text("dimensions", exact=True).click()
    expect(page.locator("#detail-0")).to_contain_text("COUNTRY")
    assert json.loads(copied("dimensions"))[0]["dimension"] == "COUNTRY"

    long = "x" * 150_000
    with open_store(store_url) as store:
        store.add_predictions(1, [Prediction("case_003", response=long.encode())])
    page.reload()
    page.get_by_text("Raw response").click()
    expect(page.get_by_text("Truncated here; the saved file has all of it")).to_be_visible()
    with page.expect_download() as file:
        page.get_by_role("link", name="Save", exact=True).click()
    assert Path(file.value.path()).read_text() == long


def test_10_all_scores_in_the_list_and_columns_to_choose(page: Page) -> None:
    page.goto("/runs/r-0001")
    expect(page.locator(".cases").get_by_role("columnheader")).to_have_text(
        ["Question and reason", "macro recall", "macro precision", "Tag", "Review"]
    )
    page.get_by_text("Columns").first.click()
    for name in ("macro recall", "macro precision"):
        page.get_by_role("checkbox", name=name).uncheck()
    page.get_by_role("checkbox", name="latency").check()
    page.get_by_role("button", name="Show").click()
    arrived(page, "col=latency")
    heads = page.locator(".cases thead th").all_inner_texts()
    assert heads == ["Question and reason", "latency", "Tag", "Review"]
    page.locator(".cases thead").get_by_role("link", name="latency").click()
    arrived(page, "sort=latency")
    expect(page.locator(".cases thead th").nth(1)).to_have_attribute("aria-sort", "ascending")


def test_11_search_over_questions_answers_and_reasons(page: Page) -> None:
    page.goto("/runs/r-0001")
    # 29 say "COUNTRY not selected", and of the others 6 "nothing was selected"
    for words, count in (("growth number 17", 1), ("FRA case_021", 1), ("not selected", 35), ("429", 2)):
        page.get_by_role("searchbox").fill(words)
        page.get_by_role("searchbox").press("Enter")
        arrived(page, f"q={re.escape(quote_plus(words))}$")  # the next words are for that page, not for this one
        expect(page.get_by_role("status")).to_have_text(f"1–{count} of {count}")
    page.get_by_role("searchbox").fill("FRA")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("status")).to_have_text("1–50 of 58")
    page.get_by_role("link", name="Next →").click()
    expect(page.get_by_role("status")).to_have_text("51–58 of 58")


def test_12_the_pass_rate_in_the_picker_and_a_trend(page: Page) -> None:
    page.goto("/runs/r-0002")
    expect(page.get_by_label("Compare with").locator("option").last).to_have_text("r-0001 before · fully right 0.500")
    page.goto("/compare")
    expect(page.locator("select[name=a] option[value=r-0002]")).to_contain_text("fully right 0.759")
    page.goto("/?suite=data_query")
    expect(page.locator("details", has=page.locator(".trend")).first).to_contain_text("fully right, data_query")
    expect(page.locator(".trend").first.locator("circle")).to_have_count(4)


def test_13_the_same_view_as_a_file(page: Page, tmp_path: Path) -> None:
    page.goto("/runs/r-0001")
    whole = saved(page, "HTML", "r-0001.html")
    assert saved(page, "Excel", "r-0001.xlsx")[:2] == b"PK"
    assert len(json.loads(saved(page, "JSON", "r-0001.json"))["cases"]) == 60
    page.get_by_role("link", name="Report", exact=True).click()  # the same page, in place
    expect(page.locator(".plot svg").first).to_be_visible()
    page.get_by_label("Search").first.fill("case_017")
    expect(page.get_by_role("button", name="case_017")).to_be_visible()
    page.go_back()
    arrived(page, r"/runs/r-0001$")
    page.goto("/compare?a=r-0001&b=r-0002")
    assert saved(page, "Excel", "r-0001-r-0002.xlsx")[:2] == b"PK"
    assert b"fully right" in saved(page, "Markdown", "r-0001-r-0002.md")
    assert json.loads(saved(page, "JSON", "r-0001-r-0002.json"))["comparisons"]
    assert b'<div class="x22">' in saved(page, "HTML", "r-0001-r-0002.html")
    file = tmp_path / "report.html"
    file.write_bytes(whole)
    assert page.context.browser is not None
    with page.context.browser.new_context(offline=True) as apart:  # without a server
        mailed = apart.new_page()
        mailed.goto(file.as_uri())
        expect(mailed.get_by_text("case_017").first).to_be_attached()


def test_14_from_a_row_to_a_new_case_a_set_and_the_editor(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    stop_clock(page)
    page.goto("/runs/r-0001/cases/3")
    page.get_by_role("button", name="Copy file and line").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "growth.yaml:31"
    page.get_by_label("Add to the set").fill("hard ones")
    posted(page, "Add")
    page.get_by_role("link", name="hard ones").click()
    arrived(page, "set=hard")
    expect(page.get_by_role("status")).to_have_text("1–1 of 1")
    cases = saved(page, "Cases", "r-0001-cases.yaml")
    assert yaml.safe_load(cases)["id"] == "case_003"
    page.get_by_role("link", name="country number 3?").click()
    arrived(page, r"/cases/3\?")
    posted(page, "Remove the case from hard ones")
    expect(page.get_by_role("link", name="hard ones")).to_have_count(0)
    page.get_by_role("link", name="new case from it").click()
    page.get_by_label("New id").fill("growth_of_togo")
    page.get_by_role("button", name="Change the id").click()
    arrived(page, "growth_of_togo")
    page.get_by_role("button", name="Copy the new case").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    written = yaml.safe_load(str(page.evaluate("navigator.clipboard.readText()")))
    assert written["id"] == "growth_of_togo"
    assert written["conversation"][0]["content"] == "What is the growth of country number 3?"
    with page.expect_download() as file:
        page.get_by_role("link", name="Save", exact=True).click()
    assert file.value.suggested_filename == "r-0001-3-new.yaml"


def test_15_a_running_run_moves_by_itself(page: Page, store_url: str) -> None:
    page.goto("/runs/r-0003")
    answered = page.get_by_role("progressbar", name="Answered")
    expect(answered).to_have_attribute("aria-valuenow", "40")
    expect(page.get_by_text("no answer within 120 s")).to_be_visible()
    with open_store(store_url) as store:
        store.add_predictions(3, [Prediction(f"c{n}", response=b"x") for n in range(40, 60)])
        store.add_predictions(3, [Prediction("c60", error=CallError("http_500", "the server fell over", 5))])
        expect(answered).to_have_attribute("aria-valuenow", "61")
        expect(page.get_by_text("the server fell over")).to_be_visible()
        cases = [a_case(n, True, 1.0) for n in range(3)]
        store.add_scoring(3, RunResult(RunInfo("data_query", cases=3), summary_of(cases), tuple(cases)))
        store.set_status(3, "finished")
    expect(page.get_by_role("heading", name="Cases")).to_be_visible()


def test_payloads_do_nothing(page: Page) -> None:
    addresses = ["/", "/runs/r-0004", "/runs/r-0004/report", "/compare?a=r-0001&b=r-0004"]
    addresses += [f"/runs/r-0004/cases/{number}{part}" for number in range(len(PAYLOADS)) for part in ("", "/new")]
    page.goto("/runs/r-0004?q=window.hit")
    page.get_by_label("Save this filter as").fill(PAYLOADS[0])
    posted(page, "Save")
    page.goto("/runs/r-0004/cases/0")
    page.get_by_label("Add to the set").fill(PAYLOADS[1])
    posted(page, "Add")
    page.goto("/runs/r-0004")
    posted(page, "Pin as baseline")
    addresses += [f"/runs/r-0004?set={quote(PAYLOADS[1])}", "/runs/r-0001", "/compare?a=r-0001&b=r-0004&kind=only_b"]
    for address in addresses:
        page.goto(address)
        for summary in page.locator("summary:visible").all():
            summary.click()
        page.keyboard.press("Escape")
        assert page.evaluate("window.hit") is None, address
    page.goto("/runs/r-0004/cases/0")
    page.get_by_label("Who").fill(PAYLOADS[0])
    page.get_by_label("Why").fill(PAYLOADS[1])
    with page.expect_navigation():
        page.get_by_role("button", name="Accept too").click()
    expect(page.locator("p.text").last).to_contain_text("<img")
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto("/runs/r-0001/cases/1")
    page.get_by_label("Add to the set").fill("hard")
    posted(page, "Add")
    page.goto("/runs/r-0001?tag=weo")
    page.get_by_label("Save this filter as").fill("weo ones")
    posted(page, "Save")
    found = []
    for address in (
        "/",
        "/runs/r-0001",
        "/runs/r-0001/cases/1",
        "/runs/r-0003",
        "/compare?a=r-0001&b=r-0002",
        "/compare",
        "/runs/r-0001/cases/1/new",
        "/runs/r-0005/cases/1",
        "/runs/r-0006/cases/0",
        "/runs/r-0002?baseline=r-0001&tag=weo&set=x",
        "/?baseline=r-0001",
    ):
        page.goto(address)
        for menu in page.locator("details.menu > summary").all():
            menu.click()
        found += [
            (address, item["id"], item["nodes"][0]["html"][:200])
            for item in violations(page)
            if item["impact"] in ("serious", "critical")
        ]
    assert found == []
