"""Operators and periods: every row of the table in docs/data_query.md, on codes and on TIME_PERIOD."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.suite import Unreadable
from karat.suites.data_query import suite
from karat.suites.data_query.comparison import compare_selection
from karat.suites.data_query.options import Options
from karat.suites.data_query.responses import read_response
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Period, Selection, Target, Term
from tests.suites.data_query.building import compared, kept, part, scores, target

TODAY = "2026-11-15"


def mcp(*queries: list[dict[str, Any]], dataset: str = "X:D") -> bytes:
    held = [{"datasetUrn": dataset, "filters": list(filters)} for filters in queries]
    return json.dumps({"structuredContent": {"queries": held}}).encode()


def time(operator: str, *values: str) -> dict[str, Any]:
    return {"dimensionId": "TIME_PERIOD", "operator": operator, "values": list(values)}


def codes(operator: str, *values: str) -> dict[str, Any]:
    return {"dimensionId": "A", "operator": operator, "values": [{"id": v, "name": f"name of {v}"} for v in values]}


def period(*filters: dict[str, Any]) -> Period | None:
    return read_response(mcp(list(filters)), TODAY).period


def right(expected: Period, *filters: dict[str, Any]) -> float | None:
    """The period score of these filters."""
    found = read_response(mcp(list(filters)), TODAY)
    return compare_selection(Target(period=expected), found, Options(today=TODAY)).period


@pytest.mark.parametrize("operator", ["not_equals", "NOT_IN", "not-in", "notIn", "!=", "ne"])
def test_what_is_ruled_out_is_not_selected(operator: str) -> None:
    found = scores(target({"A": ["a"]}), read_response(mcp([codes(operator, "a")])))
    assert (found["macro_recall"], found["exact_match"]) == (0.0, 0.0)
    found = scores(target({"A": ["a"]}), read_response(mcp([codes(operator, "b")])))
    assert (found["macro_recall"], found["macro_precision"], found["exact_match"]) == (None, None, 0.0)


def test_all_but_some_is_expanded_where_a_codelist_is_at_hand(tmp_path: Path) -> None:
    file = tmp_path / "codes.csv"
    file.write_text("codelist,id,name\nCL_A,a,name of a\nCL_A,b,name of b\nCL_A,c,name of c\n")
    found = read_response(mcp([codes("not_in", "c")]))
    got = scores(target({"A": ["a"]}), found, structures=(str(file),))
    assert (got["macro_recall"], got["macro_precision"]) == (1.0, 0.5)


@pytest.mark.parametrize("operator", ["gt", ">=", "between", "less_than"])
def test_codes_cannot_be_compared(operator: str) -> None:
    with pytest.raises(Unreadable, match="cannot be used on the codes of A"):
        read_response(mcp([codes(operator, "a", "b")]))


def test_an_unknown_operator_names_the_nearest() -> None:
    with pytest.raises(Unreadable, match=r'unknown operator "betwen" on TIME_PERIOD. Did you mean "between"'):
        read_response(mcp([time("betwen", "2015", "2020")]))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([time("equals", "2020")], Period("2020-01-01", "2020-12-31")),
        ([time("=", "2020-Q2")], Period("2020-04", "2020-06-30")),
        ([time("gt", "2015"), time("le", "2020")], Period("2016", "2020")),
        ([time("greater_than", "2015-12-31"), time("<", "2021")], Period("2016", "2020")),
        ([time(">=", "2015-01")], Period("2015")),
        ([time("<=", "2020-Q4")], Period(None, "2020")),
        ([time("lt", "2020")], Period(None, "2019")),
        ([time("greaterThanOrEquals", "2015"), time("LESS_THAN_OR_EQUALS", "2016")], Period("2015", "2016-12-31")),
        ([time("between", "2020", "2015")], Period("2015", "2020")),
        ([time("in", "2015", "2017", "2016")], Period("2015", "2017")),
        ([time("in", "2015", "2017")], Period("2017", "2017", (Period("2015", "2015"),))),
        ([time("not_in", "2015")], Period(None, "2014", (Period("2016"),))),
        ([time("equals", "2020-W53")], Period("2020-12-28", "2021-01-03")),
        ([time("ge", "2020-S2")], Period("2020-07-01")),
        ([time("in", "2020-A1")], Period("2020", "2020")),
        ([time("in", "2020-M03")], Period("2020-03", "2020-03")),
        ([time("between", "2020-01-31T12:00", "2020-02-01 00:00")], Period("2020-01-31", "2020-02-01")),
        ([time("all"), time("ge", "2015")], Period("2015")),
        ([time("excluded", "2015"), time("le", "2016")], Period(None, "2016")),
        ([time("ge", "$TODAY-2S")], Period("2025-S2")),
        ([time("equals", "$TODAY-1W")], Period("2026-11-02", "2026-11-08")),
    ],
)  # fmt: skip
def test_filters_on_the_period(filters: list[dict[str, Any]], expected: Period) -> None:
    assert right(expected, *filters) == 1.0


def test_an_exclusive_end_is_not_the_end_itself() -> None:
    assert right(Period("2015", "2020"), time("gt", "2015"), time("lt", "2020")) == 0.0


def test_two_spans_are_right_only_for_the_same_two() -> None:
    assert right(Period("2015", "2017"), time("in", "2015", "2017")) == 0.0


def test_filters_that_leave_nothing_are_unreadable() -> None:
    with pytest.raises(Unreadable, match="the period is empty"):
        period(time("gt", "2020"), time("lt", "2019"))


@pytest.mark.parametrize(("operator", "values"), [("gt", ()), ("between", ("2015",)), ("ge", ("banana",))])
def test_a_time_filter_with_unusable_values_is_unreadable(operator: str, values: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable, match="TIME_PERIOD"):
        period(time(operator, *values))


def test_an_open_period_is_none() -> None:
    assert period(time("all")) is None


def test_two_queries_keep_both_periods() -> None:
    found = read_response(mcp([time("between", "2015", "2020")], [time("between", "1990", "1991")]))
    assert [one.period for one in found.indicator_selection] == [Period("2015", "2020"), Period("1990", "1991")]
    comparison = compare_selection(Target((part({}),), period=Period("2015", "2020")), found, Options(today=TODAY))
    assert comparison.period == 0.5
    rows = kept((0, comparison))["period"]
    assert [row["found"] for row in rows] == [{"start": "2015", "end": "2020"}, {"start": "1990", "end": "1991"}]


def test_only_queries_in_expected_datasets_count_where_there_are_any() -> None:
    found = Selection(
        (DatasetSelection("X:D(1.0)", period=Period("2015")), DatasetSelection("X:OTHER", period=Period("1990")))
    )
    expected = Target((DatasetSelection("X:D"),), period=Period("2015"))
    assert compared(expected, found, today=TODAY).period == 1.0
    assert compared(Target((DatasetSelection("X:NONE"),), period=Period("2015")), found, today=TODAY).period == 0.75


def test_an_entry_of_a_target_has_its_own_period() -> None:
    expected = Target((DatasetSelection("X:D", period=Period("2015")), DatasetSelection("X:E")), period=Period("2020"))
    found = Selection((DatasetSelection("X:D"), DatasetSelection("X:E")), period=Period("2020"))
    assert compared(expected, found, today=TODAY).period == (0.5 + 1) / 2


def test_time_period_as_a_dimension_of_the_own_form_is_the_period() -> None:
    dimensions = [{"dimension_name": "TIME_PERIOD", "operator": "ge", "values": [{"id": "2015"}]}]
    body = {"indicator_selection": [{"dataset_id": "X:D", "dimensions": dimensions}]}
    found = read_response(json.dumps(body).encode())
    assert found.indicator_selection == (DatasetSelection("X:D", period=Period("2015")),)


# -- a target that takes everything -----------------------------------------------------------------------------------


def everything(operator: str = "all", *values: str) -> Target:
    return Target((DatasetSelection("X:D", (Dimension("A", tuple(Term(v) for v in values), operator),)),))


def test_all_against_all_is_right() -> None:
    got = scores(everything(), Selection(everything().indicator_selection))
    assert (got["macro_recall"], got["macro_precision"], got["exact_match"]) == (1.0, 1.0, 1.0)


def test_all_against_a_list_cannot_be_judged_and_is_not_fully_right() -> None:
    comparison = compared(everything(), Selection((part({"A": ["a"]}),)))
    got = scores(everything(), Selection((part({"A": ["a"]}),)))
    assert (got["macro_recall"], got["macro_precision"], got["exact_match"]) == (None, None, 0.0)
    (dimension,) = kept((0, comparison))["dimensions"]
    assert dimension["in_target"] is True and dimension["everything_expected"] is True
    assert dimension["false_positives"] == []


def test_all_against_nothing_is_missed() -> None:
    got = scores(everything(), Selection((part({"B": ["b"]}),)))
    assert (got["macro_recall"], got["exact_match"]) == (0.0, 0.0)


def test_all_in_a_target_is_expanded_where_a_codelist_is_at_hand(tmp_path: Path) -> None:
    file = tmp_path / "codes.csv"
    file.write_text("codelist,id,name\nCL_A,a,name of a\nCL_A,b,name of b\n")
    got = scores(everything(), Selection((part({"A": ["a"]}),)), structures=(str(file),))
    assert (got["macro_recall"], got["macro_precision"]) == (0.5, 1.0)


def test_all_but_some_in_a_target_refuses_just_those() -> None:
    got = scores(everything("not_in", "a"), Selection((part({"A": ["a", "b"]}),)))
    assert (got["macro_precision"], got["exact_match"]) == (0.0, 0.0)
    got = scores(everything("not_equals", "a"), Selection(everything("not_in", "a").indicator_selection))
    assert got["exact_match"] == 1.0


def test_check_notes_a_target_that_no_structure_can_expand(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    dimension = "{dimension_name: A, operator: all}"
    file.write_text(
        f"id: c\nconversation:\n- role: user\n  content: q\n  target: {{indicator_selection: [{{dataset_id: 'X:D', "
        f"dimensions: [{dimension}]}}]}}\n"
    )
    cases = suite.load_cases(file).cases
    (problem,) = suite.check_cases(cases, [], Options()).problems
    assert problem.severity == "warning" and problem.line == 1
    assert 'case "c" expects "all" in A' in problem.message


def test_a_case_with_an_unknown_operator_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(
        "id: c\nconversation:\n- role: user\n  content: q\n  target:\n    indicator_selection:\n"
        "    - dataset_id: X:D\n      dimensions: [{dimension_name: A, operator: exept}]\n"
    )
    loaded = suite.load_cases(file)
    assert not loaded.cases
    assert 'unknown operator "exept" on A' in loaded.problems[0].message


# -- alternatives -----------------------------------------------------------------------------------------------------


def test_the_best_whole_alternative_counts_for_every_metric() -> None:
    other = Selection((part({"A": ["a"]}, "X:E"),), period=Period("2020"))
    expected = Target((part({"A": ["a"]}),), period=Period("2015"), alternatives=(other,))
    got = scores(expected, other, today=TODAY)
    assert (got["dataset_recall"], got["unexpected_dataset"], got["period"]) == (1.0, 0.0, 1.0)
    assert compared(expected, other, today=TODAY).alternative == 0


def test_an_alternative_that_differs_only_by_its_period_can_win() -> None:
    other = Selection((part({"A": ["a"]}),), period=Period("2020"))
    expected = Target((part({"A": ["a"]}),), period=Period("2015"), alternatives=(other,))
    assert compared(expected, other, today=TODAY).alternative == 0
    first = Selection((part({"A": ["a"]}),), period=Period("2015"))
    assert compared(expected, first, today=TODAY).alternative is None


# -- misspelt keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "nearest"),
    [
        ({"indicator_selecton": []}, "indicator_selection"),
        ({"indicator_selection": [], "is_out_of_scop": True}, "is_out_of_scope"),
        ({"indicator_selection": [{"dataset_id": "X:D", "dimension": []}]}, "dimensions"),
        ({"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension": "A"}]}]}, "dimension"),
        ({"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "value": []}]}]},
         "values"),
        ({"structuredContent": {"queries": [{"datasetUrn": "X:D", "filter": []}]}}, "filters"),
        ({"structuredContent": {"queries": [{"datasetUrn": "X:D", "filters": [{"dimensionId": "A", "value": ["a"]}]}]}},
         "values"),
    ],
)  # fmt: skip
def test_a_misspelt_key_is_an_error_that_names_the_nearest(body: dict[str, Any], nearest: str) -> None:
    with pytest.raises(Unreadable, match=f"Did you mean .*{nearest}"):
        read_response(json.dumps(body).encode())


def test_a_key_inside_a_selection_that_is_not_known_is_an_error() -> None:
    term = {"id": "a", "label": "name of a"}
    body = {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": [term]}]}]}
    with pytest.raises(Unreadable, match=r'unknown key "label" in .*Did you mean name\?'):
        read_response(json.dumps(body).encode())


def test_other_keys_beside_a_selection_are_left_alone() -> None:
    assert read_response(b'{"indicator_selection": [], "explanation": "none fits", "model": "m"}') == Selection()
