"""Stages: where a missed term was lost."""

from __future__ import annotations

from typing import Any

import pytest

import karat
from karat.core.suite import Unreadable
from karat.stats.intervals.estimates import estimate
from karat.suites.data_query.report import report
from karat.suites.data_query.selection.stages import StageComparison, compare_stages, read_stages
from karat.suites.data_query.summaries.figures import figures


def stage(name: str, ids: str, group: str = "", **scores: float) -> dict[str, Any]:
    values = [{"id": one, **({"score": scores[one]} if one in scores else {})} for one in ids]
    found = {"name": name, "indicator_selection": [{"dimensions": [{"dimension_name": "D", "values": values}]}]}
    return {**found, "group": group} if group else found


STAGES = [stage("lexical", "A", "retrieved"), stage("semantic", "B", "retrieved"), stage("llm_scored", "A", A=0.2)]


def compared(stages: list[dict[str, Any]], target: str, final: str, **other: str) -> StageComparison:
    wanted = {("D", one): f"name of {one}" for one in target} | {("E", one): "" for one in other.get("other", "")}
    found = compare_stages(read_stages(stages), wanted, {("D", one) for one in final})
    assert found is not None
    return found


def test_the_worked_example() -> None:
    found = compared(STAGES, "ABC", "")
    assert [(one.stage, one.found, one.expected) for one in found.steps] == [
        ("lexical", 1, 3), ("semantic", 1, 3), ("retrieved", 2, 3), ("llm_scored", 1, 3), ("final", 0, 3),
    ]  # fmt: skip
    assert {one.id: one.stage for one in found.lost} == {"A": "final", "B": "llm_scored", "C": "retrieved"}
    assert {one.id: one.score for one in found.lost} == {"A": 0.2, "B": None, "C": None}
    assert sum(one.lost for one in found.steps) == len(found.lost) == 3


def test_what_is_in_the_end_is_not_lost_and_other_dimensions_are_not_staged() -> None:
    found = compared(STAGES, "ABC", "ABC", other="XY")
    assert (found.lost, found.not_staged) == ((), 2)
    again = compared([stage("one", "A"), stage("two", ""), stage("three", "A")], "A", "")
    assert [one.stage for one in again.lost] == ["final"]


@pytest.mark.parametrize(
    "wrong", [{"name": "x"}, [{"nam": "x"}], [stage("a", "A"), stage("a", "B")], [stage("final", "")]]
)
def test_stages_that_cannot_be_read(wrong: Any) -> None:
    with pytest.raises(Unreadable, match="stage"):
        read_stages(wrong)


@pytest.mark.parametrize("path", ["", "trace.steps"])
def test_a_run_has_a_table_a_plot_and_the_lost_terms(path: str) -> None:
    goal = {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [
        {"dimension_name": "D", "values": [{"id": one} for one in "ABC"]}]}]}  # fmt: skip
    case = {"id": "c", "tags": ["t"], "conversation": [{"role": "user", "content": "q", "target": goal}]}
    held = {"trace": {"steps": STAGES}} if path else {"stages": STAGES}
    answer = {"id": "c", "indicator_selection": [{"dataset_id": "X:D", "dimensions": []}], **held}
    options = {"stages_from": path} if path else {}
    result = karat.score(suite="data_query", cases=[case], predictions=[answer], options=options)
    rows = {row["stage"]: row for row in figures(result, estimate)["stages"]}
    assert {name: row["recall"] for name, row in rows.items()} == {
        "lexical": pytest.approx(1 / 3), "semantic": pytest.approx(1 / 3), "retrieved": pytest.approx(2 / 3),
        "llm_scored": pytest.approx(1 / 3), "final": 0.0,
    }  # fmt: skip
    assert {name: (row["lost"], row["lost_by_tag"]) for name, row in rows.items() if row["lost"]} == {
        "retrieved": (1, {"t": 1}), "llm_scored": (1, {"t": 1}), "final": (1, {"t": 1}),
    }  # fmt: skip
    assert {name: (row["terms_found"], row["terms_expected"]) for name, row in rows.items()} == {
        "lexical": (1, 3), "semantic": (1, 3), "retrieved": (2, 3), "llm_scored": (1, 3), "final": (0, 3),
    }  # fmt: skip
    [sheet] = [one for one in report(result, estimate).sheets if one.title == "Stages"]
    assert len(sheet.charts) == 2 and len(sheet.tables[1].rows) == 3
