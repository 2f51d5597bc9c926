"""What the whole report adds to a suite's own: several tries, and what people say of the cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest

from karat.core import plugins
from karat.core.report import Report, Sheet, Table
from karat.core.results.result import CaseReview
from karat.reports.excel.workbook import write_xlsx
from karat.reports.full_report import whole_report
from karat.stats.intervals.estimates import estimate
from karat.stats.intervals.rates import wilson
from tests.reports.html_samples import a_report
from tests.reports.reviewed_sample import REVIEWED, REVIEWS, SUITE, TRIED
from tests.reports.sample_results import RESULT

DATA_QUERY = plugins.load_suite("data_query")


def sheet(report: Report, title: str) -> Sheet:
    (found,) = [sheet for sheet in report.sheets if sheet.title == title]
    return found


def table(report: Report, title: str) -> Table:
    (found,) = [table for table in sheet(report, "Statistics").tables if table.title == title]
    return found


def test_a_run_with_neither_is_as_its_suite_tells_it() -> None:
    found, own = whole_report(RESULT, DATA_QUERY), DATA_QUERY.report(RESULT, estimate)
    assert [sheet for sheet in found.sheets if sheet.title != "Failure groups"] == list(own.sheets)


def test_the_rates_by_rule_and_with_reviews() -> None:
    found = table(whole_report(REVIEWED, DATA_QUERY), "By rule, and with reviews")
    assert [c.title for c in found.columns] == [
        "metric",
        *["by rule", "low", "high", "n"],
        *["with reviews", "low", "high", "n"],
    ]
    assert found.rows == (("fully right", 0.25, 0.046, 0.699, 4, 0.25, *wilson(1, 4), 4),)
    assert found.note.startswith("3 cases reviewed: 1 wrong, 1 gold is wrong, 1 accept this too. ")


def test_the_sheet_of_reviews_stands_before_about() -> None:
    report = whole_report(REVIEWED, DATA_QUERY)
    assert [sheet.title for sheet in report.sheets][-2:] == ["Reviews", "About"]
    found = sheet(report, "Reviews").tables[0]
    titles = ["case", "question", "verdict", "who", "comment", "when (UTC)", "fully right, by rule", "status"]
    assert [column.title for column in found.columns] == titles
    assert found.rows == (
        (
            "imports_vietnam",
            "What about imports_vietnam?",
            "accept this too",
            "Ada",
            "Both codes are in use.\nSee 2024.",
            "2026-11-15 09:50",
            0.0,
            "scored",
        ),
        ("all_right", "What about all_right?", "gold is wrong", "Bo", "", "2026-11-15 09:51", 1.0, "scored"),
        ("late", "What about late?", "wrong", "", "", "2026-11-15 10:00", None, "error"),
    )


def test_a_verdict_on_a_case_that_is_not_there_is_listed_and_counts_nowhere() -> None:
    result = msgspec.structs.replace(RESULT, reviews=(CaseReview("gone since", "pass"),))
    report = whole_report(result, DATA_QUERY)
    assert sheet(report, "Reviews").tables[0].rows == (
        ("gone since", "", "right", "", "", "", None, "not in this scoring"),
    )
    assert all(table.title != "By rule, and with reviews" for table in sheet(report, "Statistics").tables)


def test_several_tries() -> None:
    report = whole_report(TRIED, DATA_QUERY)
    found = table(report, "Several tries")
    titles = ["metric", "k", "pass@k", "low", "high", "pass^k", "low", "high", "n", "cases left out"]
    assert [column.title for column in found.columns] == titles
    # k = 1: (1 + 0 + 1/3 + 1) / 4. k = 2: pass@2 (1 + 0 + 2/3 + 1) / 4, pass^2 (1 + 0 + 0 + 1) / 4. k = 3: the first
    # three cases.
    assert [(row[1], row[8], row[9]) for row in found.rows] == [(1, 4, 2), (2, 4, 2), (3, 3, 3)]
    assert [row[2] for row in found.rows] == pytest.approx([7 / 12, 2 / 3, 2 / 3])
    assert [row[5] for row in found.rows] == pytest.approx([7 / 12, 1 / 2, 1 / 3])
    assert found.rows[2][3:5] == pytest.approx(wilson(2, 3))
    spreads = {row[0]: row[1] for row in table(report, "Spread between tries").rows}
    assert spreads["fully right"] == pytest.approx((2 / 21) ** 0.5)
    assert spreads["macro recall"] == pytest.approx((2 / 21) ** 0.5 / 2)
    assert spreads["macro precision"] is None
    assert "Reviews" not in [sheet.title for sheet in report.sheets]


def test_a_suite_without_a_sheet_of_statistics_gets_one() -> None:
    both = msgspec.structs.replace(TRIED, reviews=REVIEWS)
    report = whole_report(both, SUITE)
    assert [sheet.title for sheet in report.sheets] == [
        "Overview",
        "Curves",
        "Statistics",
        "Failure groups",
        "Reviews",
        "About",
    ]
    tables = [table.title for table in sheet(report, "Statistics").tables]
    assert tables == ["Several tries", "Spread between tries", "By rule, and with reviews"]
    assert report.sheets[:2] == a_report(both).sheets[:2]


@pytest.mark.parametrize("suite", ["data_query", "answers", "retrieval", "codegen"])
def test_every_suite_has_a_sheet_of_statistics(suite: str) -> None:
    loaded = plugins.load_suite(suite)
    report = loaded.report(msgspec.structs.replace(RESULT, cases=(), summary=()), estimate)
    assert "Statistics" in [sheet.title for sheet in report.sheets]


def test_excel_has_it_all_and_formulas_stay_text(tmp_path: Path) -> None:
    hostile = CaseReview("late", "fail", "=1+1", '=HYPERLINK("http://example.org","x")')
    result = msgspec.structs.replace(TRIED, reviews=(*REVIEWS[:2], hostile))
    write_xlsx(whole_report(result, DATA_QUERY), tmp_path / "r.xlsx")
    book = openpyxl.load_workbook(tmp_path / "r.xlsx")
    assert book.sheetnames[-2:] == ["Reviews", "About"]
    reviews = [[cell.value for cell in row] for row in book["Reviews"].iter_rows()]
    assert reviews[0][:3] == ["case", "question", "verdict"]
    assert reviews[3] == [
        "late",
        "What about late?",
        "wrong",
        "=1+1",
        '=HYPERLINK("http://example.org","x")',
        None,
        "n/a",
        "error",
    ]
    assert all(cell.data_type == "s" for cell in book["Reviews"]["E"] if cell.value)
    rows = [[cell.value for cell in row] for row in book["Statistics"].iter_rows()]
    assert _below(rows, "Several tries")[2][:3] == ["fully right", 1, pytest.approx(7 / 12)]
    assert _below(rows, "By rule, and with reviews")[2][:2] == ["fully right", 0.25]


def _below(rows: list[list[Any]], title: str) -> list[list[Any]]:
    """The rows after a title: its note, the headings, then the figures."""
    place = next(number for number, row in enumerate(rows) if row[0] == title)
    return rows[place + 1 :]
