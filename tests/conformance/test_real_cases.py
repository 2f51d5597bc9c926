"""The seven real cases, and the contract's own example, end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import karat
from karat.suites.data_query.cases import load_cases

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def cases(shared: Path) -> Path:
    return shared / "data" / "sdmx" / "statgpt_cases" / "cases.yaml"


def test_all_seven_load_without_a_problem(cases: Path) -> None:
    loaded = load_cases(cases)
    assert (len(loaded.cases), loaded.problems) == (7, ())


def own_answers(path: Path, change: Any = lambda selection: selection) -> list[dict[str, Any]]:
    """Each case's own target, given back as the answer, possibly changed."""
    answers = []
    for case in load_cases(path).cases:
        target = msgspec.to_builtins(case.conversation[0].target)
        answers.append({"id": case.id, "indicator_selection": change(target["indicator_selection"])})
    return answers


def test_the_target_itself_is_fully_right(cases: Path) -> None:
    result = karat.score(suite="data_query", cases=cases, predictions=own_answers(cases))
    for metric in (
        "macro_recall",
        "macro_precision",
        "macro_f1",
        "exact_match",
        "dataset_recall",
        "dataset_precision",
        "f_beta",
    ):
        assert result.metric(metric).mean == 1.0, metric
        assert result.metric(metric).n == 7


def test_versions_do_not_matter_unless_strict(cases: Path) -> None:
    def bump(selection: Any) -> Any:
        return [{**part, "dataset_id": part["dataset_id"].partition("(")[0] + "(99.0)"} for part in selection]

    answers = own_answers(cases, bump)
    assert karat.score(suite="data_query", cases=cases, predictions=answers).metric("dataset_recall").mean == 1.0
    strict = karat.score(suite="data_query", cases=cases, predictions=answers, options={"strict_versions": True})
    assert strict.metric("dataset_recall").mean == pytest.approx(2 / 7)  # two cases name no version


def test_a_repeated_dataset_pools_its_indicators(cases: Path) -> None:
    result = karat.score(suite="data_query", cases=cases, predictions=own_answers(cases))
    (argentina,) = [case for case in result.cases if case.name == "inflation_argentina"]
    (indicator,) = [d for d in argentina.details["dimensions"] if d["dimension"] == "INDICATOR"]
    assert [term["id"] for term in indicator["true_positives"]] == ["PCPIPCH", "PCPIEPCH", "NGDP_D"]


def test_names_that_drifted_cost_the_exact_match_but_not_the_match_by_id(cases: Path) -> None:
    def shout(selection: Any) -> Any:
        text = json.dumps(selection)
        return json.loads(text.replace('"name": "Mexico"', '"name": "MEXICO"'))

    result = karat.score(suite="data_query", cases=cases, predictions=own_answers(cases, shout))
    (mexico,) = [case for case in result.cases if case.name.startswith("could_you")]
    assert mexico.scores["macro_recall"].value == 0.5
    assert mexico.scores["macro_recall_by_id"].value == 1.0
    assert mexico.details["label_drift"] == [
        {"dimension": "COUNTRY", "id": "MEX", "expected": "Mexico", "found": "MEXICO"}
    ]
