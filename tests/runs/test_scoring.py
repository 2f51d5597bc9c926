"""Scoring as a pure function: states, turns, repeats, errors, and the same results on any executor."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from karat.core.records import CallError, Prediction
from karat.core.results.result import CaseResult, RunInfo, RunResult, value_with_errors
from karat.core.scores import not_applicable
from karat.core.suite import SuiteOptions
from karat.runs.scores.run_scoring import score_recorded
from karat.runs.scores.scoring import group, score_case, score_cases
from karat.runs.scores.summary import summarise
from karat.stats.gates.verdicts import Gate, judge
from karat.suites.data_query import suite
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import Target
from tests.suites.data_query.building import case, sel, target

A = target({"A": ["a"]})
AB = target({"A": ["a", "b"]})


def answer(case_id: str, *ids: str, turn: int | None = 0, repeat: int = 0, **more: Any) -> Prediction:
    values = [{"id": i, "name": f"name of {i}"} for i in ids]
    body = {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}
    return Prediction(case_id, turn, repeat, json.dumps(body).encode(), **more)


def failed(case_id: str, turn: int = 0, repeat: int = 0) -> Prediction:
    return Prediction(case_id, turn, repeat, error=CallError("timeout", "no answer in 60 s"))


def scored(
    the_case: Any, *predictions: Prediction, repeats: int = 1, options: SuiteOptions | None = None
) -> CaseResult:
    found, unmatched = group([the_case], predictions, repeats)
    assert not unmatched
    return score_case(suite, the_case, found.get(the_case.id, {}), options or Options(), repeats)


def test_an_answer_is_scored() -> None:
    result = scored(case("c", AB), answer("c", "a", latency=2.0, tokens=10))
    assert (result.status, result.error) == ("scored", "")
    assert result.scores["macro_recall"].value == 0.5
    assert (result.scores["latency"].value, result.scores["tokens"].value, result.scores["cost"].value) == (
        2.0,
        10.0,
        None,
    )


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("part", ["compare", "details", "cluster", "not plain"])
def test_a_case_that_a_suite_fails_on_is_an_error_and_the_others_are_scored(part: str, repeats: int) -> None:
    def fails(what: Any, *more: Any) -> Any:
        about = what[0][1].target if part == "details" else what.id
        if "poison" in str(about):
            raise BaseException("a panic in another language")
        return getattr(suite, part)(what, *more)

    bad: dict[str, Any] = {part: fails}
    if part == "not plain":
        bad = {"details": lambda what: {"x": object()} if "poison" in str(what[0][1].target) else {}}
    work = [
        (case(name, target({"A": [name]})), {n: {0: answer(name, name, repeat=n)} for n in range(repeats)})
        for name in ("c", "poison", "e")
    ]
    one, two, three = score_cases(replace(suite, **bad), work, Options(), repeats=repeats)
    assert [one.status, two.status, three.status] == ["scored", "error", "scored"]
    assert "internal error, please report it: " in two.error
    assert {score.value for score in two.scores.values()} == {None}
    assert len(two.repeats) == (repeats if repeats > 1 else 0)


def test_a_failed_call_is_its_own_state_and_has_no_numbers() -> None:
    result = scored(case("c", A), failed("c"))
    assert (result.status, result.error) == ("error", "no answer in 60 s")
    assert {score.value for score in result.scores.values()} == {None}
    assert result.scores["macro_recall"].state == "error"


def test_no_prediction_is_missing_not_wrong() -> None:
    result = scored(case("c", A))
    assert (result.status, result.scores["macro_recall"].state, result.scores["macro_recall"].value) == (
        "missing",
        "missing",
        None,
    )


def test_no_prediction_is_missing_only_in_what_the_case_can_have() -> None:
    scores = scored(case("out", Target(is_out_of_scope=True))).scores
    assert (scores["macro_recall"].state, scores["out_of_scope"].state) == ("not_applicable", "missing")


def test_an_unreadable_answer_is_an_error_that_says_why() -> None:
    result = scored(case("c", A), Prediction("c", 0, response=b"<html>"))
    assert result.status == "error"
    assert "a web page" in result.error and "begins: <html>" in result.error


def test_errors_zero_scores_a_failure_0_where_that_makes_sense() -> None:
    result = scored(case("c", A), failed("c"), options=Options(errors="zero"))
    assert result.status == "error"
    assert result.scores["macro_recall"].value == 0.0
    assert result.scores["exact_match"].value == 0.0
    assert result.scores["period"].value is None
    assert result.scores["latency"].value is None


def test_a_failed_call_counts_0_only_in_metrics_that_the_case_can_have() -> None:
    out = case("out", Target(is_out_of_scope=True))
    result = scored(out, failed("out"))
    assert result.status == "error"
    assert result.scores["macro_recall"] == not_applicable("the target is empty")
    assert {result.scores[name].state for name in ("fully_right", "exact_match", "out_of_scope")} == {"error"}
    assert value_with_errors(result, "macro_recall") is None
    assert value_with_errors(result, "fully_right") == 0.0
    zeroed = scored(out, failed("out"), options=Options(errors="zero"))
    assert (zeroed.scores["macro_recall"].value, zeroed.scores["fully_right"].value) == (None, 0.0)
    tried = scored(out, failed("out"), Prediction("out", 0, 1, b'{"is_out_of_scope": true}'), repeats=2)
    assert (value_with_errors(tried, "macro_recall"), value_with_errors(tried, "fully_right")) == (None, 0.5)


def test_a_case_can_have_what_any_of_its_turns_and_alternatives_has() -> None:
    either = case("either", Target(is_out_of_scope=True, alternatives=(sel({"A": ["a"]}),)))
    assert scored(either, failed("either")).scores["macro_recall"].state == "error"
    turns = case("turns", Target(is_out_of_scope=True), A)
    assert scored(turns, failed("turns"), answer("turns", "a", turn=1)).scores["macro_recall"].state == "error"


def test_errors_as_0_of_a_run_leave_out_what_a_case_cannot_have() -> None:
    cases = [case("right", A), case("out", Target(is_out_of_scope=True))]
    result = score_recorded(suite, cases, [answer("right", "a"), failed("out")], Options())
    assert result.metric("macro_recall").with_errors_as_zero == 1.0
    assert result.metric("fully_right").with_errors_as_zero == 0.5
    recall, right = judge(
        [Gate("data_query.macro_recall", at_least=0.9), Gate("data_query.fully_right", at_least=0.9)],
        result,
        suite.metrics,
    )
    assert recall.passed, recall.words
    assert "with 1 case in error counted it is 0.5" in right.words and not right.passed


def test_a_case_of_two_turns_is_the_mean_over_its_turns() -> None:
    result = scored(case("c", A, AB), answer("c", "a", latency=1.0), answer("c", "a", turn=1, latency=2.0))
    assert result.scores["macro_recall"].value == 0.75
    assert result.scores["latency"].value == 3.0
    assert [(d["turn"], d["recall"]) for d in result.details["dimensions"]] == [(0, 1.0), (1, 0.5)]


def test_a_turn_that_failed_or_is_missing_is_the_state_of_the_case() -> None:
    two = case("c", A, AB)
    assert scored(two, answer("c", "a"), failed("c", 1)).status == "error"
    assert scored(two, answer("c", "a"), failed("c", 1)).error == "turn 2: no answer in 60 s"
    assert scored(two, answer("c", "a")).status == "missing"


def test_a_prediction_without_a_turn_belongs_to_the_only_scored_one() -> None:
    from karat.core.records import Case, Turn

    later: Case[Any] = Case("c", (Turn("user", "hello"), Turn("assistant", "hi"), Turn("user", "and?", A)))
    assert scored(later, answer("c", "a", turn=None)).scores["macro_recall"].value == 1.0
    assert scored(case("c", A, AB), answer("c", "a", turn=None)).status == "missing"  # it is turn 0's, turn 1 has none


def test_repeats_are_averaged_and_kept() -> None:
    result = scored(case("c", AB), answer("c", "a"), answer("c", "a", "b", repeat=1), failed("c", repeat=2), repeats=3)
    assert result.status == "scored"
    assert result.scores["macro_recall"].value == 0.75
    assert [r.status for r in result.repeats] == ["scored", "scored", "error"]
    assert result.error == "1 of 3 tries failed: no answer in 60 s"


def test_a_bug_in_a_suite_costs_one_case(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("oh")

    result = score_case(replace(suite, compare=broken), case("c", A), {0: {0: answer("c", "a")}}, Options())
    assert result.status == "error"
    assert result.error == "internal error, please report it: ZeroDivisionError: oh"


def test_predictions_of_unknown_cases_are_set_aside() -> None:
    found, unmatched = group([case("c", A)], [answer("c", "a"), answer("other", "a")], 1)
    assert list(found) == ["c"]
    assert [p.case_id for p in unmatched] == ["other"]


def test_predictions_for_turns_and_repeats_that_do_not_exist_are_reported() -> None:
    stray = [
        answer("c", "a", turn=3),
        answer("c", "a", turn=-1),
        answer("c", "a", repeat=10**12),
        answer("c", "a", repeat=-1),
    ]
    result = score_recorded(suite, [case("c", A)], [answer("c", "a"), *stray], Options(), source="answers.jsonl")
    assert result.run.repeats == 1
    assert [case.status for case in result.cases] == ["scored"]
    assert [problem.message for problem in result.problems] == [
        '2 predictions for turns that the case does not have ("turn" counts from 0): c "turn": 3, c "turn": -1',
        "2 predictions for repeats that do not exist (there is 1, counted from 0 without a gap): c repeat "
        "1000000000000, c repeat -1",
    ]


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_gives_the_same_results_in_the_same_order(pool: Any) -> None:
    cases = [case(f"c{number}", AB if number % 2 else A) for number in range(600)]
    found, _ = group(cases, [answer(c.id, "a") for c in cases if c.id != "c7"], 1)
    work = [(c, found.get(c.id, {})) for c in cases]
    here = list(score_cases(suite, work, Options()))
    with pool(2) as executor:
        there = list(score_cases(suite, iter(work), Options(), executor=executor))
    assert there == here
    assert here[7].status == "missing"


def result_of(*results: CaseResult) -> RunResult:
    return summarise(suite, RunInfo("data_query"), results)


def test_the_mean_is_over_the_cases_where_the_metric_is_defined() -> None:
    result = result_of(
        scored(case("1", AB), answer("1", "a")),
        scored(case("2", A), answer("2", "a")),
        scored(case("3", A), answer("3")),
        scored(case("4", A), failed("4")),
        scored(case("5", A)),
    )
    recall, precision = result.metric("macro_recall"), result.metric("macro_precision")
    assert (recall.mean, recall.n, recall.undefined) == (0.5, 3, 0)
    assert (precision.mean, precision.n, precision.undefined) == (1.0, 2, 1)
    assert recall.with_errors_as_zero == pytest.approx(1.5 / 4)
    assert result.status_counts() == {"scored": 3, "error": 1, "missing": 1}
    assert "latency" not in [item.metric for item in result.summary]


def test_nothing_to_average_is_undefined_not_0() -> None:
    summary = result_of(scored(case("1", A))).metric("macro_recall")
    assert (summary.mean, summary.n, summary.low, summary.high) == (None, 0, None, None)
    assert result_of().metric("macro_recall").n == 0
