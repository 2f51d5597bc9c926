"""Two runs and several runs beside each other, and the choice under a budget: what the pages say, whatever the texts
are."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from karat.store import open_store, run_name
from tests.web.conftest import arrived
from tests.web.sample_store import PAYLOADS, a_case, a_dimension, add_run, hostile

PAIR = "/compare?a=r-0001&b=r-0002"


def ids(text: str) -> list[str]:
    return re.findall(r'case-id">([^<]+)<', text)


def test_the_answer_is_the_title_and_the_table_filters(client: TestClient) -> None:
    text = client.get(PAIR).text
    assert "after is better than before: 15 more of 58 cases right, none newly wrong</h1>" in text
    assert "<b>14</b>wrong in both" in text and "<b>29</b>right in both" in text
    assert "15 against 0: p &lt; 0.001 (McNemar)" in text
    assert "2 cases without a verdict in one of the runs are left out." in text
    assert 'href="/compare?a=r-0001&amp;b=r-0002&amp;kind=wrong#changed"' in text
    assert len(ids(client.get(f"{PAIR}&kind=wrong").text)) == 14
    assert len(ids(client.get(f"{PAIR}&kind=right").text)) == 25, "a page of 29"
    assert "Page 1 of 2" in client.get(f"{PAIR}&kind=right").text


def test_what_changed_is_said_in_terms_and_marked_by_gold(client: TestClient) -> None:
    newly = client.get("/compare?a=r-0002&b=r-0001&kind=newly_wrong").text
    first = re.sub(r"<[^>]+>", " ", newly[newly.index('<article class="chg"') :].split("</article>")[0])
    said = " ".join(first.split())
    assert said.startswith("newly wrong case_001 before What is the growth of country number 1?")
    assert said.endswith("COUNTRY right: GHA Ghana → wrong: FRA France")
    assert "<pre" not in newly, "the assistant's sentence is not shown where the parts say what changed"


def test_a_tag_in_the_address(client: TestClient) -> None:
    tagged = client.get(f"{PAIR}&tag=weo").text
    assert ids(tagged) == [], "only odd cases moved, and those are of the other tag"
    assert '<option value="weo" selected>' in tagged
    assert len(ids(client.get(f"{PAIR}&tag=weo&kind=right").text)) == 25


def test_failed_calls_are_not_newly_wrong(client: TestClient, store_url: str) -> None:
    text = client.get("/compare?a=r-0001&b=r-0002&kind=status").text
    assert ids(text) == [], "they failed in both"


def test_unknown_kinds_and_pages_are_no_error(client: TestClient) -> None:
    for more in ("&kind=%3Cscript%3E", "&page=0", "&page=999", "&tag=%3Cb%3E", "&kind=worse&tag=none"):
        answer = client.get(PAIR + more)
        assert answer.status_code == 200 and "<script>window" not in answer.text


def third_run(store_url: str) -> None:
    with open_store(store_url) as store:
        add_run(store, [a_case(n, n % 3 == 0, 0.5) for n in range(58)], "third")


def test_several_runs_are_a_matrix(client: TestClient, store_url: str) -> None:
    third_run(store_url)
    text = client.get("/compare?runs=r-0001,r-0002,r-0007").text
    assert "Three runs</h2>" in text and "<small>baseline</small>" in text
    assert "0.759<small>+0.259 ▲</small>" in text, "corrected for two runs and three figures, and still clear"
    assert text.count('<th scope="col" class="bl">') >= 2, "the baseline is shaded in both tables"
    assert '<a href="/cases/data_query?id=case_001"><code class="data case-id">case_001</code></a>' in text
    other = client.get("/compare?runs=r-0001&runs=r-0002&runs=r-0007&base=r-0002").text
    assert "0.500<small>−0.259 ▼</small>" in other
    assert client.get("/compare?runs=r-0001,r-0002").text == client.get(PAIR).text
    assert client.get("/compare?runs=r-0001,r-0002,r-0006").status_code == 400, "another suite"
    assert client.get(f"/compare?runs={','.join(f'r-{n:04d}' for n in range(1, 20))}").status_code == 400
    assert client.get("/compare?runs=r-0001,r-0002,r-0099").status_code == 404
    assert 'value="r-0002" checked' in client.get("/compare?runs=r-0001,r-0002&add=1").text


def test_the_baseline_is_the_first_column(client: TestClient, store_url: str) -> None:
    third_run(store_url)

    def columns(address: str) -> list[str]:
        text = client.get(address).text
        assert "differences are paired on the cases of both runs" in text
        head = text[text.index('<th scope="col">Figure</th>') : text.index("</thead>")]
        assert head.index('class="bl"') < head.index("<a "), "the first is the baseline"
        return re.findall(r'<a href="/runs/(r-\d+)"', head)

    assert columns("/compare?runs=r-0002,r-0001,r-0007") == ["r-0002", "r-0001", "r-0007"]
    chosen = "/compare?oldest=1&runs=r-0007&runs=r-0002&runs=r-0001"  # as the list sends it, the newest first
    assert columns(chosen) == ["r-0001", "r-0002", "r-0007"]
    assert columns(f"{chosen}&baseline=r-0007") == ["r-0007", "r-0001", "r-0002"]
    page = client.get("/compare").text
    assert 'name="oldest" value="1"' in page and "the oldest one that you choose is the baseline" in page


def test_the_two_runs_that_are_chosen_already_are_of_one_suite(client: TestClient, store_url: str) -> None:
    with open_store(store_url) as store:
        rows = {run_name(row.id): row for row in store.runs(200)}

    def preset(address: str) -> list[str]:
        return re.findall(r'<option value="(r-\d+)" selected>', client.get(address).text)

    before, after = preset("/compare")
    assert rows[before].suite == rows[after].suite and rows[before].id < rows[after].id
    assert client.get(f"/compare?a={before}&b={after}").status_code == 200
    assert preset("/compare?a=r-0002")[0] == "r-0002" and rows[preset("/compare?a=r-0002")[1]].suite == "data_query"


@pytest.mark.parametrize("address", ["/compare?a=r-0004&b=r-0007", "/compare?runs=r-0004,r-0007,r-0008"])
def test_hostile_texts_stay_texts(client: TestClient, store_url: str, address: str) -> None:
    with open_store(store_url) as store:
        hostile(store)
        cases = [a_case(0, True, 1.0)]
        for text in PAYLOADS:
            one = a_case(1, True, 1.0)
            dimension = a_dimension(text, [{"id": text, "name": text}], [], [])
            details = {"dimensions": [dimension], "label_drift": []}
            cases.append(type(one)(text, "scored", one.scores, details, text, (text,), text))
        add_run(store, cases, PAYLOADS[0])
    for kind in ("", "&kind=right", "&kind=newly_right", "&kind=status", "&kind=answer"):
        text = client.get(address + kind).text
        assert "<script>window" not in text and "<img src" not in text and "<svg onload" not in text
        assert 'href="javascript' not in text and "49{" not in text
    page = client.get(address.replace("/compare?", "/export/compare.html?")).text if "a=" in address else ""
    assert "<script" not in page and "<img src" not in page


def test_the_newest_run_is_in_sight_and_the_first_column_stays(page: Page, store_url: str) -> None:
    third_run(store_url)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/compare?runs=r-0001,r-0002,r-0007")
    expect(page.get_by_role("region", name="Runs and cases")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    heading = page.get_by_role("region", name="Runs and figures").first.locator("tbody th").first
    assert heading.evaluate("cell => getComputedStyle(cell).position") == "sticky"
    page.get_by_role("link", name="compare", exact=True).first.click()
    expect(page.get_by_role("heading", name="What changed")).to_be_visible()
    page.locator(".x22 .down, .x22 .same").last.click()
    arrived(page, "kind=wrong")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.go_back()
    expect(page.get_by_role("heading", name="What changed")).to_be_visible()
