"""Expectations against traces: every part, every reason, and what cannot be said."""

from __future__ import annotations

import json

import msgspec
import pytest

from karat.core.expect.check import check
from karat.core.expect.facts import AnswerFacts
from karat.core.expect.findings import METRIC_NAMES, Checked
from karat.core.expect.metrics import METRICS
from karat.core.expect.patterns import PatternTooSlow, fits, is_found
from karat.core.expect.records import Expect
from karat.core.pairing import greatest_pairing
from karat.core.records import Prediction

CALLS = [
    {"tool": "search", "arguments": {"query": "people", "limit": 5}},
    {"tool": "run_sql", "arguments": {"sql": "SELECT * FROM wdi.population p JOIN geo.countries c USING (code)"}},
]


def found(expect: object, body: object = None, facts: AnswerFacts | None = None, **about: object) -> Checked:
    response = json.dumps({"trace": CALLS} if body is None else body).encode()
    prediction = msgspec.structs.replace(Prediction("q", response=response), **about)
    return check(msgspec.convert(expect, Expect), prediction, facts or AnswerFacts())


def codes(expect: object, body: object = None, **about: object) -> list[str]:
    return [one.reason for one in found(expect, body, None, **about).findings]


def traced(*tools: str) -> object:
    return {"trace": [{"tool": tool, "arguments": {"n": n}} for n, tool in enumerate(tools)]}


# -- tools ------------------------------------------------------------------------------------------------------------


def test_what_is_called_and_what_is_not() -> None:
    assert codes({"tools": {"called": ["search", "run_*"]}}) == []
    checked = found({"tools": {"called": ["describe"]}})
    assert [one.reason for one in checked.findings] == ["tool_missing"]
    assert checked.findings[0].text == "describe was not called; called: search, run_sql"


def test_each_entry_needs_a_call_of_its_own_and_a_greedy_choice_does_not_spoil_it() -> None:
    """`*` could take the only call of b, and must leave it."""
    assert codes({"tools": {"called": ["*", "b"]}}, traced("b", "a")) == []
    assert codes({"tools": {"called": ["*", "b", "*"]}}, traced("b", "a")) == ["tool_missing"]
    narrow = {"tool": "a", "arguments": {"n": 1}}
    assert codes({"tools": {"called": ["a", narrow]}}, traced("a", "a")) == []
    assert codes({"tools": {"called": [narrow, narrow]}}, traced("a", "a")) == ["tool_missing"]


def test_calls_are_counted() -> None:
    body = traced("a", "a", "b")
    assert codes({"tools": {"called": [{"tool": "a", "at_most": 2}, {"tool": "b", "exactly": 1}]}}, body) == []
    assert codes({"tools": {"called": [{"tool": "a", "at_least": 3}]}}, body) == ["tool_missing"]
    assert codes({"tools": {"called": [{"tool": "a", "at_most": 1}]}}, body) == ["too_many_calls"]
    assert codes({"tools": {"called": [{"tool": "a", "exactly": 0}]}}, body) == ["too_many_calls"]
    assert codes({"tools": {"called": [{"tool": "c", "at_most": 0}]}}, body) == []


def test_the_nearest_call_is_told_with_the_fields_that_differ() -> None:
    wanted = {"tool": "search", "arguments": {"query": "people", "limit": 10, "page": 2}}
    finding = found({"tools": {"called": [wanted]}}).findings[0]
    assert finding.reason == "tool_arguments"
    assert finding.text == (
        "search was called with other arguments. Nearest: call 1: limit: expected 10, found 5; "
        "page: expected 2, found not given"
    )


def test_order_is_a_subsequence() -> None:
    assert codes({"tools": {"order": ["a", "b"]}}, traced("a", "x", "b")) == []
    assert codes({"tools": {"order": ["a", "b"]}}, traced("b", "a", "b")) == []
    assert codes({"tools": {"order": ["b", "a"]}}, traced("a", "b")) == ["tool_order"]
    assert codes({"tools": {"order": ["a", "a"]}}, traced("a", "b")) == ["tool_order"]
    assert codes({"tools": {"order": ["a", "c"]}}, traced("a", "b")) == ["tool_missing"]


def test_only_and_never() -> None:
    assert codes({"tools": {"only": ["a", "b*"]}}, traced("a", "bc")) == []
    assert codes({"tools": {"only": ["a"]}}, traced("a", "b", "b")) == ["tool_not_allowed"]
    assert codes({"tools": {"only": []}}, traced("a")) == ["tool_not_allowed"]
    assert codes({"tools": {"only": []}}, traced()) == []
    assert codes({"tools": {"never": ["b"]}}, traced("a")) == []
    failed = {"trace": [{"tool": "drop", "error": "denied"}]}
    assert codes({"tools": {"never": ["dr*"]}}, failed) == ["tool_forbidden"]


def test_without_a_trace_nothing_is_said_about_tools_never_too() -> None:
    body = {"choices": [{"message": {"content": "42"}}]}
    parts: tuple[object, ...] = ({"called": ["a"]}, {"never": ["a"]}, {"only": []}, {"order": ["a"]})
    for tools in parts:
        checked = found({"tools": tools}, body)
        assert [part.state for part in checked.parts.values()] == ["unknown"]
        assert checked.codes == ["no_trace"]
        score = METRICS[0].score(checked)
        assert (score.state, score.reason) == ("not_applicable", "the answer has no trace")
    assert [one.reason for one in found({"tools": {"called": ["a"]}}, traced()).findings] == ["tool_missing"]


# -- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "given", "fits_"),
    [
        ({"a": 1}, {"a": 1.0, "b": 2}, True),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": "x"}, {"a": "X"}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": {"b": 1}}, {"a": '{"b": 1, "c": 2}'}, True),
        ({"a": {"exactly": {"b": 1}}}, {"a": {"b": 1, "c": 2}}, False),
        ({"a": {"exactly": {"b": 1}}}, {"a": '{"b": 1.0}'}, True),
        ({"a": [1, 2]}, {"a": [1, 2, 3]}, False),
        ({"a": [{"b": 1}, 2]}, {"a": [{"b": 1, "c": 0}, 2]}, True),
        ({"a": {"matches": "(?i)chile"}}, {"a": "x CHILE"}, True),
        ({"a": {"matches": "^19$"}}, {"a": 19}, True),
        ({"a": {"one_of": [1, {"matches": "^x"}]}}, {"a": "xy"}, True),
        ({"a": {"one_of": [1, 2]}}, {"a": 3}, False),
        ({"a": {"between": [1, 3]}}, {"a": 3}, True),
        ({"a": {"between": [1, 3]}}, {"a": "2"}, False),
        ({"a": {"between": ["2020-01", "2021-12"]}}, {"a": "2021-03"}, True),
        ({"a": {"any": True}}, {"a": None}, True),
        ({"a": {"any": True}}, {}, False),
        ({"a": {"sql_tables": ["b"]}}, {"a": "WITH c AS (SELECT * FROM x.b) SELECT * FROM c"}, True),
        ({"a": {"sql_tables": ["c"]}}, {"a": "WITH c AS (SELECT * FROM x.b) SELECT * FROM c"}, False),
        ({"a": None}, {"a": None}, True),
        ({"a": 1}, '{"a": 1}', True),
        ({"a": 1}, "a=1", False),
    ],
)
def test_arguments(expected: object, given: object, fits_: bool) -> None:
    body = {"trace": [{"tool": "f", "arguments": given}]}
    reasons = codes({"tools": {"called": [{"tool": "f", "arguments": expected}]}}, body)
    assert reasons == ([] if fits_ else ["tool_arguments"])


def test_a_pattern_that_runs_away_is_an_error_and_no_verdict() -> None:
    slow = r"(?:a|aa|a?)+$"
    with pytest.raises(PatternTooSlow):
        is_found(slow, "a" * 5000 + "b")
    body = {"trace": [{"tool": "f", "arguments": {"a": "a" * 5000 + "b"}}]}
    checked = found({"tools": {"never": [{"tool": "f", "arguments": {"a": {"matches": slow}}}]}}, body)
    assert METRICS[0].score(checked).state == "error"


# -- tables, datasets, sources ----------------------------------------------------------------------------------------


def test_tables_of_calls() -> None:
    assert codes({"tables": {"used": ["wdi.population", "countries"], "never": ["hr.*"]}}) == []
    assert codes({"tables": {"used": ["gdp"]}}) == ["table_missing"]
    assert codes({"tables": {"only": ["wdi.*"]}}) == ["table_forbidden"]
    assert codes({"tables": {"never": ["geo.*"]}}) == ["table_forbidden"]


def test_tables_of_the_answer_itself_need_no_trace() -> None:
    facts = AnswerFacts(sql=("SELECT * FROM Sales",), dialect="postgres")
    assert found({"tables": {"used": ["sales"]}}, {"answer": "x"}, facts).findings == []
    assert found({"tables": {"used": ["sales"]}}, {"answer": "x"}).codes == ["no_trace"]


def test_sql_that_does_not_parse_is_not_judged_but_what_is_certain_is_said() -> None:
    broken = {"tool": "run_sql", "arguments": {"sql": "SELECT FROM WHERE ((("}}
    good = {"tool": "run_sql", "arguments": {"sql": "SELECT * FROM hr.pay"}}
    used = found({"tables": {"used": ["t"]}}, {"trace": [broken]}).parts["tables"]
    assert used.state == "unknown"
    assert used.why.startswith("the SQL does not parse")
    assert codes({"tables": {"never": ["hr.*"]}}, {"trace": [broken, good]}) == ["table_forbidden"]


def test_a_schema_that_the_sql_leaves_out_is_not_guessed() -> None:
    body = {"trace": [{"tool": "run_sql", "arguments": {"sql": "SELECT * FROM pay"}}]}
    assert found({"tables": {"never": ["hr.pay"]}}, body).parts["tables"].state == "unknown"
    assert found({"tables": {"used": ["hr.pay"]}}, body).parts["tables"].state == "unknown"
    assert found({"tables": {"never": ["hr.*"]}}, body).parts["tables"].state == "held"


def test_a_search_for_words_is_no_sql() -> None:
    body = {"trace": [{"tool": "search", "arguments": {"query": "population of Chile"}}]}
    assert codes({"tables": {"only": []}}, body) == []


def test_datasets_and_metrics() -> None:
    facts = AnswerFacts(datasets=("WB:WDI",))
    assert found({"datasets": {"used": ["WB:*"], "only": ["WB:WDI"]}}, {}, facts).findings == []
    assert found({"datasets": {"never": ["WB:WDI"]}}, {}, facts).codes == ["table_forbidden"]
    assert found({"datasets": {"used": ["x"]}}, {}).codes == ["no_trace"]
    assert codes({"metrics": {"used": ["revenue"]}}, {"metrics": ["revenue"]}) == []


def test_sources_are_compared_without_fragment_and_trailing_slash() -> None:
    body = {"answer": "x", "sources": ["https://a.org/x/#top", "https://b.org"]}
    assert codes({"sources": {"cited": ["https://a.org/x", "https://b.org/"]}}, body) == []
    assert codes({"sources": {"cited": ["https://c.org/*"]}}, body) == ["source_missing"]
    assert codes({"sources": {"at_least": 2}}, body) == []
    assert codes({"sources": {"at_least": 3}}, body) == ["source_missing"]
    assert codes({"sources": {"cited": ["https://a.org/*"], "at_least": 2}}, body) == ["source_missing"]


# -- limits, kinds ----------------------------------------------------------------------------------------------------


def test_limits() -> None:
    assert (
        codes({"limits": {"seconds": 2, "tokens": 10, "cost": 1, "calls": 2}}, latency=2.0, tokens=10, cost=1.0) == []
    )
    over = {"limits": {"seconds": 1, "tokens": 9, "cost": 0.5, "calls": 1}}
    assert codes(over, latency=2.0, tokens=10, cost=1.0) == [
        "over_seconds", "over_tokens", "over_cost", "too_many_calls"
    ]  # fmt: skip
    unknown = found({"limits": {"cost": 1}}).parts["limits"]
    assert (unknown.state, unknown.why) == ("unknown", "cost not known")
    assert codes({"limits": {"cost": 1, "seconds": 1}}, latency=2.0) == ["over_seconds"]
    assert codes({"limits": {"tokens": 4}}, {"tokens": 5}) == ["over_tokens"]
    assert found({"limits": {"calls": 4}}, {"answer": "x"}).codes == ["no_trace"]


@pytest.mark.parametrize(
    ("expected", "body", "state", "reason"),
    [
        ("refusal", {"is_out_of_scope": True}, "held", ""),
        ("refusal", {"is_out_of_scope": False}, "broken", "answered_not_refused"),
        ("refusal", {"kind": "clarification"}, "broken", "answered_not_refused"),
        ("data", {"kind": "refusal"}, "broken", "refused_not_answered"),
        ("data", {"kind": "data"}, "held", ""),
        ("data", {"is_out_of_scope": False}, "review", ""),
        ("clarification", {"kind": "data"}, "broken", "not_clarified"),
        ("clarification", {"kind": "clarification"}, "held", ""),
        ("refusal", {"answer": "I am sorry, I cannot help with that."}, "review", ""),
    ],
)
def test_kinds_of_answers_come_from_fields_alone(expected: str, body: object, state: str, reason: str) -> None:
    part = found({"answer": expected}, body).parts["answer"]
    assert (part.state, "".join(one.reason for one in part.findings)) == (state, reason)


# -- metrics, small parts ---------------------------------------------------------------------------------------------


def test_the_metrics_of_a_check() -> None:
    expect = {
        "tools": {"called": ["search"], "never": ["search"]}, "tables": {"used": ["population"]},
        "limits": {"seconds": 1}, "answer": "data",
    }  # fmt: skip
    scores = {metric.name: metric.score(found(expect, latency=2.0)) for metric in METRICS}
    assert {name: score.value for name, score in scores.items()} == {
        "expectations": 0.0, "tools_right": 1.0, "tools_forbidden": 1.0, "tables_right": 1.0, "sources_right": None,
        "within_limits": 0.0, "answer_kind": None, "tool_calls": 2.0,
    }  # fmt: skip
    assert set(scores) == METRIC_NAMES


def test_nothing_passes_where_a_part_is_unknown() -> None:
    expect = {"limits": {"seconds": 3}, "tools": {"never": ["a"]}}
    assert METRICS[0].score(found(expect, {"answer": "x"}, latency=2.0)).value is None
    assert METRICS[0].score(found(expect, {"answer": "x"}, latency=4.0)).value == 0.0
    assert METRICS[0].score(found(expect, traced("b"), latency=2.0)).value == 1.0


@pytest.mark.parametrize(
    ("pattern", "text", "yes"),
    [
        ("a*", "abc", True), ("*c", "abc", True), ("a*c", "ac", True), ("a*a", "a", False), ("*b*", "abc", True),
        ("a*b*c", "a-b-b-c", True), ("abc", "abcd", False), ("*", "", True), ("a.c", "abc", False),
        ("a*bc*c", "abc", False),
    ],
)  # fmt: skip
def test_names_with_a_star(pattern: str, text: str, yes: bool) -> None:
    assert fits(pattern, text) is yes


def test_the_greatest_pairing() -> None:
    assert greatest_pairing([[0, 1], [0]]) == [1, 0]
    assert sorted(greatest_pairing([[0], [0], [0, 1]])) == [-1, 0, 1]
    assert greatest_pairing([]) == []


# -- what a trace leaves open -----------------------------------------------------------------------------------------

SILENT = {"trace": [{"tool": "search", "arguments": {"q": "x"}}, {"tool": "run_sql"}, {"tool": "run_sql"}]}
"""Two calls whose arguments nobody recorded."""
DROP = {"tool": "run_sql", "arguments": {"sql": {"matches": "drop"}}}


@pytest.mark.parametrize(
    ("tools", "state"),
    [
        ({"never": [DROP]}, "unknown"),
        ({"never": ["delete_*"]}, "held"),
        ({"never": [DROP, "search"]}, "broken"),
        ({"called": [DROP]}, "unknown"),
        ({"called": [{**DROP, "exactly": 1}]}, "unknown"),
        ({"called": [{**DROP, "at_least": 3}]}, "unknown"),
        ({"called": ["run_sql", {"tool": "search", "arguments": {"q": "x"}}]}, "held"),
        ({"called": [DROP, "describe"]}, "broken"),
        ({"only": ["search", DROP]}, "unknown"),
        ({"only": ["search", "run_sql"]}, "held"),
        ({"order": ["search", DROP]}, "unknown"),
    ],
)
def test_arguments_that_the_trace_does_not_say_decide_nothing(tools: object, state: str) -> None:
    assert [part.state for part in found({"tools": tools}, SILENT).parts.values()] == [state]


def test_neither_do_they_say_which_tables_were_used() -> None:
    assert found({"tables": {"never": ["hr.*"]}}, SILENT).parts["tables"].state == "unknown"
    assert found({"tables": {"never": ["hr.*"]}}, {**SILENT, "tables": ["a"]}).parts["tables"].state == "held"


@pytest.mark.parametrize(
    "arguments",
    [
        {"request": {"sql": "SELECT * FROM hr.pay"}},
        {"statements": [{"statement": "SELECT 1"}, {"statement": "DELETE FROM hr.pay"}]},
        {"query": ["SELECT 1", "SELECT * FROM hr.pay"]},
        {"sql": "BEGIN; SELECT * FROM hr.pay; COMMIT"},
        {"query": "begin; update hr.pay set a = 1"},
        {"query": "DESCRIBE hr.pay"},
    ],
)
def test_sql_is_found_at_any_depth_and_however_it_begins(arguments: object) -> None:
    body = {"trace": [{"tool": "db", "arguments": arguments}]}
    assert codes({"tables": {"never": ["hr.*"]}}, body) == ["table_forbidden"]


def test_an_argument_for_sql_that_holds_none_is_not_judged() -> None:
    body = {"trace": [{"tool": "db", "arguments": {"sql": "all the pay, please (of hr"}}]}
    assert found({"tables": {"never": ["hr.*"]}}, body).parts["tables"].state == "unknown"


def test_a_trace_that_cannot_be_read_may_hold_the_sources_and_tables() -> None:
    body = {"answer": "x", "trace": [{"step": 1, "did": "search"}]}
    checked = found({"sources": {"at_least": 1}, "tables": {"used": ["t"]}, "limits": {"calls": 3}}, body)
    assert {name: (part.state, part.why) for name, part in checked.parts.items()} == dict.fromkeys(
        ("tables", "sources", "limits"), ("unknown", "the trace of the answer is in no form that is read")
    )


@pytest.mark.parametrize("cut", ['{"sql": "SELECT * FROM hr.pay', "{'sql': 'SELECT * FROM hr.pay'}", '{"sql": '])
def test_nobody_can_say_what_is_not_in_arguments_that_cannot_be_read(cut: str) -> None:
    body = {"trace": [{"tool": "run_sql", "arguments": cut}]}
    pattern = {"tool": "run_sql", "arguments": {"sql": {"matches": "pay"}}}
    checked = found({"tools": {"never": [pattern]}, "tables": {"never": ["hr.*"]}}, body)
    assert {name: part.state for name, part in checked.parts.items()} == {"forbidden": "unknown", "tables": "unknown"}
    assert codes({"tools": {"never": ["run_sql"]}}, body) == ["tool_forbidden"]
    assert codes({"tools": {"called": [pattern]}}, body) == ["tool_arguments"]  # it was called, and not like that


def test_arguments_that_are_words_are_read_as_they_are() -> None:
    body = {"trace": [{"tool": "run", "arguments": "print(1)"}]}
    checked = found({"tools": {"never": [{"tool": "run", "arguments": {"sql": {"any": True}}}]}}, body)
    assert checked.parts["forbidden"].state == "held"


@pytest.mark.parametrize(
    ("arguments", "state"),
    [
        ({"sql": "selec * frm hr.pay"}, "unknown"),
        ({"input": json.dumps({"query": "SELECT * FROM hr.pay"})}, "broken"),
        ({"input": json.dumps([{"sql": "SELECT * FROM wdi.a"}])}, "held"),
        ({"code": "SELECT * FROM hr.pay"}, "unknown"),
        ({"__arg1": "with a as (select 1 from hr.pay) select * from a"}, "unknown"),
        ({"code": "SELECT * FROM hr.pay", "sql": "SELECT * FROM hr.pay"}, "broken"),
        ({"code": "select the best option"}, "held"),
        ({"code": "SELECT 1"}, "held"),
        ({"question": "Select countries from Europe"}, "held"),
        ({"code": "print(1)", "names": ["a", "b"]}, "held"),
    ],
)
def test_sql_that_may_be_there_is_never_no_table(arguments: object, state: str) -> None:
    body = {"trace": [{"tool": "run", "arguments": arguments}]}
    checked = found({"tables": {"never": ["hr.pay"]}}, body)
    assert checked.parts["tables"].state == state
    if state == "unknown" and "sql" not in str(arguments):
        assert "sql_arguments: [" in checked.parts["tables"].why


def test_an_argument_that_is_said_to_be_sql_is_read() -> None:
    body = {"trace": [{"tool": "run", "arguments": {"code": "SELECT * FROM hr.pay"}}]}
    assert codes({"tables": {"never": ["hr.pay"], "sql_arguments": ["code"]}}, body) == ["table_forbidden"]
    assert found({"tables": {"never": ["hr.pay"]}}, {**body, "tables": ["wdi.a"]}).parts["tables"].state == "held"


def test_a_cost_that_is_no_number_is_not_known() -> None:
    checked = found({"limits": {"cost": 1}}, cost=float("nan"))
    assert (checked.parts["limits"].state, checked.parts["limits"].why) == ("unknown", "cost not known")
