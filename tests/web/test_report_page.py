"""The report inside the viewer: of a small run at once, of a large one when it is written; kept until it changes."""

from __future__ import annotations

import threading
import time

import pytest
from starlette.testclient import TestClient

from karat.store import open_store
from karat.web.routes import report
from karat.web.waiting_reports import WaitingReports

PATIENCE = 60


def wait_for(reports: WaitingReports, key: tuple[int, ...]) -> bytes | None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = reports.get(key, lambda: b"written twice")
        if found is not None:
            return found.page
        time.sleep(0.01)
    raise AssertionError("the report did not come")


def test_a_large_report_is_written_once_while_its_page_waits() -> None:
    reports, begin = WaitingReports(), threading.Event()

    def write() -> bytes:
        begin.wait(PATIENCE)
        return b"page"

    assert reports.get((1,), write) is None and reports.get((1,), write) is None
    begin.set()
    assert wait_for(reports, (1,)) == b"page"
    assert wait_for(reports, (1,)) == b"page"


def test_a_report_that_fails_says_so_once_and_is_tried_again() -> None:
    reports = WaitingReports()

    def fail() -> bytes:
        raise OSError("disk full")

    assert reports.get((1,), fail) is None
    assert wait_for(reports, (1,)) is None
    assert reports.get((1,), lambda: b"page") is None
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
