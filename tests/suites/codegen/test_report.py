"""The report of the example project: every sheet, with figures that can be counted in its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.report import Report, Sheet
from karat.core.results.result import RunResult
from karat.reports.excel.workbook import write_xlsx
from karat.runs.scores.run_scoring import score_recorded
from karat.stats.intervals.estimates import estimate
from karat.suites.codegen import suite
from karat.suites.codegen.details import details_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.presentation.highlights import highlights
from karat.suites.codegen.repair.figures import after_repairs
from karat.suites.codegen.report import marked_lines, report
from karat.suites.codegen.summaries.counts import Step, funnel

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "codegen"


@pytest.fixture(scope="module")
def results() -> dict[str, RunResult]:
    cases = suite.load_cases(EXAMPLE / "tasks.yaml").cases
    options = Options(performance=False, perturb="quick")
    return {
        name: score_recorded(suite, cases, suite.read_predictions(EXAMPLE / f"{name}.jsonl").predictions, options)
        for name in ("careful", "hasty")
    }


def sheet(found: Report, title: str) -> Sheet:
    return next(sheet for sheet in found.sheets if sheet.title == title)


def test_the_example_loads_and_every_reference_runs(results: dict[str, RunResult]) -> None:
    loaded = suite.load_cases(EXAMPLE / "tasks.yaml")
    assert (len(loaded.cases), loaded.problems) == (16, ())
    (told,) = suite.check_cases(loaded.cases, (), Options()).problems
    assert told.severity == "warning" and 'the first: "table_sizes"' in told.message  # the one task without a reference
    assert {case.status for case in results["careful"].cases} == {"scored"}  # not one gold_error


def test_the_careful_model_is_right_and_the_hasty_one_is_not(results: dict[str, RunResult]) -> None:
    passed = {name: {case.id for case in found.cases if case.scores["passed"].value} for name, found in results.items()}
    assert len(passed["careful"]) == 16
    assert passed["hasty"] == {
        "loans_by_branch",
        "oldest_member",
        "young_readers",
        "running_fees",
        "members_by_town",
    }
    careful, hasty = (results[name].metric("overall").mean for name in ("careful", "hasty"))
    assert careful is not None and hasty is not None and careful > hasty


def test_the_funnel_counts_what_ran_and_what_was_right(results: dict[str, RunResult]) -> None:
    assert funnel(results["careful"]) == [Step(0, 16, 14, 16, 14), Step(1, 16, 16, 16, 16)]
    assert funnel(results["hasty"]) == [Step(0, 16, 11, 16, 4), Step(1, 16, 11, 16, 4), Step(2, 16, 12, 16, 5)]


def test_what_repairs_were_worth(results: dict[str, RunResult]) -> None:
    # Twelve first tries of hasty were wrong. Five did not run, two of them were repaired at all, one in the end: the
    # oldest member.
    found = [(s.repairs, s.wrong_at_first, s.did_not_run, s.right) for s in after_repairs(results["hasty"], estimate)]
    assert found == [(1, 12, 5, 0), (2, 12, 5, 1)]
    assert [(s.wrong_at_first, s.right) for s in after_repairs(results["careful"], estimate)] == [(2, 2)]
    assert results["hasty"].metric("repaired").mean == pytest.approx(1 / 12)


def test_every_sheet(results: dict[str, RunResult]) -> None:
    found = report(results["hasty"], estimate)
    assert [part.title for part in found.sheets] == [
        "Overview",
        "Statistics",
        "Lost points",
        "Errors by class",
        "Recovery",
        "Missing requirements",
        "Environments",
        "About",
    ]
    overview = sheet(found, "Overview").tables[0]
    assert len(overview.rows) == 16
    assert all(len(row) == len(overview.columns) for row in overview.rows)
    classes = {row[0]: row[1:3] for row in sheet(found, "Errors by class").tables[0].rows}
    assert classes["column_error"] == (2, 1)
    assert classes["syntax_error"] == (1, 0)
    assert classes["other_error"] == (2, 0)
    kinds = {row[0]: row[1] for row in sheet(found, "Missing requirements").tables[0].rows}
    assert kinds == {"filter": 3, "group": 2, "order": 3, "join": 2, "use of the tables": 4}


def test_lost_points_stand_at_their_lines(results: dict[str, RunResult]) -> None:
    case = next(case for case in results["hasty"].cases if case.id == "members_by_town")
    details = details_of(case)
    assert details is not None
    rows = marked_lines(case.id, details)
    assert [row[1] for row in rows] == [1, 2, 3, 4, 5]
    assert [row[3] for row in rows] == ["", -0.2, "", "", ""]
    assert "for _, row in members.iterrows():" in str(rows[1][2])
    right = next(case for case in results["careful"].cases if case.id == "total_fees")
    flawless = details_of(right)
    assert flawless is not None and marked_lines(right.id, flawless) == []


def test_the_terminal_in_four_lines(results: dict[str, RunResult]) -> None:
    lines = highlights(results["hasty"])
    assert len(lines) == 4
    assert lines[0] == "of 16 tasks    11 → 11 → 12 ran · 4 → 4 → 5 right (first → after 2 repairs)"
    assert lines[1] == "repairs        1 of 12 wrong first tries right after ≤ 2 (0.08, 0.01–0.35)"
    assert "column_error 2" in lines[2]
    assert highlights(results["careful"])[0] == "of 16 tasks    14 → 16 ran · 14 → 16 right (first → after 1 repair)"


def test_it_can_be_written(results: dict[str, RunResult], tmp_path: Path) -> None:
    for name, found in results.items():
        write_xlsx(report(found, estimate), tmp_path / f"{name}.xlsx")
        assert (tmp_path / f"{name}.xlsx").stat().st_size > 5_000
