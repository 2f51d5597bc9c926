"""What a live system may return: one selection in every form, and responses that say nothing."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.records import Case, Prediction, Turn
from karat.core.suite import Unreadable
from karat.runs.scores.scoring import score_try
from karat.suites.data_query import suite
from karat.suites.data_query.options import Options
from karat.suites.data_query.responses import read, read_response
from karat.suites.data_query.selection.outcomes import OutcomeRule
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Period, Selection, Target, Term
from tests.reply_forms import body, chat, json_forms, text_forms, tool_call

SELECTED = Selection(
    (
        DatasetSelection(
            "IMF.RES:WEO", (Dimension("COUNTRY", (Term("NO", "Norway"), Term("MEX", 'Mexico "{the}" US'))),)
        ),
    )
)
OWN = msgspec.to_builtins(SELECTED)
EMPTY: dict[str, Any] = {"indicator_selection": []}
MCP = {"queries": [{"datasetUrn": "urn:sdmx:org.sdmx.infomodel.datastructure.Dataflow=A:B", "filters": []}]}


@pytest.mark.parametrize("form", json_forms(OWN))
def test_a_selection_is_found_in_every_form(form: str) -> None:
    assert read_response(json_forms(OWN)[form]) == SELECTED


@pytest.mark.parametrize("form", json_forms(EMPTY))
def test_an_empty_selection_is_found_in_every_form(form: str) -> None:
    assert read_response(json_forms(EMPTY)[form]) == Selection()


@pytest.mark.parametrize("form", json_forms(MCP))
def test_queries_are_found_in_every_form(form: str) -> None:
    assert read_response(json_forms(MCP)[form]) == Selection((DatasetSelection("A:B"),))


NONSENSE = "It rains in Oslo, as I was told [1]."


@pytest.mark.parametrize("form", sorted({*text_forms(NONSENSE)} - {"DIAL attachment"}))
def test_words_without_a_selection_are_an_error_that_shows_them(form: str) -> None:
    with pytest.raises(Unreadable, match="It rains in Oslo"):
        read_response(text_forms(NONSENSE)[form])


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (chat(""), "whose message is empty"),
        (chat("{}"), "its keys are: none"),
        (chat('{"period": {"start": "2020"}}'), "no selection"),
        (chat('{"is_out_of_scope": false}'), "no selection"),
        (chat('{"indicator_selecton": []}'), "Did you mean indicator_selection"),
        (chat('{"queries": []}'), "no selection"),
        (chat('{"indicator_selection": [{"dataset_id": "A"', finish="length"), "cut off at the token limit"),
        (chat(json.dumps(EMPTY), finish="content_filter"), "content filter"),
        (chat("Here.", custom_content={"state": {}}), "no tool in custom_content says what was selected"),
        (chat("Here.", custom_content={"state": {"tool_messages": []}}), "no tool in custom_content"),
        (chat(f"{json.dumps(EMPTY)} or {json.dumps(OWN)}"), "2 different selections in the response"),
        (chat(json.dumps(EMPTY), tool_calls=[tool_call(OWN)]), "2 different selections"),
        (chat(json.dumps(OWN), refusal="No."), "refuses and selects"),
        (chat('{"outcome": "out_of_scop"}'), "Did you mean .out_of_scope"),
        (chat('{"outcome": "error"}'), "says that it failed"),
        ({"isError": True, "structuredContent": MCP}, "the tool reported a failure"),
    ],
)
def test_what_says_nothing_about_a_selection_is_an_error(response: Any, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_response(body(response))


@pytest.mark.parametrize(
    "response",
    [
        chat('{"is_out_of_scope": true}'),
        chat(None, refusal="I only know statistics."),
        chat('{"outcome": "out_of_scope"}'),
        chat(None, tool_calls=[tool_call({"is_out_of_scope": True, "indicator_selection": []})]),
    ],
)
def test_a_refusal_in_a_known_form(response: Any) -> None:
    found = read(body(response))
    assert found.selection.declines
    assert not found.selection.indicator_selection
    assert found.found is not None
    assert found.found.outcome == "out_of_scope"


RULES = (
    OutcomeRule(path="structuredContent.items.*.status", map={"NO_DATA": "no_data", "true": "out_of_scope"}),
    OutcomeRule(tool="ask_user", outcome="clarification"),
    OutcomeRule(tool="select", outcome="answer"),
    OutcomeRule(text="(?i)outside my scope", outcome="out_of_scope"),
)


@pytest.mark.parametrize(
    ("response", "outcome", "declines"),
    [
        (chat("That is Outside my scope."), "out_of_scope", True),
        (chat("Which?", tool_calls=[tool_call(OWN, "select"), tool_call({}, "ask_user")]), "clarification", False),
        ({"structuredContent": {"items": [{}, {"status": "NO_DATA"}]}}, "no_data", False),
        ({"structuredContent": {"items": [{"status": True}]}}, "out_of_scope", True),
        (chat(None, tool_calls=[tool_call(OWN, "select")]), "answer", False),
    ],
)
def test_rules_of_the_project_say_what_a_response_does(response: Any, outcome: str, declines: bool) -> None:
    found = read(body(response), rules=RULES)
    assert found.found is not None
    assert (found.found.outcome, found.selection.declines) == (outcome, declines)
    assert bool(found.selection.indicator_selection) == (outcome == "answer")


@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"path": "a"},
        {"tool": "a"},
        {"text": "(", "outcome": "answer"},
        {"tool": "a", "text": "b", "outcome": "answer"},
    ],
)
def test_a_rule_that_could_never_apply_is_refused(rule: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"outcome_from": [rule]}, Options)


@pytest.mark.parametrize("target", [Target(is_out_of_scope=True), Target(OWN and SELECTED.indicator_selection)])
def test_nonsense_is_never_scored(target: Target) -> None:
    case = Case("c", (Turn("user", "?", target),))
    for response in (body(chat(NONSENSE)), b"", b"\xff", body(chat(None)), body({"choices": []})):
        found = score_try(suite, case, {0: Prediction("c", response=response)}, Options())
        assert found.status == "error"
        assert {score.value for score in found.scores.values()} == {None}


KEYS = ["choices", "message", "content", "tool_calls", "custom_content", "state", "tool_messages",
    "dimension_id_to_name", "structuredContent", "queries", "datasetUrn", "indicator_selection", "outcome",
    "is_out_of_scope", "response"]  # fmt: skip


@given(st.binary(max_size=200) | st.recursive(st.none() | st.booleans() | st.text(max_size=3)
        | st.sampled_from(["{}", '{"indicator_selection": []}']),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
        max_leaves=12).map(body))  # fmt: skip
def test_any_bytes_are_a_selection_or_unreadable(response: bytes) -> None:
    with suppress(Unreadable):
        assert isinstance(read_response(response, rules=RULES), Selection)


def test_words_that_may_be_a_refusal_lead_to_the_option_for_them() -> None:
    with pytest.raises(Unreadable, match=r"it is text without JSON.*say so with the option outcome_from"):
        read(body(chat("Weather is outside of what I can help with.")))
    with pytest.raises(Unreadable) as error:
        read(body({"answer": "none"}))
    assert "outcome_from" not in str(error.value)


def test_a_year_may_be_a_number() -> None:
    """A whole number of four digits in the place of a period is that year; any other number there is a mistake."""

    def period_in(answer: dict[str, Any]) -> Any:
        selection = read_response(body(answer))
        return selection.period or selection.indicator_selection[0].period

    def own(values: list[Any] | None = None, **more: Any) -> dict[str, Any]:
        time = [{"dimension_name": "TIME_PERIOD", "operator": "between", "values": values}] if values else []
        part = {"dataset_id": "A:B", "dimensions": [{"dimension_name": "X", "values": [{"id": "a"}]}, *time]}
        return {"indicator_selection": [part], **more}

    span = Period("2015", "2020")
    time = {"dimensionId": "TIME_PERIOD", "operator": "between", "values": [2015, {"id": 2020}]}
    assert period_in(own(period={"start": 2015, "end": "2020"})) == span
    assert period_in(own([{"id": 2015}, {"id": 2020}])) == span
    assert period_in({"structuredContent": {"queries": [{"datasetUrn": "A:B", "filters": [time]}]}}) == span
    gaps = period_in(own(period={"start": 2015, "end": 2015, "also": [{"start": 2017, "end": 2017}]}))
    assert gaps.also == (Period("2017", "2017"),)
    for other in (2015.0, 15, 20150, -2015, True):
        with pytest.raises(Unreadable, match=r"period\.start is"):
            read_response(body(own(period={"start": other})))
    code = {
        "indicator_selection": [
            {"dataset_id": "A:B", "dimensions": [{"dimension_name": "X", "values": [{"id": 2015}]}]}
        ]
    }
    with pytest.raises(Unreadable, match="is a whole number"):
        read_response(body(code))
