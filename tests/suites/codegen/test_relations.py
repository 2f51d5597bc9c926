"""Relations: what follows when tables change in a known way, which answers fail, and how small the failing table is."""

from __future__ import annotations

import msgspec
import pytest

from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.hidden_tests.related_results import related
from karat.suites.codegen.hidden_tests.relation_copies import Changing, changed
from karat.suites.codegen.metrics import relations as relations_metric
from karat.suites.codegen.metrics import tests as tests_metric
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Columns, HiddenTest, TableSource, Task
from tests.suites.codegen.tasks import QUICK, judge_code

SALES: Columns = {
    "order_id": [101, 102, 103, 104, 105, 106, 107, 108],
    "region": ["North", "South", "North", "East", "South", "East", "North", "South"],
    "qty": [12, 5, 7, 9, 3, 8, 11, 4],
}
TASK = Task(tables={"sales": TableSource(columns=SALES)})
TOTAL = "What is the total qty?"
MEAN = "What is the average qty?"
LARGEST = "What is the largest qty?"


def judged(
    code: str, *tests: HiddenTest, question: str = TOTAL, reference: str = "", options: Options = QUICK
) -> Comparison:
    task = msgspec.structs.replace(TASK, tests=tests, reference=reference)
    return judge_code(code, question=question, task=task, options=options)


def states(found: Comparison) -> list[str]:
    return [part.state for part in found.tests.parts]


ANY = HiddenTest("result is not None")
SCALED = HiddenTest(relation="scaled", column=("qty",), factor=8.0, result="times")
TWICE = HiddenTest(relation="duplicated", result="times")
MARS = HiddenTest(relation="irrelevant_rows", where="region == 'Mars'")
NORTH = "What is the total qty of North?"

KEPT = {
    "rows": (HiddenTest(relation="row_order"), "result = sales.qty.sum()", TOTAL),
    "rows of groups": (HiddenTest(relation="row_order"), "result = sales.groupby('region').qty.sum()", TOTAL),
    "rows, sorted": (
        HiddenTest(relation="row_order"),
        "result = sales.sort_values('qty')",
        "List the sales sorted by qty.",
    ),
    "columns": (HiddenTest(relation="columns"), "result = sales['qty'].sum()", TOTAL),
    "columns of all rows": (
        HiddenTest(relation="columns"),
        "result = sales[sales.qty > 5]",
        "Which sales have a qty above 5?",
    ),
    "scaled": (SCALED, "result = sales.qty.sum()", TOTAL),
    "scaled in part": (
        HiddenTest(relation="scaled", column=("qty",), factor=4.0, result={"total": "times", "n": "same"}),
        "result = sales.groupby('region').agg(total=('qty', 'sum'), n=('qty', 'size'))",
        "What are the total and the number by region?",
    ),
    "twice": (TWICE, "result = sales.qty.sum()", TOTAL),
    "twice, the mean": (HiddenTest(relation="duplicated", result="same"), "result = sales.qty.mean()", MEAN),
    "irrelevant": (MARS, "result = sales[sales.region == 'North'].qty.sum()", NORTH),
    "nulls": (HiddenTest(relation="nulls"), "result = sales.qty.mean()", MEAN),
}
BROKEN = {
    "rows": (HiddenTest(relation="row_order"), "result = sales.qty.iloc[0]", LARGEST),
    "last row": (HiddenTest(relation="row_order"), "result = sales.sort_index().qty.iloc[-2] + 1", LARGEST),
    "columns by place": (HiddenTest(relation="columns"), "result = sales.iloc[:, 2].sum()", TOTAL),
    "last number column": (
        HiddenTest(relation="columns"),
        "result = sales.select_dtypes('number').iloc[:, -1].sum()",
        TOTAL,
    ),
    "scaled": (SCALED, "result = sales[sales.qty < 20].qty.sum()", TOTAL),
    "twice": (TWICE, "result = sales.qty.iloc[:8].sum()", TOTAL),
    "irrelevant": (MARS, "result = sales[sales.region != 'South'][sales.region != 'East'].qty.sum()", NORTH),
    "nulls": (HiddenTest(relation="nulls"), "result = sales.qty.sum() / len(sales)", MEAN),
}


@pytest.mark.parametrize(("test", "code", "question"), KEPT.values(), ids=KEPT.keys())
def test_a_relation_that_holds(test: HiddenTest, code: str, question: str) -> None:
    found = judged(code, test, question=question)
    assert (states(found), found.correctness.passed) == (["held"], True), found.tests
    assert relations_metric.score(found).value == tests_metric.score(found).value == 1.0


@pytest.mark.parametrize(("test", "code", "question"), BROKEN.values(), ids=BROKEN.keys())
def test_a_stated_relation_decides(test: HiddenTest, code: str, question: str) -> None:
    found = judged(code, ANY, test, question=question)
    assert (states(found), found.correctness.passed) == (["held", "failed"], False), found.tests
    assert found.correctness.score == 0.25
    reasons = {"row_order": "depends_on_row_order", "columns": "depends_on_columns"}
    assert found.correctness.reason == reasons.get(test.relation or "", "test_failed")
    assert relations_metric.score(found).value == 0.0
    assert tests_metric.score(found).value == 0.5


def test_the_smallest_failing_table_has_few_rows() -> None:
    found = judged("result = sales.qty.iloc[0]", HiddenTest(relation="row_order"), question=LARGEST)
    smallest = found.correctness.evidence["smallest"]
    assert len(smallest["tables"]["sales"]["qty"]) == 2  # with one row there is no other order
    assert smallest["result"] != smallest["changed_result"]


def test_a_relation_that_the_reference_does_not_keep_is_left_out() -> None:
    code = "result = sales.qty.iloc[0]"
    found = judged(code, HiddenTest(relation="row_order"), question="What is the qty at the top?", reference=code)
    assert (states(found), found.correctness.passed) == (["error"], True)
    assert relations_metric.score(found).state == "not_applicable"


def test_nulls_with_a_reference_are_what_the_reference_says() -> None:
    counts = "result = len(sales)"
    found = judged(counts, HiddenTest(relation="nulls", column=("qty",)), question="How many sales?", reference=counts)
    assert states(found) == ["held"]


def test_nulls_need_a_column() -> None:
    found = judged("result = len(sales)", ANY, HiddenTest(relation="nulls"), question="How many sales are there?")
    assert states(found) == ["held", "error"]
    assert "say which with column" in found.tests.parts[1].reason


# -- relations that nobody stated -----------------------------------------------------------------------------------

BY_REGION = "What is the total qty by region?"


def test_what_depends_on_the_order_of_rows_is_reported_and_passes() -> None:
    task = msgspec.structs.replace(TASK, tests=(HiddenTest("result == 12"),))
    found = judge_code("result = sales.qty.iloc[0]", question=LARGEST, task=task, options=QUICK)
    assert found.correctness.passed
    score = relations_metric.score(found)
    assert score.value == 0.5 and score.reason.startswith("depends_on_row_order: ")
    assert tests_metric.score(found).value == 1.0


def test_a_right_answer_keeps_both() -> None:
    found = judged(
        "result = sales.groupby('region').qty.sum()",
        question=BY_REGION,
        reference="result = sales.groupby('region').qty.sum()",
    )
    assert relations_metric.score(found).value == 1.0
    assert [part.decides for part in found.tests.parts] == [False, False]
    assert tests_metric.score(found).state == "not_applicable"


@pytest.mark.parametrize(
    "question",
    ["What is the qty of the first sale?", "What is the running total of qty?", "What is the previous qty?"],
)
def test_row_order_is_not_tried_where_the_question_makes_it_matter(question: str) -> None:
    found = judged("result = sales.qty.iloc[0]", ANY, question=question)
    assert found.tests.not_tried == {"row_order": "the question makes the order of rows matter"}
    assert [part.relation for part in found.tests.parts] == ["", "columns"]


def test_row_order_is_not_tried_where_the_reference_depends_on_it() -> None:
    code = "result = sales.qty.iloc[0]"
    found = judged(code, question="What is the qty at the top?", reference=code)
    assert found.tests.not_tried == {"row_order": "the reference depends on it too"}


def test_the_option_switches_them_off() -> None:
    off = msgspec.structs.replace(QUICK, relations="no")
    assert judged("result = sales.qty.sum()", reference="result = sales.qty.sum()", options=off).tests.parts == ()
    with pytest.raises(ValueError, match="auto or no"):
        Options(relations="never")  # type: ignore[arg-type]  # what is tested


def test_a_wrong_answer_is_not_tried() -> None:
    assert judged("result = 3", reference="result = sales.qty.sum()").tests.parts == ()


# -- the changes themselves -------------------------------------------------------------------------------------------


def test_copies_by_hand() -> None:
    tables = {"sales": SALES}
    scaled = changed(tables, Changing(SCALED), 0)["sales"]
    assert scaled["qty"] == [96, 40, 56, 72, 24, 64, 88, 32] and scaled["region"] == SALES["region"]
    twice = changed(tables, Changing(TWICE), 0)["sales"]
    assert twice["qty"] == SALES["qty"] * 2 and len(set(twice["order_id"])) == 16
    mars = changed(tables, Changing(MARS), 0)["sales"]
    assert mars["region"][:8] == SALES["region"] and set(mars["region"][8:]) == {"Mars"}
    high = HiddenTest(relation="irrelevant_rows", where="qty > 100 and region in ['Mars', 'Moon']")
    added = changed(tables, Changing(high), 1)["sales"]
    assert min(added["qty"][8:]) > 100 and set(added["region"][8:]) <= {"Mars", "Moon"}
    for seed in range(3):
        shuffled = changed(tables, Changing(HiddenTest(relation="row_order")), seed)["sales"]
        assert shuffled["order_id"][0] != 101 and shuffled["order_id"][-1] != 108
        assert sorted(shuffled["qty"]) == sorted(SALES["qty"])
        names = list(changed(tables, Changing(HiddenTest(relation="columns")), seed)["sales"])
        assert len(names) == 5 and names[1:4] != list(SALES) and set(names[1:4]) == set(SALES)


def test_related_results_by_hand() -> None:
    assert related(3, "times", 8.0) == 24
    assert related({"North": 3, "label": "x"}, "times", 2.0) == {"North": 6, "label": "x"}
    assert related({"total": 3, "n": 2}, {"total": "times", "n": "same"}, 4.0) == {"total": 12, "n": 2}
    assert related([{"total": 3, "n": 2}], {"total": "times"}, 4.0) == [{"total": 12, "n": 2}]
    assert related((1, None, True), "times", 0.5) == (0.5, None, True)
