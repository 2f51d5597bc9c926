"""``fully_right``: everything that the case asks for, not the pooled terms alone; and the words for what is not
right."""

from __future__ import annotations

import pytest

from karat.core.metric import pass_metric
from karat.suites.data_query.metrics import METRICS
from karat.suites.data_query.selection.selection import (
    DatasetSelection,
    DatasetsSelection,
    Dimension,
    Period,
    Selection,
    Target,
    Term,
)
from tests.suites.data_query.building import compared, part, score, scores, sel, target

MEXICO = target({"INDICATOR": ["LP"], "COUNTRY": ["MEX"]}, period=Period("2015", "2020"))
RIGHT = sel({"INDICATOR": ["LP"], "COUNTRY": ["MEX"]}, period=Period("2015", "2020"))
NOTHING = Selection()
ELSEWHERE = Selection((DatasetSelection("NORD:WEATHER"),))


def test_the_pass_rate_of_the_suite_is_fully_right_and_exact_match_has_another_title() -> None:
    chosen = pass_metric(METRICS)
    assert chosen is not None
    assert (chosen.name, chosen.title, chosen.kind) == ("fully_right", "fully right", "rate")
    assert [metric.name for metric in METRICS if metric.headline and metric.kind == "rate"] == ["fully_right"]
    (exact,) = (metric for metric in METRICS if metric.name == "exact_match")
    assert exact.title == "all terms right (pooled)"


@pytest.mark.parametrize(
    ("expected", "found", "why"),
    [
        (MEXICO, RIGHT, ""),
        (MEXICO, sel({"INDICATOR": ["LP"], "COUNTRY": ["MEX"]}, "X:E", period=Period("2015", "2020")),
         "dataset missing: X:D; dataset not asked for: X:E"),
        (MEXICO, Selection((*RIGHT.indicator_selection, DatasetSelection("X:E")), period=RIGHT.period),
         "dataset not asked for: X:E"),
        (MEXICO, sel({"INDICATOR": ["LP"], "COUNTRY": ["MEX"]}, period=Period("2015", "2019")), "the end of the period "
                                                                                                "is wrong"),
        (MEXICO, sel({"INDICATOR": ["LP"], "COUNTRY": ["MEX"]}), "the start of the period is wrong; the end of the "
                                                                 "period is wrong"),
        (MEXICO, Selection(RIGHT.indicator_selection, is_out_of_scope=True, period=RIGHT.period),
         "the answer declines, and the case expects one"),
        (target({"A": ["a"]}, datasets_selection=DatasetsSelection(("X:D", "X:E"))), sel({"A": ["a"]}),
         "dataset missing: X:E"),
    ],
)  # fmt: skip
def test_all_terms_right_is_not_enough(expected: Target, found: Selection, why: str) -> None:
    got = scores(expected, found)
    assert got["exact_match"] == 1.0  # the terms pool over datasets, so this keeps its value
    assert got["fully_right"] == got["fully_right_by_id"] == (0.0 if why else 1.0)
    assert score("fully_right", expected, found).reason == why


@pytest.mark.parametrize(
    ("stated", "answer", "right"),
    [
        (True, NOTHING, True),
        (True, Selection(is_out_of_scope=True), True),
        (True, ELSEWHERE, False),
        (True, Selection(datasets_selection=DatasetsSelection(("NORD:WEATHER",))), False),
        (True, sel({"A": ["a"]}), False),
        (True, Selection((DatasetSelection("X:D", (Dimension("A", (), "all"),)),)), False),
        (True, Selection(is_out_of_scope=False), False),
        (False, ELSEWHERE, True),
        (False, NOTHING, False),
    ],
)
def test_a_selected_dataset_is_an_answer_and_no_refusal(stated: bool, answer: Selection, right: bool) -> None:
    assert score("out_of_scope", Target(is_out_of_scope=stated), answer).value == float(right)


def test_an_out_of_scope_case_is_fully_right_only_when_the_answer_says_so() -> None:
    out = Target(is_out_of_scope=True)
    assert scores(out, Selection(is_out_of_scope=True))["fully_right"] == 1.0
    assert scores(out, NOTHING)["fully_right"] == 0.0  # silence says nothing, unless the project says what it means
    assert scores(out, NOTHING, silence="out_of_scope")["fully_right"] == 1.0
    assert scores(out, ELSEWHERE)["exact_match"] == 1.0
    assert score("fully_right", out, ELSEWHERE).value == 0.0
    assert score("fully_right", out, sel({"A": ["a"]})).reason.startswith("the case is out of scope")


def test_by_id_leaves_names_out_and_nothing_else() -> None:
    renamed = sel({"INDICATOR": [("LP", "People")], "COUNTRY": ["MEX"]}, period=Period("2015", "2020"))
    got = scores(MEXICO, renamed)
    assert (got["fully_right"], got["fully_right_by_id"]) == (0.0, 1.0)
    assert score("fully_right", MEXICO, renamed).reason == "INDICATOR: LP with another name"
    assert scores(MEXICO, sel({"INDICATOR": [("LP", "People")], "COUNTRY": ["MEX"]}))["fully_right_by_id"] == 0.0


def test_an_answer_without_names_is_no_label_drift_and_scores_as_the_contract_says() -> None:
    bare = Selection((DatasetSelection("X:D", (Dimension("COUNTRY", (Term("MEX"), Term("USA"))),)),))
    expected = target({"COUNTRY": ["MEX", "USA"]})
    comparison = compared(expected, bare)
    assert comparison.drifts == ()
    got = scores(expected, bare)
    assert (got["macro_recall"], got["exact_match"], got["fully_right"]) == (0.0, 0.0, 0.0)
    assert (got["macro_recall_by_id"], got["fully_right_by_id"]) == (1.0, 1.0)
    assert score("fully_right", expected, bare).reason == "COUNTRY: MEX, USA without a name"


def test_a_name_that_only_the_answer_has_is_drift_of_the_case() -> None:
    expected = Target((DatasetSelection("X:D", (Dimension("COUNTRY", (Term("MEX"),)),)),))
    (drift,) = compared(expected, sel({"COUNTRY": ["MEX"]})).drifts
    assert (drift.expected, drift.found) == ("", "name of MEX")


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (sel({"AREA": [("nor", "name of NOR")]}), "AREA: nor in another letter case"),
        (sel({"area": ["NOR"]}), "the dimension area is AREA but for letter case; AREA: NOR missing; area: NOR not "
                                 "asked for"),
        (sel({"AREA": ["NOR"]}, "x:d"), "dataset missing: X:D; dataset not asked for: x:d; the dataset x:d is X:D but "
                                        "for letter case"),
        (sel({"AREA": ["SWE", "DNK", "FIN", "ISL"]}), "AREA: NOR missing; AREA: SWE, DNK, FIN and 1 more not asked "
                                                      "for"),
        (Selection((DatasetSelection("X:D", (Dimension("AREA", (), "all"),)),)), "AREA: everything selected, and no "
                                                                                 "codelist says what that is"),
        (NOTHING, "dataset missing: X:D; AREA: NOR missing"),
    ],
)  # fmt: skip
def test_the_reason_names_what_is_wrong(found: Selection, why: str) -> None:
    assert score("fully_right", target({"AREA": ["NOR"]}), found).reason == why


def test_a_version_that_differs_under_strict_versions_is_named() -> None:
    found = score("fully_right", target({"A": ["a"]}, "X:D(1.0)"), sel({"A": ["a"]}, "X:D(2.0)"), strict_versions=True)
    assert found.reason == "dataset missing: X:D(1.0); dataset not asked for: X:D(2.0)"


def test_an_alternative_that_differs_by_its_dataset_can_make_it_right() -> None:
    either = Target((part({"A": ["a"]}),), alternatives=(sel({"A": ["a"]}, "X:E"),))
    assert scores(either, sel({"A": ["a"]}, "X:E"))["fully_right"] == 1.0
