"""Traces that come event by event, and as tracing tools export them; and calls that are easy to overlook."""

from __future__ import annotations

import json

import pytest

from karat.core.json_types import Json, JsonObject
from karat.core.trace.reading import read_trace

ASKED: JsonObject = {"role": "user", "content": "How many live in Chile?"}
Q: JsonObject = {"q": "chile"}
SEARCH: tuple[str, Json] = ("search", Q)
DELETE: tuple[str, Json] = ("delete_rows", {})
AI: JsonObject = {"type": "ai", "content": "", "id": "m1", "tool_calls": [{"name": "search", "args": Q, "id": "a"}]}
TOOL: JsonObject = {"type": "tool", "content": "x", "tool_call_id": "a"}
CHUNK: JsonObject = {"type": "AIMessageChunk", "id": "run-1", "content": ""}


def events(*given: JsonObject) -> str:
    return "".join(f"data: {json.dumps(one)}\n\n" for one in given)


def lines(*given: JsonObject) -> str:
    return "\n".join(map(json.dumps, given))


def delta(*calls: JsonObject) -> JsonObject:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": list(calls)}}]}


def piece(mark: str | None, name: str | None, args: str) -> JsonObject:
    return {"index": 0, "id": mark, "function": {"name": name, "arguments": args}}


def span(mark: str, **attributes: Json) -> JsonObject:
    known = {key.replace("__", "."): value for key, value in attributes.items()}
    return {"traceId": "t", "spanId": mark, "name": "s", "startTimeUnixNano": "1", "attributes": known}


def resource(*spans: JsonObject) -> JsonObject:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


RAN = span("1", gen_ai__tool__name="search", gen_ai__tool__call__id="a", gen_ai__tool__call__arguments=json.dumps(Q))


def asked(*calls: JsonObject) -> JsonObject:
    said = [{"role": "assistant", "parts": [{"type": "tool_call", **one} for one in calls]}]
    return span("0", gen_ai__operation__name="chat", gen_ai__output__messages=json.dumps(said))


def observation(kind: str, name: str, **more: Json) -> JsonObject:
    return {"id": name, "type": kind, "name": name, "startTime": "2026-01-01T00:00:00Z", **more}


READ: dict[str, tuple[Json, list[tuple[str, Json]]]] = {
    "a stream that numbers every call 0": (
        events(delta(piece("a", "search", json.dumps(Q))), delta(piece("b", "delete_rows", "{}"))),
        [SEARCH, DELETE],
    ),
    "a stream that was kept as a text": (
        {"response": events(delta(piece("a", "search", json.dumps(Q))))},
        [SEARCH],
    ),
    "the same as the whole response": (json.dumps(events(delta(piece("a", "search", json.dumps(Q))))), [SEARCH]),
    "a stream with a new id in every delta": (
        events(delta(piece("a", "search", '{"q": "ch')), delta(piece("z", None, 'ile"}'))),
        [SEARCH],
    ),
    "a stream of Anthropic": (
        events(
            {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I look."}},
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "tool_use", "id": "a", "name": "search", "input": {}},
            },
            {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '{"q": "ch'}},
            {"type": "content_block_delta", "index": 1, "delta": {"partial_json": 'ile"}'}},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
        ),
        [SEARCH],
    ),
    "a stream of the Vercel AI SDK for a page": (
        events(
            {"type": "start"},
            {"type": "tool-input-start", "toolCallId": "a", "toolName": "search"},
            {"type": "tool-input-available", "toolCallId": "a", "toolName": "search", "input": Q},
            {"type": "tool-output-available", "toolCallId": "a", "output": "x"},
        ),
        [SEARCH],
    ),
    "chunks of LangChain's messages": (
        [
            {**CHUNK, "tool_call_chunks": [{"name": "search", "args": "", "id": "a", "index": 0}]},
            {
                **CHUNK,
                "tool_call_chunks": [{"name": None, "args": '{"q": "ch', "id": None, "index": 0}],
                "invalid_tool_calls": [{"name": None, "args": '{"q": "ch', "id": None}],
            },
            {**CHUNK, "tool_call_chunks": [{"name": None, "args": 'ile"}', "id": None, "index": 0}]},
        ],
        [SEARCH],
    ),
    "states of LangGraph": (
        [{"messages": [ASKED]}, {"messages": [ASKED, AI]}, {"messages": [ASKED, AI, TOOL]}],
        [SEARCH],
    ),
    "updates of LangGraph, of which some have no messages": (
        [{"route": {"to": "sql"}}, {"agent": {"messages": [AI]}}, {"tools": None}, {"__interrupt__": [{"value": "?"}]}],
        [SEARCH],
    ),
    "updates of a graph inside another, which repeats them": (
        [[["sub:1"], {"agent": {"messages": [AI]}}], [[], {"team": {"messages": [AI, TOOL]}}]],
        [SEARCH],
    ),
    "updates of LangGraph as a server sends them": (events({"agent": {"messages": [AI]}}), [SEARCH]),
    "the log of Claude Code, with an agent inside": (
        lines(
            {"type": "system", "subtype": "init"},
            {
                "type": "assistant",
                "message": {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "a", "name": "search", "input": Q}],
                },
            },
            {"type": "user", "parent_tool_use_id": "a", "message": {"role": "user", "content": "look there"}},
            {"type": "assistant", "parent_tool_use_id": "a", "message": {"role": "assistant", "content": "19"}},
            {"type": "result", "result": "19"},
        ),
        [SEARCH],
    ),
    "an agent of AutoGen with its inner messages": (
        {
            "chat_message": {"source": "a", "type": "TextMessage", "content": "19"},
            "inner_messages": [
                {
                    "source": "a",
                    "type": "ToolCallRequestEvent",
                    "content": [{"id": "a", "name": "search", "arguments": json.dumps(Q)}],
                }
            ],
        },
        [SEARCH],
    ),
    "events of LlamaIndex: a call begins and ends": (
        [
            {"tool_name": "search", "tool_kwargs": Q, "tool_id": "a"},
            {"tool_name": "search", "tool_kwargs": Q, "tool_id": "a", "tool_output": {"content": "x"}},
        ],
        [SEARCH],
    ),
    "observations of Langfuse": (
        {"id": "t", "observations": [observation("GENERATION", "llm"), observation("TOOL", "search", input=Q)]},
        [SEARCH],
    ),
    "a trace of MLflow": (
        {
            "info": {},
            "data": {
                "spans": [
                    {
                        "span_id": "1",
                        "name": "search",
                        "attributes": {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": json.dumps(Q)},
                    }
                ]
            },
        },
        [SEARCH],
    ),
    "spans of the Agents SDK": (
        [
            {"object": "trace", "id": "t"},
            {
                "object": "trace.span",
                "id": "s",
                "span_data": {"type": "function", "name": "search", "input": json.dumps(Q)},
            },
        ],
        [SEARCH],
    ),
    "spans that an exporter sent twice, beside other signals": (
        lines(resource(RAN), {"resourceLogs": []}, resource(RAN), {"resourceMetrics": []}),
        [SEARCH],
    ),
    "a call that a model asked for and no span runs": (
        resource(asked({"id": "a", "name": "search", "arguments": Q}, {"id": "b", "name": "delete_rows"}), RAN),
        [SEARCH, DELETE],
    ),
    "a call under the name that the client gave it": (
        resource(asked({"name": "mcp__db__search", "arguments": Q}), RAN),
        [SEARCH],
    ),
    "a run of LangSmith whose model asked for one call more": (
        {
            "run_type": "chain",
            "inputs": {},
            "child_runs": [
                {"run_type": "llm", "inputs": {}, "outputs": {"message": {"tool_calls": [{"name": "delete_rows"}]}}},
                {"run_type": "tool", "name": "search", "inputs": Q},
            ],
        },
        [SEARCH, DELETE],
    ),
    "an argument that is called input": (
        {"run_type": "tool", "name": "search", "inputs": {"input": "chile"}},
        [("search", {"input": "chile"})],
    ),
    "a call that waits for a yes": (
        {"object": "response", "output": [{"type": "mcp_approval_request", "name": "delete_rows", "arguments": "{}"}]},
        [DELETE],
    ),
    "a response whose stream broke off inside a call": (
        events({"type": "response.output_item.added", "item": {"type": "function_call", "name": "delete_rows"}}),
        [DELETE],
    ),
    "batches of JSON-RPC, in the entries of a log": (
        [
            {
                "at": 1,
                "message": {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": "search", "arguments": Q},
                },
            },
            [{"jsonrpc": "2.0", "id": 1, "result": {}}],
        ],
        [SEARCH],
    ),
}


@pytest.mark.parametrize("form", READ)
def test_the_calls_are_read(form: str) -> None:
    body, expected = READ[form]
    found = read_trace((body if isinstance(body, str) else json.dumps(body)).encode())
    assert [(one.tool, one.arguments) for one in found.calls or ()] == expected


def conversation(text: str) -> list[JsonObject]:
    return [ASKED, {"role": "assistant", "content": text}, {"role": "assistant", "content": "Done."}]


NOT_KNOWN: dict[str, Json] = {
    "a call in the words of a model": conversation('<tool_call>{"name": "delete_rows"}</tool_call>'),
    "another model's way": conversation('[TOOL_CALLS] [{"name": "delete_rows"}]'),
    "thoughts and actions": conversation("Thought: delete.\nAction: delete_rows\nAction Input: {}"),
    "a call without the name of its tool": [ASKED, {"role": "assistant", "tool_calls": [{"id": "a", "function": {}}]}],
    "the result of a request that the log does not have": [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "deleted"}]}},
    ],
    "spans of Langfuse's first versions, which may be tools": {
        "observations": [
            observation("GENERATION", "llm", output="19"),
            observation("SPAN", "delete_rows", parentObservationId="llm"),
        ]
    },
    "calls in the raw output of a model call": resource(
        span("1", openinference__span__kind="LLM", output__value='{"m": "{\\"tool_calls\\": [{\\"name\\": \\"x\\"}]}"}')
    ),
}


@pytest.mark.parametrize("form", NOT_KNOWN)
def test_what_cannot_be_read_is_never_no_calls(form: str) -> None:
    found = read_trace(json.dumps(NOT_KNOWN[form]).encode())
    assert found.calls is None and found.unread


def test_calls_with_the_same_id_have_their_own_results() -> None:
    call: JsonObject = {"role": "assistant", "tool_calls": [{"id": "0", "function": {"name": "search"}}]}
    results: list[JsonObject] = [
        {"role": "tool", "tool_call_id": "0", "content": "denied", "status": "error"},
        {"role": "tool", "tool_call_id": "0", "content": "found"},
    ]
    found = read_trace(json.dumps([ASKED, call, results[0], call, results[1]]).encode())
    assert [(one.result, one.error) for one in found.calls or ()] == [("denied", "denied"), ("found", "")]


def test_a_failed_call_of_the_vercel_ai_sdk_has_failed() -> None:
    part: JsonObject = {"toolCallId": "a", "toolName": "search"}
    said = {"type": "tool-result", **part, "output": {"type": "error-text", "value": "denied"}}
    conversation = [
        ASKED,
        {"role": "assistant", "content": [{"type": "tool-call", **part, "input": Q}]},
        {"role": "tool", "content": [said]},
    ]
    assert [bool(one.error) for one in read_trace(json.dumps(conversation).encode()).calls or ()] == [True]


def test_tokens_of_a_streamed_answer_and_of_cached_input() -> None:
    part: JsonObject = {"candidates": [{"content": {"parts": [{"text": "1"}]}}], "responseId": "r"}
    stream = [{**part, "usageMetadata": {"totalTokenCount": count}} for count in (12, 15)]
    assert read_trace(json.dumps(stream).encode()).tokens == 15
    usage = {"input_tokens": 10, "cache_read_input_tokens": 1000, "output_tokens": 5}
    assert read_trace(json.dumps({"role": "assistant", "content": "1", "usage": usage}).encode()).tokens == 1015


def test_sources_of_grounding_and_of_citations_in_parts() -> None:
    grounded: JsonObject = {
        "candidates": [
            {
                "content": {"parts": [{"text": "19"}]},
                "groundingMetadata": {"groundingChunks": [{"web": {"uri": "https://a.org/x"}}]},
            }
        ]
    }
    cited: JsonObject = {
        "role": "assistant",
        "content": [{"type": "text", "text": "19", "citations": [{"url": "https://a.org/x"}]}],
    }
    for body in (grounded, cited):
        assert [one.name for one in read_trace(json.dumps(body).encode()).sources] == ["https://a.org/x"]


def model(mark: str, tokens: int | None, parent: str = "", **more: Json) -> JsonObject:
    used: JsonObject = (
        {} if tokens is None else {"gen_ai__usage__input_tokens": tokens, "gen_ai__usage__output_tokens": 0}
    )
    return {**span(mark, gen_ai__operation__name="chat", **used), "parentSpanId": parent, **more}


@pytest.mark.parametrize(
    ("spans", "tokens"),
    [
        ([model("1", 5), model("2", 7)], 12),
        ([model("1", 5), model("2", None)], None),  # one call does not say
        ([model("1", 5), model("2", None, status={"code": 2, "message": "rate limit"})], 5),
        ([model("1", 5), model("2", 5, "1")], 5),  # one call, seen twice
        ([model("1", None), model("2", 5, "1")], 5),
    ],
)
def test_tokens_are_those_of_every_model_call_once(spans: list[JsonObject], tokens: int | None) -> None:
    assert read_trace(json.dumps(resource(*spans)).encode()).tokens == tokens
