"""Traces from which somebody left parts out, as exports and loggers do. What is missing is never no call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from karat.core.trace.reading import read_trace
from karat.core.trace.records import Trace

USER = {"role": "user", "content": "How many orders are late?"}
DONE = {"role": "assistant", "content": "412"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "1", "function": {"name": "drop", "arguments": "{}"}}],
}
ROOT = {"id": "r", "run_type": "chain", "name": "agent", "inputs": {}, "outputs": {"output": "412"}}
MODEL = {"id": "m", "run_type": "llm", "parent_run_id": "r", "inputs": {}, "outputs": {"text": "412"}}


def of(body: object) -> Trace:
    return read_trace(json.dumps(body).encode())


def span(name: str, start: int, mark: str, attributes: Mapping[str, object], parent: str = "") -> dict[str, Any]:
    given = [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for key, value in attributes.items()
    ]
    return {
        "traceId": "t",
        "spanId": mark,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 1),
        "attributes": given,
    }


def spans(*given: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(given)}]}]}


def tool(name: str, start: int, mark: str, parent: str = "") -> dict[str, Any]:
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.arguments": "{}"}
    return span(f"execute_tool {name}", start, mark, said, parent)


def state(*messages: object) -> dict[str, Any]:
    custom = {"state": {"tool_messages": list(messages)}}
    return {"choices": [{"message": {"role": "assistant", "content": "412", "custom_content": custom}}]}


@pytest.mark.parametrize(
    "body",
    [
        {**ROOT, "child_runs": None},
        {**ROOT, "child_runs": None, "child_run_ids": ["m", "t"]},
        {**ROOT, "child_runs": [], "child_run_ids": ["t"]},
        [{**ROOT, "child_run_ids": ["m", "t"]}, MODEL],
        state({"role": "tool", "tool_call_id": "1", "content": "done"}, DONE),
        state({"role": "assistant", "content": [{"type": "a_tool_call", "x": 1}]}, DONE),
        state(None, {"odd": 1}),
        {"messages": [USER, {"role": "assistant", "content": None}, DONE]},
        {"messages": [USER, {"role": "assistant", "content": ""}, DONE]},
        spans(span("execute_tool", 1, "a", {"gen_ai.operation.name": "execute_tool"})),
    ],
)  # fmt: skip
def test_what_was_left_out_is_never_no_call(body: object) -> None:
    assert of(body).calls is None


@pytest.mark.parametrize(
    "body",
    [
        {**ROOT, "child_runs": []},
        [{**ROOT, "child_run_ids": ["m"]}, MODEL],
        state(),
        {"messages": [USER, {"role": "assistant", "content": "", "reasoning_content": "Let me see."}, DONE]},
        {"messages": [USER, DONE]},
    ],
)
def test_a_trace_that_is_whole_says_that_nothing_was_called(body: object) -> None:
    assert of(body).calls == ()


@pytest.mark.parametrize("content", [[], "", None])
def test_results_that_a_logger_emptied_are_no_question(content: object) -> None:
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "drop", "input": {}}]}
    found = of({"messages": [USER, use, {"role": "user", "content": content}, DONE]}).calls
    assert found is not None and [call.tool for call in found] == ["drop"]


def test_a_span_of_a_tool_whose_attributes_were_removed_is_a_call_with_unknown_arguments() -> None:
    found = of(spans(tool("search", 1, "a"), span("execute_tool drop", 2, "b", {}))).calls
    assert found is not None and [(call.tool, call.arguments) for call in found] == [("search", {}), ("drop", None)]


def test_spans_without_ids_are_not_inside_one_another() -> None:
    usage = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10}
    agent = span("invoke_agent", 1, "", {"gen_ai.operation.name": "invoke_agent", **usage})
    model = span("chat", 2, "", {"gen_ai.operation.name": "chat", **usage})
    found = of(spans(agent, model, tool("search", 3, ""), tool("search", 4, "")))
    assert [call.tool for call in found.calls or ()] == ["search", "search"]
    assert found.tokens == 110


def test_calls_of_the_state_of_dial_are_read_as_before() -> None:
    assert [
        call.tool for call in of(state(CALL, {"role": "tool", "tool_call_id": "1", "content": "r"})).calls or ()
    ] == ["drop"]
