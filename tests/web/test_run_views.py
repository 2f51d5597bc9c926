"""What a suite finds over all cases, on the page of a run: at once, while it is counted, and not at all."""

from __future__ import annotations

import time

import pytest
from starlette.testclient import TestClient

from karat.web.run_page import run_views
from tests.web.staged_run import add_staged

PATIENCE = 60


def test_a_small_run_has_them_at_once(client: TestClient, store_url: str) -> None:
    page = client.get(f"/runs/{add_staged(store_url)}").text
    for words in ("Confused terms", "Stages", "Expected and found outcomes", "llm scored", "lost here"):
        assert words in page
    assert "data-counting" not in page


def test_a_larger_run_gets_them_later(client: TestClient, store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = add_staged(store_url)
    monkeypatch.setattr(run_views, "AT_ONCE", 1)
    first = client.get(f"/runs/{run}").text
    assert f'data-counting="/runs/{run}/views"' in first and "is being counted" in first
    assert "Confused terms" not in first
    deadline = time.monotonic() + PATIENCE
    while (part := client.get(f"/runs/{run}/views")).status_code == 202 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert part.status_code == 200 and "Confused terms" in part.text and "<html" not in part.text
    assert "Confused terms" in client.get(f"/runs/{run}").text


def test_a_very_large_run_says_where_they_are(
    client: TestClient, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_staged(store_url)
    monkeypatch.setattr(run_views, "MOST", 1)
    assert f"karat report {run} --xlsx" in client.get(f"/runs/{run}").text


def test_texts_of_a_run_stay_texts(client: TestClient, store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.web import staged_run

    monkeypatch.setitem(staged_run.NAMES, "ODD", "<img src=x onerror=alert(1)>")
    target = {"indicator_selection": staged_run.selection("MEX")}
    monkeypatch.setitem(staged_run.ASKED, "instead", (target, {"indicator_selection": staged_run.selection("ODD")}))
    page = client.get(f"/runs/{add_staged(store_url)}").text
    assert "&lt;img src=x" in page and "<img src=x" not in page
