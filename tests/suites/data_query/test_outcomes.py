"""Outcomes: what a response does beside what it should do, per case and over a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.suite import Unreadable
from karat.reports.json import result_json
from karat.stats.intervals.estimates import estimate
from karat.suites.data_query.cases import load_cases
from karat.suites.data_query.comparison import compare
from karat.suites.data_query.details import details
from karat.suites.data_query.options import Options
from karat.suites.data_query.report import report
from karat.suites.data_query.selection.outcomes import OutcomeRule
from karat.suites.data_query.selection.selection import DatasetSelection, Selection, Target
from tests.suites.data_query.building import case, score, sel, target

ANSWER = {
    "indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": [{"id": "a"}]}]}]
}


def outcome(expected: Target, response: Any, **options: Any) -> tuple[str, str]:
    body = karat.Prediction("c", 0, response=json.dumps(response).encode())
    found = details([(0, compare(case("c", expected), 0, body, Options(**options)))]).outcomes[0]
    return found.found, found.how


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (target({"A": ["a"]}), ("answer",)),
        (Target((DatasetSelection("X:D"),)), ("answer",)),
        (Target(is_out_of_scope=True), ("out_of_scope",)),
        (Target(outcome="no_data"), ("no_data",)),
        (target({"A": ["a"]}, outcome=("answer", "clarification")), ("answer", "clarification")),
        (Target(), ()),
        (Target(is_out_of_scope=False), ()),
    ],
)
def test_what_a_target_expects(given: Target, expected: tuple[str, ...]) -> None:
    assert given.outcomes == expected


def test_what_a_response_does_first_that_applies() -> None:
    asked = target({"A": ["a"]})
    rules = (
        OutcomeRule(path="structuredContent.status", map={"NO_DATA": "no_data"}),
        OutcomeRule(text="which country", outcome="clarification"),
    )
    assert outcome(asked, {"outcome": "no_data"}) == ("no_data", "outcome")
    assert outcome(asked, {"structuredContent": {"status": "NO_DATA", "queries": []}}, outcome_from=rules) == (
        "no_data",
        "outcome_from: structuredContent.status",
    )
    words = {"choices": [{"message": {"role": "assistant", "content": "Tell me which country you mean."}}]}
    assert outcome(asked, words, outcome_from=rules)[0] == "clarification"
    assert outcome(asked, {"is_out_of_scope": True, **ANSWER})[0] == "out_of_scope"
    assert outcome(asked, ANSWER) == ("answer", "selection")
    assert outcome(asked, {"indicator_selection": []})[0] == "not_stated"
    assert outcome(asked, {"indicator_selection": []}, silence="no_data")[0] == "no_data"
    with pytest.raises(Unreadable, match=r'unknown outcome "nodata"\. Did you mean "no_data"'):
        outcome(asked, {"outcome": "nodata"})
    with pytest.raises(Unreadable):
        outcome(asked, words)


def test_an_error_is_met_only_by_a_response_that_says_so() -> None:
    expected = Target(outcome="error")
    failed = {"isError": True, "content": [{"type": "text", "text": "boom"}]}
    assert outcome(expected, failed) == ("error", "isError")
    assert outcome(expected, {"outcome": "error"}) == ("error", "outcome")
    for response in (failed, {"outcome": "error"}):
        with pytest.raises(Unreadable):  # the case has the status error, as before
            outcome(target({"A": ["a"]}), response)
    with pytest.raises(Unreadable):
        outcome(expected, {"nothing": "known"})


@pytest.mark.parametrize(
    ("expected", "found", "values"),
    [  # outcome_right, over_refusal, over_clarification, under_refusal, under_clarification
        (target({"A": ["a"]}), Selection(), (0, 1, 0, None, None)),
        (target({"A": ["a"]}), Selection(is_out_of_scope=True), (0, 1, 0, None, None)),
        (target({"A": ["a"]}), sel({"A": ["b"]}), (1, 0, 0, None, None)),
        (Target(outcome="no_data"), sel({"A": ["b"]}), (0, None, None, 1, None)),
        (Target(is_out_of_scope=True), Selection(is_out_of_scope=True), (1, None, None, 0, None)),
        (Target(outcome=("no_data", "clarification")), sel({"A": ["b"]}), (0, None, None, None, 1)),
        (Target(outcome="clarification"), Selection(), (0, None, None, None, 0)),
        (target({"A": ["a"]}, outcome=("answer", "no_data")), Selection(), (0, 1, 0, None, None)),
        (Target(), sel({"A": ["b"]}), (None, None, None, None, None)),
    ],
)
def test_rates_of_a_case(expected: Target, found: Selection, values: tuple[float | None, ...]) -> None:
    names = ("outcome_right", "over_refusal", "over_clarification", "under_refusal", "under_clarification")
    assert tuple(score(name, expected, found).value for name in names) == values


def test_the_right_refusal_is_fully_right_and_an_answer_there_is_not() -> None:
    assert score("fully_right", Target(is_out_of_scope=True), Selection(is_out_of_scope=True)).value == 1.0
    wrong = score("fully_right", Target(outcome="no_data"), sel({"A": ["a"]}))
    assert (wrong.value, wrong.reason.partition(";")[0]) == (0.0, "no_data expected, found answer")


def test_the_worked_example_over_a_run() -> None:
    asked = {"indicator_selection": ANSWER["indicator_selection"]}
    refused: dict[str, Any] = {"is_out_of_scope": True}
    silent: dict[str, Any] = {"indicator_selection": []}
    ask: dict[str, Any] = {"outcome": "clarification"}
    rows = [(asked, ANSWER)] * 15 + [(asked, silent), (asked, refused)]
    rows += [({**asked, "outcome": ["answer", "clarification"]}, ask), (ask, ask), ({"outcome": "no_data"}, ANSWER)]
    cases = [
        {"id": f"c{n}", "conversation": [{"role": "user", "content": "q", "target": goal}]}
        for n, (goal, _) in enumerate(rows)
    ]
    answers = [{"id": f"c{n}", **reply} for n, (_, reply) in enumerate(rows)]
    result = karat.score(suite="data_query", cases=cases, predictions=answers)
    found = json.loads(result_json(result))["figures"]["outcomes"]
    assert found["confusion"] == {
        "answer": {"answer": 15, "out_of_scope": 1, "not_stated": 1},
        "clarification": {"clarification": 2},
        "no_data": {"answer": 1},
    }
    assert found["recall"]["answer"] == {"value": pytest.approx(15 / 17), "n": 17}
    assert found["recall"]["clarification"]["value"] == 1.0 and found["recall"]["no_data"]["value"] == 0.0
    assert found["precision"]["answer"] == {"value": pytest.approx(15 / 16), "n": 16}
    assert found["over_refusal"] == {"value": pytest.approx(2 / 18), "n": 18}
    assert found["under_refusal"] == {"value": 1.0, "n": 1}
    [sheet] = [one for one in report(result, estimate).sheets if one.title == "Outcomes"]
    assert [row[0] for row in sheet.tables[0].rows] == ["answer", "clarification", "no_data"]
    assert sheet.tables[0].rows[0][1:6] == (15, 0, 0, 1, 1)  # answer, clarification, no_data, out_of_scope, not_stated


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("outcome: nodata", 'unknown outcome "nodata"'),
        ("outcome: no_data\n    datasets_selection: {datasets: [X:D]}", "outcome: no_data, and something is selected"),
        ("outcome: no_data\n    is_out_of_scope: true", "outcome says otherwise"),
    ],
)
def test_targets_that_contradict_themselves(tmp_path: Path, goal: str, said: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(f"id: c\nconversation:\n- role: user\n  content: q\n  target:\n    {goal}\n")
    [problem] = load_cases(file).problems
    assert said in problem.message and problem.line == 6 and problem.column and problem.hint
