"""The bars of a report in a real Chromium: one for each row, named by what the row is called, whatever that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from karat.core.report import Chart, Column, Report, Series, Sheet, Table
from karat.reports.html.report import html_report
from karat.stats.intervals.estimates import estimate
from tests.e2e import browser
from tests.e2e.browser import opened, serious_findings
from tests.reports.html_samples import PAYLOADS, a_case, summarised
from tests.reports.sample_results import METRICS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

chromium = browser.chromium

NAMES = (*PAYLOADS, "constructor", "toString", "__proto__")
"""The last are names that every object of JavaScript has, which stopped Vega."""


def address(folder: Path) -> str:
    """A page with two bars for each payload."""
    rows = tuple((text, place + 1, 0.5) for place, text in enumerate(NAMES))
    table = Table((Column("reason"), Column("instances", "count"), Column("share", "score")), rows)
    last = len(rows) - 1
    series = (Series("instances", 0, 1, 0, last), Series(PAYLOADS[0], 0, 2, 0, last))
    chart = Chart(PAYLOADS[1], PAYLOADS[2], PAYLOADS[3], series, kind="bar")
    result = summarised([a_case(number) for number in range(3)])
    report = Report("bars", (Sheet("Reasons", (table,), charts=(chart,)),))
    file = folder / "report.html"
    file.write_text(html_report(result, report, METRICS, estimate), encoding="utf-8")
    return file.as_uri()


def test_every_row_has_its_bars_and_its_name(chromium: Browser, tmp_path: Path) -> None:
    for scheme in ("light", "dark"):
        with opened(chromium, address(tmp_path), color_scheme=scheme) as (page, watched):
            drawing = page.locator("details.sheet .drawing").first
            drawing.locator(".mark-rect path").first.wait_for(state="attached")
            expect(drawing.locator(".mark-rect.role-mark path")).to_have_count(2 * len(NAMES))
            names = " ".join(drawing.locator(".role-axis-label text").all_text_contents())
            assert "<img src=x onerror" in names
            assert "{{ 7 * 7 }}" in names
            assert page.evaluate("window.hit") is None
            assert page.locator("main img, main iframe, main script").count() == 0
            assert serious_findings(page) == []
            assert watched.complaints == []
            assert len(watched.requests) == 1
