"""Failure groups in every report: the terminal, Excel, HTML, JSON, and a comparison in all its forms."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import msgspec
import openpyxl
import pytest
from rich.console import Console

from karat.core.plugins import load_suite
from karat.core.results.failures.failure_groups import SINGLE
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score
from karat.reports.cases.case_view import case_view
from karat.reports.compare.comparison import Compared, as_plain, side_by_side
from karat.reports.compare.comparison_page import comparison_page
from karat.reports.compare.comparison_sheets import comparison_report
from karat.reports.console.case import print_case
from karat.reports.console.comparison import print_comparison
from karat.reports.console.run import print_result
from karat.reports.excel.workbook import write_xlsx
from karat.reports.full_report import whole_report
from karat.reports.json import result_json
from karat.reports.markdown.comparison import comparison_markdown
from karat.reports.sections.failure_groups import compared_failure_groups, failure_groups, group_lines, group_rows
from karat.stats.compare.runs import compare_runs
from karat.store import RunRecord, open_store
from karat.verbs.show import show

SUITE = load_suite("data_query")
MEX = "COUNTRY wrong: asked MEX, got USA"
HOSTILE = "\x1b[31m=1+1 | <b>"


def case(number: int, asked: str = "", got: str = "", dimension: str = "COUNTRY") -> CaseResult:
    terms = {"false_negatives": [{"id": asked}], "false_positives": [{"id": got}]} if asked else {}
    details = {"dimensions": [{"dimension": dimension, "true_positives": [{"id": "x"}], **terms}]}
    return CaseResult(f"c{number}", "scored", {"fully_right": Score(float(not asked))}, details)


def run(name: str, cases: list[CaseResult]) -> RunResult:
    right = sum(one.scores["fully_right"].value or 0 for one in cases if one.scores)
    summary = (MetricSummary("fully_right", right / len(cases), len(cases), 0.1, 0.9),)
    return RunResult(RunInfo("data_query", id=name, cases=len(cases)), summary, cases)


BEFORE = run("r-0001", [case(n, "MEX", "USA") if n < 2 else case(n) for n in range(8)])
NOW = run(
    "r-0002",
    [
        *(case(n, "MEX", "USA") for n in range(4)),
        *(case(n, HOSTILE, "X", "AREA") for n in range(4, 6)),
        case(6, "CHL", "PER", "INDICATOR"),
        CaseResult("c7", "error", {}, error="timeout after 30 s"),
    ],
)


def printed(result: RunResult) -> str:
    out = StringIO()
    print_result(result, SUITE.metrics, Console(file=out, width=100, color_system=None, force_terminal=False))
    return out.getvalue()


def compared() -> Compared:
    return side_by_side(BEFORE, NOW, compare_runs(BEFORE, NOW, SUITE.metrics), SUITE.metrics)


def test_the_terminal_says_what_fails_most_often() -> None:
    lines = [line for line in printed(NOW).splitlines() if "cases" in line and "·" in line]
    assert any(line.startswith("fails by") and line.endswith(f"{MEX} · 4 cases") for line in lines)
    assert any("AREA wrong" in line and line.endswith("· 2 cases") for line in lines)
    assert "\x1b" not in printed(NOW)


def test_the_terminal_has_five_lines_at_most_and_they_add_up() -> None:
    many = run("r", [case(n, f"A{n // 2}", "B", f"D{n // 2}") for n in range(20)])
    lines = group_lines(failure_groups(many), 5)
    assert len(lines) == 5 and lines[-1] == ("6 more groups", "12 cases")
    assert sum(int(counted.split()[0]) for _, counted in lines) == 20


def test_the_terminal_says_nothing_where_no_two_cases_share_a_fault() -> None:
    assert "fails by" not in printed(run("r", [case(0, "MEX", "USA"), case(1)]))
    assert "fails by" not in printed(run("r", [case(0), case(1)]))


def test_json_has_all_groups_and_each_case_once() -> None:
    found = msgspec.json.decode(result_json(NOW))["failure_groups"]
    assert found["failing"] == 8 == sum(group["cases"] for group in found["groups"])
    assert found["groups"][0] == {
        "key": MEX,
        "label": MEX,
        "outcome": "wrong",
        "cases": 4,
        "family": "COUNTRY wrong",
        "found_in": 4,
    }
    assert [group["label"] for group in found["groups"]][-1] == SINGLE
    assert "failure_groups" not in msgspec.json.decode(result_json(run("r", [case(0)])))


def test_excel_has_a_sheet_and_formulas_stay_text(tmp_path: Path) -> None:
    write_xlsx(whole_report(NOW, SUITE), tmp_path / "r.xlsx")
    rows = [row for row in openpyxl.load_workbook(tmp_path / "r.xlsx")["Failure groups"].values if row[0]]
    assert (MEX, "wrong", 4) in rows
    assert any(str(row[0]).startswith("AREA wrong: asked ") and row[2] == 2 for row in rows)


def test_a_comparison_says_which_groups_grew(tmp_path: Path) -> None:
    item = compared()
    out = StringIO()
    print_comparison(item, Console(file=out, width=110, color_system=None, force_terminal=False))
    assert f"{MEX} · 2 → 4 cases, 2 more" in out.getvalue()
    assert f"| {MEX} | 2 | 4 | 2 more |" in comparison_markdown([item])
    (group,) = (one for one in as_plain([item])["comparisons"][0]["failure_groups"] if one.label == MEX)
    assert (group.baseline, group.on_same_cases, group.change) == (2, 4, 2)
    write_xlsx(comparison_report([item]), tmp_path / "c.xlsx")
    rows = list(openpyxl.load_workbook(tmp_path / "c.xlsx")["Failure groups"].values)
    assert (MEX, "wrong", 4, 2, 2) in rows


@pytest.mark.parametrize(("before", "words", "grew"), [(BEFORE, "2 more", True), (NOW, "same", False)])
def test_rows_of_a_page_are_scaled_to_the_longest_bar(before: RunResult, words: str, grew: bool) -> None:
    found = compared_failure_groups(before, NOW, compare_runs(before, NOW, SUITE.metrics))
    rows = group_rows(found, lambda key: f"?group={key}")
    assert (rows[0].head, rows[0].detail) == ("COUNTRY wrong", "asked MEX, got USA")
    assert (rows[0].share, rows[0].change, rows[0].grew, rows[0].link) == (100.0, words, grew, f"?group={MEX}")
    assert all(0 <= row.share <= 100 and 0 <= (row.baseline_share or 0) <= 100 for row in rows)


def test_a_case_says_which_group_it_is_in() -> None:
    group = failure_groups(NOW).groups[0]
    out = StringIO()
    view = case_view(NOW.run, NOW.cases[0], {}, [], SUITE.metrics, group)
    print_case(view, Console(file=out, width=100, color_system=None, force_terminal=False))
    assert f"{MEX} · 4 cases of the run" in out.getvalue()


def test_karat_show_finds_the_group(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        number = store.create_run(RunRecord(suite="data_query", cases=len(NOW.cases), status="finished"))
        store.add_scoring(number, NOW)
    found = show("c1", store=url).case.failure_group
    assert found is not None and (found.label, found.cases) == (MEX, 4)
    assert show("c6", store=url).case.failure_group is None  # no other case has its fault


def test_on_the_page_of_a_comparison_single_cases_come_last() -> None:
    """They are what is left over, however many they are."""
    before = run("r-0001", [case(n) for n in range(9)])
    lost = ("AUT", "BEL", "CHE", "DNK", "ESP")
    singles = [case(n, term, f"{term}2", f"D{n}") for n, term in enumerate(lost)]
    after = run("r-0002", [*singles, *(case(n, "MEX", "USA") for n in range(5, 9))])
    shown = comparison_page(side_by_side(before, after, compare_runs(before, after, SUITE.metrics), SUITE.metrics))
    assert shown.groups is not None
    assert [(row.label, row.after) for row in shown.groups.rows] == [(MEX, 4), (SINGLE, 5)]
