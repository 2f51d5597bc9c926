"""Expectations in all suites: read from cases, scored beside the target or alone, shown like any other metric."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import karat
from karat.core.case_form import Terms
from karat.core.expect.findings import METRIC_NAMES, REASONS
from karat.core.expect.records import ExpectedCall
from karat.core.plugins import load_suite
from karat.core.presentation.case_explanation import explanation_of
from karat.core.presentation.case_forms import form_of
from karat.core.results.result import RunResult
from karat.reports.full_report import whole_report
from karat.reports.json import json_parts
from karat.reports.sections.expectations import untraced_lines
from karat.stats.gates.reasons import reason_metrics

TRACE = [{"tool": "search", "arguments": {"q": "people"}}, {"tool": "run_sql", "arguments": {"sql": "SELECT 1 FROM t"}}]
HOLDS = {"tools": {"called": ["search"], "never": ["drop"]}, "tables": {"used": ["t"]}}
BREAKS = {"tools": {"called": ["describe"]}}
SELECTION: dict[str, object] = {
    "indicator_selection": [
        {"dataset_id": "WB:WDI", "dimensions": [{"dimension_name": "A", "values": [{"id": "x", "name": "X"}]}]}
    ]
}

CODE = "```python\nresult = int(t.a.sum()) + 1\n```"


def turn(**more: object) -> dict[str, object]:
    return {"role": "user", "content": "How many people?", **more}


def case_of(suite: str, name: str, expect: object, *, target: bool) -> dict[str, object]:
    expected = {} if expect is None else {"expect": expect}
    if suite == "data_query":
        return {"id": name, "conversation": [turn(**({"target": SELECTION} if target else {}), **expected)]}
    if suite == "retrieval":
        return {"id": name, "question": "q", **({"relevant": ["d1"]} if target else {}), **expected}
    if suite == "codegen":
        right = {"expected": 2} if target else {}
        return {"id": name, "question": "1 + 1?", "tables": {"t": {"a": [1]}}, **right, **expected}
    evaluation = {"evaluation": {"func": "number_match", "parameters": {"gold": 2}}} if target else {}
    return {"instance_id": name, "question": "1 + 1?", **evaluation, **expected}


def answer_of(suite: str, name: str, **more: object) -> dict[str, object]:
    answers: dict[str, dict[str, object]] = {
        "data_query": SELECTION,
        "retrieval": {"results": ["d1"]},
        "codegen": {
            "response": {"content": "```python\nresult = int(t.a.sum()) + 1\n```", "role": "assistant", **more}
        },
        "answers": {"answer": "2"},
    }
    return {"id": name, **answers[suite], **({} if suite == "codegen" else more)}


def scored(suite: str, *cases: dict[str, object], answers: list[dict[str, object]] | None = None) -> RunResult:
    ids = [str(case.get("id", case.get("instance_id"))) for case in cases]
    given = answers if answers is not None else [answer_of(suite, name, trace=TRACE) for name in ids]
    return karat.score(suite=suite, cases=list(cases), predictions=given)


def value(result: RunResult, metric: str, place: int = 0) -> float | None:
    score = result.cases[place].scores.get(metric)
    return None if score is None else score.value


@pytest.mark.parametrize("suite", ["data_query", "retrieval", "codegen", "answers"])
def test_every_suite_scores_expectations_beside_the_target_and_alone(suite: str) -> None:
    result = scored(
        suite,
        case_of(suite, "both", HOLDS, target=True),
        case_of(suite, "alone", BREAKS, target=False),
        case_of(suite, "plain", None, target=True),
    )
    assert [case.status for case in result.cases] == ["scored"] * 3, [case.error for case in result.cases]
    assert [value(result, "expectations", place) for place in range(3)] == [1.0, 0.0, None]
    assert value(result, "tools_forbidden") == 0.0
    assert result.metric("expectations").n == 2
    assert result.run.headline[-1] == "expectations"
    main = result.run.headline[0]
    assert value(result, main, 0) == value(result, main, 2) is not None
    assert value(result, main, 1) is None
    assert METRIC_NAMES.isdisjoint(result.cases[2].scores)
    wrong = explanation_of(suite, result.cases[1])
    assert (wrong.outcome, wrong.reason, wrong.codes) == ("wrong", "tool_missing", ("tool_missing",))
    assert explanation_of(suite, result.cases[0]).outcome == "right"
    metrics = load_suite(suite).metrics_for(result.run.headline)
    assert {metric.name for metric in metrics} >= METRIC_NAMES


@pytest.mark.parametrize("suite", ["data_query", "retrieval", "codegen", "answers"])
def test_a_suite_without_expect_has_none_of_it(suite: str) -> None:
    result = scored(suite, case_of(suite, "plain", None, target=True))
    assert METRIC_NAMES.isdisjoint(item.metric for item in result.summary)
    written = b"".join(json_parts(result))
    assert b'"expect"' not in written and b'"expectations"' not in written
    assert "expectations" not in result.run.headline


def test_an_answer_without_a_trace_is_not_judged_and_counted_nowhere() -> None:
    case = case_of("data_query", "a", {"tools": {"never": ["drop"]}}, target=True)
    result = scored("data_query", case, answers=[answer_of("data_query", "a")])
    score = result.cases[0].scores["expectations"]
    assert (score.state, score.reason) == ("not_applicable", "the answer has no trace")
    found = explanation_of("data_query", result.cases[0])
    assert (found.outcome, found.codes) == ("right", ("no_trace",))
    assert "the answer has no trace" in found.note


def test_refusals_need_no_target_and_text_alone_goes_to_review() -> None:
    case = case_of("data_query", "a", {"answer": "refusal"}, target=False)
    refused = scored("data_query", case, answers=[{"id": "a", "indicator_selection": [], "is_out_of_scope": True}])
    assert value(refused, "answer_kind") == value(refused, "expectations") == 1.0
    answered = scored("data_query", case)
    assert explanation_of("data_query", answered.cases[0]).codes == ("answered_not_refused",)
    silent = scored("data_query", case, answers=[{"id": "a", "response": "I am afraid I cannot."}])
    assert value(silent, "expectations") is None
    assert explanation_of("data_query", silent.cases[0]).outcome == "needs_review"


def test_datasets_come_from_the_selection() -> None:
    result = scored("data_query", case_of("data_query", "a", {"datasets": {"only": ["WB:*"]}}, target=True))
    assert value(result, "tables_right") == 1.0


def test_a_failed_call_is_an_error_of_what_the_case_expects_and_of_nothing_else() -> None:
    cases = [case_of("data_query", name, expect, target=True) for name, expect in (("a", HOLDS), ("b", None))]
    failed: list[dict[str, object]] = [{"id": name, "error": "timeout"} for name in "ab"]
    result = scored("data_query", *cases, answers=failed)
    states = {name: score.state for name, score in result.cases[0].scores.items() if name in METRIC_NAMES}
    assert states["expectations"] == states["tools_right"] == "error"
    assert states["sources_right"] == "not_applicable"
    assert result.metric("expectations").with_errors_as_zero == 0.0
    assert result.metric("sources_right").with_errors_as_zero is None


def test_an_answer_that_cannot_be_read_still_has_its_calls() -> None:
    case = case_of("data_query", "a", HOLDS, target=True)
    result = scored("data_query", case, answers=[{"id": "a", "answer": "hm", "trace": TRACE}])
    assert result.cases[0].status == "error"
    assert value(result, "expectations") == 1.0


def test_several_tries_are_averaged() -> None:
    case = case_of("data_query", "a", {"tools": {"never": ["drop"]}}, target=True)
    answers = [answer_of("data_query", "a", trace=[{"tool": tool}], repeat=n) for n, tool in enumerate(("drop", "x"))]
    assert value(scored("data_query", case, answers=answers), "expectations") == 0.5


def test_reasons_of_expectations_can_be_gated() -> None:
    result = scored("data_query", case_of("data_query", "a", BREAKS, target=True))
    metrics = {metric.name: metric for metric in reason_metrics(load_suite("data_query"))}
    assert {f"reason.{code}" for code in REASONS} <= set(metrics)
    assert metrics["reason.tool_missing"].score(result.cases[0]).value == 1.0
    assert metrics["reason.tool_order"].score(result.cases[0]).value == 0.0


FAULTS = [
    ({"tool": {"called": ["a"]}}, 'unknown key "tool" in an expect', 'Did you mean "tools"?'),
    ({"tools": {"calls": ["a"]}}, 'unknown key "calls"', "called"),
    ({"tools": {"called": [{"tool": "a", "arguments": {"x": {"matches": "("}}}]}}, "is not a regular expression", ""),
    ({"tools": {"called": [{"tool": "a", "arguments": {"x": {"match": "b"}}}]}}, 'unknown matcher "match"', ""),
    ({"tools": {"called": [{"tool": "a", "arguments": {"x": {"between": [3, 1]}}}]}}, "lower end first", ""),
    ({"tools": {"called": [{"tool": "a", "atleast": 1}]}}, 'unknown key "atleast"', "at_least"),
    ({"tools": {}}, "asserts nothing", ""),
    ({"limits": {"second": 3}}, 'unknown key "second"', "seconds"),
    ({"answer": "refuse"}, "expected one of data, refusal, clarification", "refusal"),
    ({}, "expect asserts nothing", ""),
]


@pytest.mark.parametrize(("expect", "message", "hint"), FAULTS)
@pytest.mark.parametrize("suite", ["data_query", "retrieval", "codegen", "answers"])
def test_faults_are_found_in_every_suite(suite: str, expect: object, message: str, hint: str) -> None:
    load = load_suite(suite).cases_from
    assert load is not None
    problems = load([case_of(suite, "a", expect, target=True)], Path()).problems
    assert [problem for problem in problems if message in problem.message and hint in problem.hint], problems
    assert problems[0].line == 1


def test_faults_in_a_file_have_their_line(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(
        "id: a\nconversation:\n- role: user\n  content: x\n  expect:\n    tools:\n      caled: [a]\n", encoding="utf-8"
    )
    (problem,) = load_suite("data_query").load_cases(file).problems
    assert (problem.line, problem.hint) == (7, 'Did you mean "called"?')


def test_numbers_of_a_yaml_file_keep_their_type(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(
        "id: a\nconversation:\n- role: user\n  content: x\n  expect:\n    tools:\n"
        '      called: [{tool: f, arguments: {n: 5, x: 1.5, code: 007, text: "5", yes: true, none: null}}]\n',
        encoding="utf-8",
    )
    (case,) = load_suite("data_query").load_cases(file).cases
    expect = case.conversation[0].expect
    assert expect is not None
    assert expect.tools is not None
    called = expect.tools.called[0]
    assert isinstance(called, ExpectedCall)
    assert called.arguments == {"n": 5, "x": 1.5, "code": "007", "text": "5", "yes": True, "none": None}


def test_questions_with_gold_sql_and_a_beir_folder_may_expect(tmp_path: Path) -> None:
    questions = tmp_path / "questions.json"
    row = {"id": "a", "question": "q", "db": "d", "sql": "SELECT 1", "expect": HOLDS}
    only = {"id": "b", "question": "q", "db": "d", "expect": HOLDS}
    bad = {**row, "id": "c", "expect": {"x": 1}}
    questions.write_text(json.dumps([row, only, bad]), encoding="utf-8")
    loaded = load_suite("answers").load_cases(questions)
    assert [(case.expects, case.conversation[0].target is None) for case in loaded.cases] == [
        (True, False),
        (True, True),
    ]
    assert [problem.message for problem in loaded.problems] == ['unknown key "x" in an expect']
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "x", "expect": HOLDS}), encoding="utf-8")
    assert [case.expects for case in load_suite("retrieval").load_cases(tmp_path).cases] == [True]


@pytest.mark.parametrize("suite", ["data_query", "retrieval", "codegen", "answers"])
def test_an_opened_case_shows_what_its_expectations_found(suite: str) -> None:
    result = scored(suite, case_of(suite, "both", BREAKS, target=True), case_of(suite, "alone", BREAKS, target=False))
    for case in result.cases:
        form = form_of(suite, case)
        assert "describe was not called; called: search, run_sql" in form.sentence
        assert any(part.label == "tools" for view in form.views if isinstance(view, Terms) for part in view.parts)


@pytest.mark.parametrize("suite", ["data_query", "retrieval", "codegen", "answers"])
def test_reports_have_a_sheet_of_expectations(suite: str) -> None:
    cases = [case_of(suite, name, expect, target=True) for name, expect in (("a", BREAKS), ("b", None))]
    sheets = {sheet.title: sheet for sheet in whole_report(scored(suite, *cases), load_suite(suite)).sheets}
    by_case, reasons, _ = sheets["Expectations"].tables
    assert [(row[0], row[1]) for row in by_case.rows] == [("a", 0.0)]
    assert reasons.rows == (("tool_missing", 1),)
    without = whole_report(scored(suite, cases[1]), load_suite(suite))
    assert "Expectations" not in {sheet.title for sheet in without.sheets}


def test_the_share_without_a_trace_is_told_once() -> None:
    cases = [case_of("data_query", name, HOLDS, target=True) for name in "abc"]
    answers = [answer_of("data_query", name, **({"trace": TRACE} if name == "a" else {})) for name in "abc"]
    (line,) = untraced_lines(scored("data_query", *cases, answers=answers))
    assert "2 of 3 cases with expect (67%)" in line
    assert untraced_lines(scored("data_query", cases[0])) == []
