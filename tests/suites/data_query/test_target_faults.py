"""Targets that no answer could meet are mistakes with file and line; periods of an answer that are none make it
unreadable."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from karat.core.records import Prediction
from karat.core.suite import Unreadable
from karat.runs.scores.scoring import score_case
from karat.suites.data_query import suite
from karat.suites.data_query.cases import load_cases
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.nearest import nearest_periods
from karat.suites.data_query.periods.period import days
from karat.suites.data_query.responses import read_response
from tests.suites.data_query.building import check_codes as check_cases

HEAD = """\
id: one
conversation:
- role: user
  content: How many people?
  target:
"""
SELECTED = """\
    indicator_selection:
    - dataset_id: X:D
      dimensions: [{dimension_name: A, values: [{id: a, name: A}]}]
"""


def problems_of(path: Path, target: str) -> list[tuple[int, str, str]]:
    file = path / "case.yaml"
    file.write_text(HEAD + target)
    loaded = load_cases(file)
    assert bool(loaded.cases) == (not loaded.problems)
    return [(problem.line, problem.message, problem.hint) for problem in loaded.problems]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("2019-Q5", ["2019-Q4"]),
        ("2019-S3", ["2019-S2"]),
        ("2021-W53", ["2021-W52"]),
        ("2020-13", ["2020-12"]),
        ("2020-M13", ["2020-12"]),
        ("2020-02-30", ["2020-02-29"]),
        ("31/12/2021", ["2021-12-31"]),
        ("12/31/2021", ["2021-12-31"]),
        ("03.04.2021", ["2021-04-03", "2021-03-04"]),
        ("2021/12/31", ["2021-12-31"]),
        ("12/2021", ["2021-12"]),
        ("Q1 2020", ["2020-Q1"]),
        ("$TODAY-5X", ["$TODAY-5Y"]),
        ("$TODAY - 10 years", ["$TODAY-10Y"]),
        ("$TODAY-3", ["$TODAY-3Y"]),
        ("today-6m", ["$TODAY-6M"]),
        ("banana", []),
        ("2020-01-31 to 2020-02-28", []),
        ("2020-01-31Tlater", []),
        ("20", []),
    ],
)
def test_what_is_no_period_is_a_mistake_in_a_target_and_unreadable_in_an_answer(
    tmp_path: Path, text: str, near: list[str]
) -> None:
    assert nearest_periods(text) == near
    ((line, message, hint),) = problems_of(
        tmp_path, f'{SELECTED}    period:\n      start: "2010"\n      end: "{text}"\n'
    )
    assert line == 11
    assert f'"{text}" is no period' in message
    assert "2015-Q1" in hint and "$TODAY-10Y" in hint
    if near:
        assert f"Did you mean {' or '.join(near)}?" in message
    answer = {"indicator_selection": [{"dataset_id": "X:D"}], "period": {"start": "2010", "end": text}}
    with pytest.raises(Unreadable, match="is no period"):
        read_response(json.dumps(answer).encode())
    values = [{"datasetUrn": "X:D", "filters": [{"dimensionId": "TIME_PERIOD", "values": [text]}]}]
    with pytest.raises(Unreadable, match="is no period"):
        read_response(json.dumps({"structuredContent": {"queries": values}}).encode())


@pytest.mark.parametrize(
    "text",
    [
        *("2015", "2015-A1", "2015-S1", "2015-Q1", "2015-01", "2015-M01", "2015-W05", "2015-01-31"),
        *("2015-01-31T00:00:00", "2015-01-31T00:00:00.000Z", "2015-01-31 10:30", "2015-01-31T00:00:00+02:00"),
        *("$TODAY", "$TODAY-10Y", "$TODAY-2S", "$TODAY-2Q", "$TODAY-6M", "$TODAY-1W", "$TODAY-30D", "$TODAY+1Y"),
    ],
)
def test_every_form_that_the_documentation_lists_is_accepted(tmp_path: Path, text: str) -> None:
    assert days(text, date(2026, 11, 15)) is not None
    assert problems_of(tmp_path, f'{SELECTED}    period: {{start: "{text}", end: "{text}"}}\n') == []
    answer = {"indicator_selection": [{"dataset_id": "X:D"}], "period": {"start": text, "end": text}}
    assert read_response(json.dumps(answer).encode()).period is not None


@pytest.mark.parametrize(
    ("target", "line", "message"),
    [
        (f"{SELECTED}    period: {{start: 2020, end: 2015}}\n", 9, 'starts at "2020", after its end "2015"'),
        (f"{SELECTED}    period: {{start: $TODAY-1Y, end: $TODAY-5Y}}\n", 9, "after its end"),
        (f"{SELECTED}    period: {{start: 2010, end: 2011, also: [{{start: banana}}]}}\n", 9, '"banana" is no period'),
        (f"{SELECTED}      period: {{end: banana}}\n", 9, '"banana" is no period'),
        (f"{SELECTED}    alternatives:\n    - period: {{end: banana}}\n", 10, '"banana" is no period'),
        (f"    is_out_of_scope: true\n{SELECTED}", 6, "cannot decline and select"),
        ("    is_out_of_scope: true\n    datasets_selection: {datasets: [X:D]}\n", 6, "cannot decline and select"),
        (SELECTED.replace("X:D", '""'), 7, "the dataset_id is empty"),
        (SELECTED.replace("id: a,", 'id: "",'), 8, "an id in A is empty"),
        (
            SELECTED.replace("A, values: [{id: a, name: A}]", "TIME_PERIOD, values: [{id: 2019-Q5}]"),
            8,
            '"2019-Q5" in TIME_PERIOD is no period. Did you mean 2019-Q4?',
        ),
    ],
)
def test_targets_that_cannot_be_met(tmp_path: Path, target: str, line: int, message: str) -> None:
    ((found, said, hint),) = problems_of(tmp_path, target)
    assert (found, message in said) == (line, True), said
    assert hint


def test_a_start_after_its_end_is_judged_by_the_day_of_the_run_where_only_one_is_relative(tmp_path: Path) -> None:
    assert problems_of(tmp_path, f"{SELECTED}    period: {{start: $TODAY-5Y, end: 2015}}\n") == []
    cases = load_cases(tmp_path / "case.yaml").cases
    assert not check_cases(cases, [], Options(today="2018-01-01")).problems
    (problem,) = check_cases(cases, [], Options(today="2026-11-15")).problems
    assert (problem.severity, problem.line) == ("error", 1)
    assert "after its end" in problem.message


@pytest.mark.parametrize("empty", ["    {}\n", "    indicator_selection: []\n"])
def test_an_empty_target_is_a_warning(tmp_path: Path, empty: str) -> None:
    assert problems_of(tmp_path, empty) == []
    (problem,) = check_cases(load_cases(tmp_path / "case.yaml").cases, [], Options()).problems
    assert problem.severity == "warning"
    assert problem.file.endswith("case.yaml")
    assert problem.line == 1
    assert "is_out_of_scope: true" in problem.hint


def test_an_answer_with_such_a_period_is_an_error_and_not_half_right(tmp_path: Path) -> None:
    problems_of(tmp_path, f"{SELECTED}    period: {{start: 2015, end: 2020}}\n")
    (case,) = load_cases(tmp_path / "case.yaml").cases
    for period, why in (
        ({"start": "2015", "end": "soon"}, '"soon" is no period'),
        ({"start": "2015", "end": "2010"}, "after its end"),
    ):
        answer = {"indicator_selection": [{"dataset_id": "X:D"}], "period": period}
        result = score_case(suite, case, {0: {0: Prediction("one", response=json.dumps(answer).encode())}}, Options())
        assert (result.status, result.scores["period"].value) == ("error", None)
        assert why in result.error


def test_what_the_library_says_is_put_into_our_own_words() -> None:
    body = {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "value": []}]}]}
    with pytest.raises(Unreadable) as error:
        read_response(json.dumps(body).encode())
    assert str(error.value).startswith(
        'the selection cannot be read: unknown key "value" in indicator_selection[0].dimensions[0]. Did you mean '
        "values? The response begins: {"
    )
    with pytest.raises(Unreadable, match=r"Did you mean indicator_selection\? The response begins"):
        read_response(b'{"indicator_selecton": []}')
    with pytest.raises(Unreadable, match=r"period\.start is a whole number, expected a string"):
        read_response(b'{"indicator_selection": [], "period": {"start": 20150}}')
