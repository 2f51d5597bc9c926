"""Failure groups on the page of a run: each is a filter, and counts what its filter shows."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

from starlette.testclient import TestClient

GROUP = "COUNTRY wrong: asked GHA, got FRA"


def groups(page: str) -> dict[str, tuple[str, int]]:
    """Group → (its link, its cases)."""
    section = page[page.index('id="h-grp"') : page.index("</section>", page.index('id="h-grp"'))]
    rows = re.findall(
        r'<a href="([^"]+)">([^<]+)</a>(?: <span class="dim">([^<]*)</span>)?</th>\s*<td class="num"><b>([\d,]+)',
        section,
    )
    return {": ".join(filter(None, map(unescape, row[1:3]))): (unescape(row[0]), int(row[3])) for row in rows}


def listed(client: TestClient, link: str) -> int:
    page = client.get(link.partition("#")[0]).text
    found = re.search(r"of ([\d,]+)</span>", page[page.index('role="status"') :])
    return 0 if found is None else int(found[1].replace(",", ""))


def test_each_group_is_a_filter_that_shows_its_cases(client: TestClient) -> None:
    found = groups(client.get("/runs/r-0001").text)
    assert found[GROUP][1] == 29 and found["error: 429 after 5 tries"][1] == 2
    assert sum(cases for _, cases in found.values()) == 31
    for link, cases in found.values():
        assert listed(client, link) == cases
    assert "against" not in parse_qs(urlsplit(found[GROUP][0]).query)


def test_a_baseline_says_which_group_grew_and_stays_in_the_link(client: TestClient) -> None:
    page = client.get("/runs/r-0002?baseline=r-0001").text
    found = groups(page)
    assert found[GROUP][1] == 14 and "29 · 15 fewer" in page and "2 · same" in page
    assert parse_qs(urlsplit(found[GROUP][0]).query)["against"] == ["r-0001"]
    assert listed(client, found[GROUP][0]) == 14
    grown = client.get("/runs/r-0001?baseline=r-0002").text
    assert "<b>▲ 15 more</b>" in grown


def test_the_filter_goes_together_with_others_and_can_be_taken_off(client: TestClient) -> None:
    link = groups(client.get("/runs/r-0001?tag=trade").text)[GROUP][0]
    page = client.get(link).text
    assert "tag=trade" in link and f"Remove {GROUP}" in page
    assert listed(client, link) == 29
    assert listed(client, link.replace("tag=trade", "tag=weo")) == 0
    case = client.get(re.search(r'href="(/runs/r-0001/cases/\d+\?[^"]+)"', page)[1].replace("&amp;", "&"))  # type: ignore[index]  # as the test wants it
    assert case.status_code == 200 and "of 29" in case.text


def test_a_group_of_another_run_and_a_baseline_that_is_gone(client: TestClient) -> None:
    assert listed(client, "/runs/r-0001?group=nothing+of+ours") == 0
    assert listed(client, f"/runs/r-0001?group={GROUP}&against=r-0999") == 29
    assert listed(client, f"/runs/r-0001?group={GROUP}&against=r-0006") == 29  # of another suite
    assert client.get("/runs/r-0004?group=%00%f0").status_code == 200


def test_payloads_are_text_in_groups(client: TestClient) -> None:
    page = client.get("/runs/r-0004").text
    page = page[page.index('id="h-grp"') : page.index('id="cases"')]
    assert "Single cases" in page and "<script>window" not in page and "\u202e" not in page
