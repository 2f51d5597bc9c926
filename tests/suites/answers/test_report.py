"""The report of the example's submission: its sheets, the reasons as a table and as bars, the figures by tag."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.report import Report, Sheet
from karat.reports.plots.figures import chart_plot
from karat.runs.scores.run_scoring import score_recorded
from karat.stats.intervals.estimates import estimate
from karat.suites.answers import suite
from karat.suites.answers.report import report
from tests.suites.answers.making import entry, gold_folder, lines, write


@pytest.fixture(scope="module")
def example() -> Report:
    """Of the folder that the demo shows."""
    folder = Path(__file__).parents[3] / "examples" / "answers"
    return reported(folder / "gold", folder / "submission")


def reported(gold: Path, submission: Path) -> Report:
    loaded, recorded = suite.load_cases(gold), suite.read_predictions(submission)
    return report(score_recorded(suite, loaded.cases, recorded.predictions, suite.options()), estimate)


def sheet(found: Report, title: str) -> Sheet:
    return next(sheet for sheet in found.sheets if sheet.title == title)


def test_the_sheets_are_those_of_every_suite_with_its_own_between(example: Report) -> None:
    titles = [sheet.title for sheet in example.sheets]
    assert titles == ["Overview", "Statistics", "Reasons", "Flips", "Errors", "About"]


def test_reasons_are_counted_and_drawn_the_most_frequent_first(example: Report) -> None:
    reasons = sheet(example, "Reasons")
    (table,), (chart,) = reasons.tables, reasons.charts
    counts = [row[1] for row in table.rows]
    assert counts == sorted(counts, key=lambda count: -int(count or 0))
    assert sum(float(row[2] or 0) for row in table.rows) == pytest.approx(1)
    (scrambled,) = (row for row in table.rows if row[0] == "rows_scrambled")
    assert scrambled[1] == 1
    assert scrambled[3] == "tickets_by_line"
    plot = chart_plot(chart, reasons.tables)
    assert plot is not None
    drawn = [(bar["bar"], bar["value"]) for bar in plot.spec["data"]["values"]]
    assert drawn == [row[:2] for row in table.rows]


def test_statistics_say_how_each_tag_does_weakest_first(example: Report) -> None:
    tables = {table.title: table for table in sheet(example, "Statistics").tables}
    tags = tables["By tag"]
    means = [row[2] for row in tags.rows if row[2] is not None]
    assert means == sorted(means, key=lambda mean: float(mean))
    assert [column.title for column in tags.columns[:3]] == ["tag", "cases", "spider2"]
    assert "By function" in tables


def test_a_submission_that_is_all_right_has_no_reasons(tmp_path: Path) -> None:
    gold = gold_folder(tmp_path / "gold", [{"instance_id": "a", "evaluation": entry("string_match", gold=["Lund"])}])
    rows = lines({"instance_id": "a", "answer_or_path": "Lund", "answer_type": "answer"})
    submission = write(tmp_path / "submission", {"results_metadata.jsonl": rows})
    titles = [sheet.title for sheet in reported(gold, submission).sheets]
    assert titles == ["Overview", "Statistics", "About"]
