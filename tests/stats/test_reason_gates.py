"""Gates on why cases are not right: the share of cases with a reason, against a limit, a baseline and case by case."""

from __future__ import annotations

from typing import Any

import pytest

import karat
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.results.result import RunResult
from karat.stats.gates.reasons import reason_metrics
from karat.stats.gates.rules import parse_gate
from karat.stats.gates.verdicts import judge
from karat.verbs.gate import refuse_unknown

SUITE = load_suite("data_query")
METRICS = (*SUITE.metrics, *reason_metrics(SUITE))


def _selection(dataset: str, *countries: str) -> list[dict[str, Any]]:
    values = [{"id": country, "name": country} for country in countries]
    return [{"dataset_id": dataset, "dimensions": [{"dimension_name": "COUNTRY", "values": values}]}]


def _run(wrong: int, failed: int = 0) -> RunResult:
    """Ten cases that expect MEX; the first ``wrong`` select the other dataset, the next ``failed`` cannot be read."""
    cases = [
        {
            "id": f"c{number}",
            "conversation": [
                {"role": "user", "content": "?", "target": {"indicator_selection": _selection("IMF:WEO", "MEX")}}
            ],
        }
        for number in range(10)
    ]
    given: list[dict[str, Any]] = []
    for number in range(10):
        dataset = "IMF:IFS" if number < wrong else "IMF:WEO"
        answer: dict[str, Any] = {"id": f"c{number}", "indicator_selection": _selection(dataset, "MEX")}
        given.append({"id": f"c{number}", "text": ""} if wrong <= number < wrong + failed else answer)
    return karat.score("data_query", cases, given)


def _state(rule: str, result: RunResult, baseline: RunResult | None = None) -> str:
    (verdict,) = judge([parse_gate(rule)], result, METRICS, lambda _: baseline or "none")
    return verdict.state


def test_a_limit_on_the_share_of_a_reason() -> None:
    found = _run(3)
    assert _state("data_query.reason.wrong_dataset<=0.3", found) == "passed"
    assert _state("data_query.reason.wrong_dataset<=0.29", found) == "failed"
    assert _state("data_query.reason.wrong_period<=0", found) == "passed"


def test_against_a_baseline_and_case_by_case() -> None:
    rule = "{metric: data_query.reason.wrong_dataset, no_worse_than: baseline, margin: 0.5}"
    assert _state(rule, _run(0), _run(0)) == "passed"
    assert _state(rule, _run(9), _run(0)) == "failed"
    rule = "{no_new_failures: {metric: data_query.reason.wrong_dataset}}"
    assert _state(rule, _run(2), _run(2)) == "passed"
    assert _state(rule, _run(3), _run(2)) == "failed"


def test_a_reason_that_is_not_there_is_refused_with_the_nearest() -> None:
    refuse_unknown([parse_gate("data_query.reason.wrong_dataset<=0.1")], ["data_query"])
    refuse_unknown([parse_gate("answers.reason.sql_error<=0.1")], ["answers"])
    with pytest.raises(UserError, match=r"reason\.wrong_dataset"):
        refuse_unknown([parse_gate("data_query.reason.wrong_datset<=0.1")], ["data_query"])
