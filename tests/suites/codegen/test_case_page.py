"""The page of a case: lines of code marked by what happened there, tests with their smallest tables, growth as
curves."""

from __future__ import annotations

import msgspec
import pytest

from karat.core.case_form import Curves, Grids, Listed
from karat.core.explanation import plain_details
from karat.core.presentation.code_views import Codes
from karat.core.results.result import CaseResult, RunInfo
from karat.core.scores import Score
from karat.reports.html.case_forms import rendered_form
from karat.runs.scores.summary import summarise
from karat.suites.codegen import suite
from karat.suites.codegen.details import details
from karat.suites.codegen.hidden_tests.records import TestResult, TestResults
from karat.suites.codegen.hidden_tests.sheet import sheet_of_tests
from karat.suites.codegen.presentation.form import form
from karat.suites.codegen.records import HiddenTest, TableSource, Task
from karat.suites.codegen.timing.growth_view import growth_view
from karat.suites.codegen.timing.records import Curve, Growth, GrowthPoint
from tests.suites.codegen.tasks import MEANS, QUICK, SALES, judge_code
from tests.suites.codegen.tried_tasks import DETAILS

CODE = """\
import numpy
older = people[people.age > 30]
spare = people.age.max()
total = 0
for _, row in older.iterrows():
    total += row["pay"]
result = total
"""
SMALLEST = {"tables": {"t": {"x": [1, None]}}, "changed": {"t": {"x": [None, 1]}}, "result": "1", "changed_result": "2"}
FAILED = TestResult("row_order", "failed", "depends", "row_order", decides=False, smallest={**SMALLEST, "seed": 1})
HELD = TestResult("columns", "held", relation="columns", decides=False)
STATED = TestResult("test 1 (assert x)", "held")


def test_lines_say_what_happened_there() -> None:
    people = TableSource(columns={"name": ["Ann", "Bob", "Cy"], "age": [31, 40, 20], "pay": [1, 2, 4]})
    task = Task(tables={"people": people}, reference="result = people[people.age > 30].pay.sum()")
    found = details([(0, judge_code(CODE, question="Total pay of people with age above 30", task=task, options=QUICK))])
    view = next(view for view in form(found, task, None).views if isinstance(view, Codes))
    lines = {line.number: (line.mark, line.why) for line in view.codes[0].lines if line.mark}
    assert lines[2] == ("met", "asked for: age > 30")
    assert lines[3][0] == "dead" and "does not reach the result" in lines[3][1]
    assert lines[5][0] == "lost" and "iterrows" in lines[5][1]
    assert 7 not in lines
    text = str(rendered_form(form(found, task, None)))
    assert 'class="l met"' in text and 'class="l dead"' in text and 'class="l lost"' in text


def test_tests_are_rows_and_the_smallest_tables_are_shown() -> None:
    found = form(msgspec.structs.replace(DETAILS, tests=TestResults((STATED, FAILED, HELD))), None, None)
    rows, smallest = [view for view in found.views if isinstance(view, Grids) and "est" in view.title][-2:]
    assert rows.grids[0].columns == ("entry", "state", "seed", "why")
    assert [row[:3] for row in rows.grids[0].rows] == [
        ("test 1 (assert x)", "holds", ""),
        ("row_order", "failed (reported only)", "1"),
        ("columns", "holds (reported only)", ""),
    ]
    assert smallest.note == "seed 1"
    assert [(grid.title, grid.note, grid.right) for grid in smallest.grids] == [
        ("t", "gives 1", None),
        ("t, changed", "gives 2", False),
    ]
    quiet = form(msgspec.structs.replace(DETAILS, tests=TestResults((STATED, HELD))), None, None)
    assert any(isinstance(view, Listed) and view.title == "Tests" for view in quiet.views)


def test_the_sheet_of_tests() -> None:
    kept = msgspec.structs.replace(DETAILS, tests=TestResults((STATED, FAILED, HELD)))
    cases = [CaseResult("a", "scored", {"overall": Score(0.6)}, plain_details(kept))]
    sheet = sheet_of_tests(summarise(suite, RunInfo("codegen"), cases))
    assert sheet is not None and sheet.title == "Tests"
    assert sheet.tables[0].rows == (
        ("a", "test 1 (assert x)", "holds", "yes", "", "", "", "", "", ""),
        ("a", "row_order", "failed", "no", "1", "depends", 2, "t: x\n1\n", "1", "2"),
    )
    assert sheet_of_tests(summarise(suite, RunInfo("codegen"), [])) is None


def test_growth_is_drawn_over_logarithmic_axes() -> None:
    own = Curve((GrowthPoint(100, (0.001,)), GrowthPoint(1_000, (0.1,)), GrowthPoint(10_000, (10.0,))), 2.0, 1.9, 2.1)
    reference = Curve((GrowthPoint(100, (0.001,)), GrowthPoint(10_000, (0.1,))), 1.0)
    view = growth_view(Growth(own, reference, "grows_faster"))
    assert isinstance(view, Curves) and view.note == "grows faster"
    assert [curve.label for curve in view.curves] == [
        "code: exponent 2.00 (1.90 – 2.10)",
        "reference: exponent 1.00",
    ]
    assert [(point.x, point.y) for point in view.curves[0].points] == [(0, 100), (50, 50), (100, 0)]
    assert [(point.x, point.y) for point in view.curves[1].points] == [(0, 100), (100, 50)]
    assert [label for _, label in view.x_ticks] == ["100", "1,000", "10,000"]
    performance = msgspec.structs.replace(DETAILS.performance, curves=Growth(own, reference, "grows_faster"))
    text = str(rendered_form(form(msgspec.structs.replace(DETAILS, performance=performance), None, None)))
    assert 'class="c yl curves"' in text and "10,000 rows, 10 s" in text
    assert growth_view(Growth()) is None


@pytest.mark.parametrize("stated", [False, True])
def test_code_that_waits_where_it_has_no_right_answer_does_not_pass(stated: bool) -> None:
    """Waiting for the limit on every changed table is no way around the check."""
    code = f"if df.units.tolist() != {SALES['units']}:\n    while True: pass\n{MEANS.reference}"
    tests = (HiddenTest(relation="row_order"),) if stated else ()
    task = msgspec.structs.replace(MEANS, timeout=1.0, tests=tests)
    options = msgspec.structs.replace(QUICK, perturb="no" if stated else "quick", relations="no")
    found = judge_code(code, task=task, options=options).correctness
    assert not found.passed
    assert found.reason == ("depends_on_row_order" if stated else "only_fits_this_data")
