"""The report inside the viewer: of a small run at once, of a large one when it is written; kept until it changes."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable

import msgspec
import pytest
from starlette.testclient import TestClient

from karat.reports.html import large_run
from karat.store import open_store
from karat.web.routes.run import report
from karat.web.run_page.waiting_reports import WaitingReports

PATIENCE = 60


def wait_for(reports: WaitingReports, key: tuple[int, ...]) -> bytes | None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = reports.get(key, lambda _: b"written twice")
        if found is not None:
            return found.page
        time.sleep(0.01)
    raise AssertionError("the report did not come")


def test_a_large_report_is_written_once_while_its_page_waits() -> None:
    reports, begin, told = WaitingReports(), threading.Event(), threading.Event()

    def write(say: Callable[[str], None]) -> bytes:
        say("reading the figures")
        told.set()
        begin.wait(PATIENCE)
        return b"page"

    assert reports.progress((1,)) is None
    assert reports.get((1,), write) is None and reports.get((1,), write) is None
    told.wait(PATIENCE)
    progress = reports.progress((1,))
    assert progress is not None and (progress.doing, progress.waited) == ("reading the figures", 0)
    begin.set()
    assert wait_for(reports, (1,)) == b"page"
    assert wait_for(reports, (1,)) == b"page"


def test_a_report_that_fails_says_so_once_and_is_tried_again() -> None:
    reports = WaitingReports()

    def fail(_: object) -> bytes:
        raise OSError("disk full")

    assert reports.get((1,), fail) is None
    assert wait_for(reports, (1,)) is None
    assert reports.get((1,), lambda _: b"page") is None
    assert wait_for(reports, (1,)) == b"page"


def test_the_page_says_that_it_is_coming_and_shows_it_then(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "AT_ONCE", 0)
    first = client.get("/runs/r-0001/report")
    assert "is being written" in first.text and 'http-equiv="refresh"' in first.text
    deadline = time.monotonic() + PATIENCE
    while "is being written" in (text := client.get("/runs/r-0001/report").text) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert 'id="cases"' in text


def test_a_kept_report_knows_new_reviews(client: TestClient, store_url: str) -> None:
    assert "cases reviewed" not in client.get("/runs/r-0001/report").text
    with open_store(store_url) as store:
        store.add_review(1, "case_001", "pass", reviewer="ada")
    assert "1 case reviewed" in client.get("/runs/r-0001/report").text


def above_the_cases(text: str) -> str:
    """The figures, where it fails, and the plots that every run has."""
    return text[text.index('aria-labelledby="summary-title"') : text.index('<section id="cases"')]


def test_a_large_run_has_the_figures_of_all_cases_and_the_worst_of_them(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = client.get("/export/r-0001/run.html").text
    monkeypatch.setattr(report, "LARGE", 1)
    monkeypatch.setattr(large_run, "KEPT", 3)
    found = client.get("/export/r-0001/run.html").text
    without = re.compile("undefined [0-9,]+[^<]*|[0-9]+ smaller groups? in the table below")  # it needs every case
    assert without.sub("", above_the_cases(found)) == without.sub("", above_the_cases(whole))
    assert "The worst 3 of 60 cases are in this file and 57 are left out" in found
    assert "karat report r-0001 --html" in found and "karat report r-0001 --html" not in whole
    for text in (found, whole):
        assert plots_of(text)[0] == plots_of(whole)[0]
    assert len(plots_of(found)) < len(plots_of(whole))


def plots_of(text: str) -> list[dict[str, object]]:
    data = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert data is not None
    found: list[dict[str, object]] = msgspec.json.decode(data[1])["plots"]
    return found
