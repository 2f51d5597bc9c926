"""The report and the terminal's lines of a small run that can be checked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.report import Sheet
from karat.core.results.result import RunResult
from karat.reports.excel.workbook import write_xlsx
from karat.runs.scores.run_scoring import score_recorded
from karat.stats.intervals.estimates import estimate
from karat.suites.retrieval import suite
from karat.suites.retrieval.report import report
from tests.suites.retrieval.samples import write

QRELS = "q1 0 a 1\nq1 0 b 2\nq2 0 a 1\nq3 0 a 1\nq4 0 a 0\n"
RUN = "q1 Q0 a 1 9 t\nq1 Q0 x 2 8 t\nq2 Q0 a 1 9 t\nq4 Q0 a 1 9 t\nq9 Q0 a 1 9 t\n"


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    folder = write(tmp_path, {"qrels": QRELS, "run": RUN})
    loaded, recorded = suite.load_cases(folder / "qrels"), suite.read_predictions(folder / "run")
    return score_recorded(suite, loaded.cases, recorded.predictions, suite.options())


def sheet(result: RunResult, title: str) -> Sheet:
    return next(found for found in report(result, estimate).sheets if found.title == title)


def test_states_and_means(result: RunResult) -> None:
    assert result.status_counts() == {"scored": 3, "missing": 1}
    assert result.metric("recall").mean == pytest.approx((0.5 + 1 + 0) / 3)
    assert result.metric("recall_of_all").mean == pytest.approx((0.5 + 1 + 0 + 0) / 4)


def test_overview(result: RunResult) -> None:
    (table,) = sheet(result, "Overview").tables
    rows = {row[0]: dict(zip([column.title for column in table.columns], row, strict=True)) for row in table.rows}
    assert (rows["q1"]["passed"], rows["q1"]["relevant"], rows["q1"]["found"]) == (0.0, 2, 1)
    assert rows["q1"]["not found"] == "b"
    assert (rows["q2"]["passed"], rows["q2"]["not found"]) == (1.0, "")
    assert (rows["q3"]["status"], rows["q3"]["relevant"], rows["q3"]["recall"]) == ("missing", None, None)


def test_statistics(result: RunResult) -> None:
    tables = {table.title: table for table in sheet(result, "Statistics").tables}
    cutoffs = tables["At each cutoff"]
    assert [column.title for column in cutoffs.columns] == ["k", "R@k", "P@k", "nDCG@k", "MAP@k", "RR@k", "S@k"]
    assert cutoffs.rows[0][0] == 1
    assert cutoffs.rows[0][1:3] == pytest.approx(((0.5 + 1 + 0) / 3, 2 / 3))
    assert "All questions: 0 for one without results" in tables
    assert "By field" not in tables


def test_the_cutoffs_are_drawn_up_to_where_nothing_more_is_found(result: RunResult) -> None:
    statistics = sheet(result, "Statistics")
    (chart,) = statistics.charts
    table = statistics.tables[chart.table]
    assert table.title == "At each cutoff"
    assert [(line.title, line.x) for line in chart.series] == [("R@k", 0), ("P@k", 0), ("nDCG@k", 0)]
    # All that is found stands at rank 1: the curve ends at the second cutoff, without which it would be a point.
    assert {(line.first, line.last) for line in chart.series} == {(0, 1)}


def test_without_a_result_nothing_is_drawn(tmp_path: Path) -> None:
    folder = write(tmp_path, {"qrels": QRELS})
    nothing = score_recorded(suite, suite.load_cases(folder / "qrels").cases, [], suite.options())
    assert sheet(nothing, "Statistics").charts == ()


def test_cases_with_tags_have_a_table_by_tag() -> None:
    from karat.core.records import Case, Prediction, Turn
    from karat.suites.retrieval.records import Truths

    turn = Turn(role="user", content="?", target=Truths({"item": {"a": 1}}))
    cases = [Case("q1", (turn,), tags=("easy",)), Case("q2", (turn,), tags=("hard",)), Case("q3", (turn,))]
    answers = [
        Prediction(f"q{n}", response=b'{"fields": {"item": [%s]}}' % key) for n, key in ((1, b'"a"'), (2, b'"x"'))
    ]
    found = score_recorded(suite, cases, answers, suite.options())
    table = {table.title: table for table in sheet(found, "Statistics").tables}["By tag"]
    assert [row[:3] for row in table.rows] == [("hard", 1, 0.0), ("easy", 1, 1.0), ("(no tag)", 1, None)]


def test_worst_questions(result: RunResult) -> None:
    (table,) = sheet(result, "Worst questions").tables
    assert [row[0] for row in table.rows] == ["q4", "q1"]
    assert table.rows[1][4:] == (1, 2, 1, "b")


def test_several_fields_are_named(tmp_path: Path) -> None:
    from karat.core.records import Case, Prediction, Turn
    from karat.suites.retrieval.records import Truths

    case = Case("q", (Turn(role="user", content="?", target=Truths({"item": {"a": 1, "b": 1}, "type": {"t": 1}})),))
    answer = Prediction("q", response=b'{"fields": {"item": ["a"], "type": []}}')
    found = score_recorded(suite, [case], [answer], suite.options())
    (table,) = sheet(found, "Overview").tables
    assert table.rows[0][-2] == "item: b\ntype: t"
    by_field = {table.title: table for table in sheet(found, "Statistics").tables}["By field"]
    assert [row[:2] for row in by_field.rows] == [("item", 0.5), ("type", 0.0)]


def test_it_can_be_written(result: RunResult, tmp_path: Path) -> None:
    write_xlsx(report(result, estimate), tmp_path / "report.xlsx")
    assert (tmp_path / "report.xlsx").stat().st_size > 5_000


def test_highlights(result: RunResult) -> None:
    assert suite.highlights(result) == [
        "found 2 of 3 relevant keys among 4 results",
        "1 question without a relevant key, counted 0 (option no_relevant): q4",
        "over all 4 questions: passed 0.250 · MAP 0.375 · R@10 0.375 · nDCG@10 0.345",
    ]
