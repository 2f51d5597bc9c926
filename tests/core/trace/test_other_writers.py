"""Traces as agents and tracing tools really write them, and what must never be taken for "nothing was called"."""

from __future__ import annotations

import json

import pytest

from karat.core.json_types import Json, JsonObject
from karat.core.trace.reading import read_trace

ASKED: JsonObject = {"role": "user", "content": "How many live in Chile?"}
ANSWER: JsonObject = {"role": "assistant", "content": "19 million"}
SEARCH = ("search", {"q": "chile"})
SQL = ("run_sql", {"sql": "SELECT 1"})


def call(mark: str, what: tuple[str, JsonObject]) -> JsonObject:
    return {"id": mark, "type": "function", "function": {"name": what[0], "arguments": json.dumps(what[1])}}


def use(mark: str, what: tuple[str, JsonObject]) -> JsonObject:
    return {"type": "tool_use", "id": mark, "name": what[0], "input": what[1]}


def item(mark: str, what: tuple[str, JsonObject]) -> JsonObject:
    return {"type": "function_call", "call_id": mark, "name": what[0], "arguments": json.dumps(what[1])}


def step(*calls: JsonObject) -> JsonObject:
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": list(calls)}}]}


def span(number: int, attributes: JsonObject, name: str = "", parent: str = "", **more: Json) -> JsonObject:
    return {
        "spanId": f"s{number}",
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(number),
        "attributes": attributes,
        **more,
    }


def spans(*found: JsonObject) -> JsonObject:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(found)}]}]}


def read(body: Json) -> list[tuple[str, Json]] | None:
    text = body if isinstance(body, str) else json.dumps(body)
    calls = read_trace(text.encode()).calls
    return None if calls is None else [(one.tool, one.arguments) for one in calls]


ARGS = json.dumps(SEARCH[1])
TOOL: JsonObject = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
CHAT: JsonObject = {"gen_ai.operation.name": "chat"}
RESULT: JsonObject = {"role": "tool", "tool_call_id": "a", "content": "x"}

READ: dict[str, tuple[Json, list[tuple[str, Json]]]] = {
    "a request with calls, and the completion with more": (
        {"messages": [ASKED, {"role": "assistant", "tool_calls": [call("a", SEARCH)]}, RESULT], **step(call("b", SQL))},
        [SEARCH, SQL],
    ),
    "completions one after the other": (
        [step(call("a", SEARCH)), step(call("b", SQL)), {"choices": [{"message": ANSWER}]}],
        [SEARCH, SQL],
    ),
    "responses one after the other": (
        [{"object": "response", "output": [item("a", SEARCH)]}, {"object": "response", "output": [item("b", SQL)]}],
        [SEARCH, SQL],
    ),
    "a response whose input has the calls before it": (
        {
            "object": "response",
            "input": [ASKED, item("a", SEARCH), {"type": "function_call_output", "call_id": "a", "output": "x"}],
            "output": [item("b", SQL)],
        },
        [SEARCH, SQL],
    ),
    "a built-in tool that is new": (
        {"object": "response", "output": [{"type": "apply_patch_call", "call_id": "a", "operation": {"path": "x"}}]},
        [("apply_patch", {"operation": {"path": "x"}})],
    ),
    "a result with words beside it": (
        [
            ASKED,
            {"role": "assistant", "content": [use("a", SEARCH)]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}, {"type": "text", "text": "!"}],
            },
            ANSWER,
        ],
        [SEARCH],
    ),
    "entries of a log around the messages": (
        [{"type": "user", "message": ASKED}, {"message": {"role": "assistant", "content": [use("a", SEARCH)]}}],
        [SEARCH],
    ),
    "a call as a part and beside it": (
        [
            {"type": "human", "content": "?"},
            {
                "type": "ai",
                "content": [use("a", SEARCH)],
                "tool_calls": [{"name": "search", "args": SEARCH[1], "id": "a"}],
            },
            {"type": "ai", "content": "19"},
        ],
        [SEARCH],
    ),
    "calls where LangChain once kept them": (
        [{"type": "human", "content": "?"}, {"type": "ai", "additional_kwargs": {"tool_calls": [call("a", SEARCH)]}}],
        [SEARCH],
    ),
    "agents that speak as users": (
        [
            {"type": "human", "content": "?"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "search", "args": SEARCH[1], "id": "a"}]},
            {"type": "human", "name": "researcher", "content": "found"},
            {"type": "ai", "content": "19"},
        ],
        [SEARCH],
    ),
    "updates of LangGraph": (
        [
            {"agent": {"messages": [{"type": "ai", "tool_calls": [{"name": "search", "args": SEARCH[1], "id": "a"}]}]}},
            {"tools": {"messages": [{"type": "tool", "tool_call_id": "a", "content": "x"}]}},
        ],
        [SEARCH],
    ),
    "LlamaIndex": (
        [
            {"role": "user", "blocks": [{"block_type": "text", "text": "?"}]},
            {"role": "assistant", "additional_kwargs": {"tool_calls": [call("a", SEARCH)]}},
            {
                "role": "assistant",
                "blocks": [
                    {"block_type": "tool_call", "tool_name": "run_sql", "tool_kwargs": SQL[1], "tool_call_id": "b"}
                ],
            },
        ],
        [SEARCH, SQL],
    ),
    "what tools of LlamaIndex returned": (
        {"response": "19", "sources": [{"tool_name": "search", "raw_input": {"args": [], "kwargs": SEARCH[1]}}]},
        [SEARCH],
    ),
    "AutoGen": (
        [
            {"source": "user", "type": "TextMessage", "content": "?"},
            {
                "source": "a",
                "type": "ToolCallRequestEvent",
                "content": [{"id": "a", "name": "search", "arguments": ARGS}],
            },
            {"source": "a", "type": "ToolCallExecutionEvent", "content": [{"call_id": "a", "content": "x"}]},
            {"source": "a", "type": "TextMessage", "content": "19"},
        ],
        [SEARCH],
    ),
    "steps of the Vercel AI SDK": (
        {
            "text": "19",
            "toolCalls": [{"toolName": "run_sql", "input": SQL[1]}],
            "steps": [
                {"toolCalls": [{"toolName": "search", "input": SEARCH[1]}]},
                {"toolCalls": [{"toolName": "run_sql", "input": SQL[1]}]},
            ],
        },
        [SEARCH, SQL],
    ),
    "Gemini runs code": (
        {
            "contents": [
                {"role": "user", "parts": [{"text": "?"}]},
                {"role": "model", "parts": [{"executableCode": {"code": "1"}}]},
            ]
        },
        [("code_execution", {"code": "1"})],
    ),
    "LangSmith, arguments as Python writes them": (
        {
            "run_type": "chain",
            "inputs": {},
            "child_runs": [{"run_type": "tool", "name": "search", "inputs": {"input": "{'q': 'chile'}"}}],
        },
        [SEARCH],
    ),
    "spans of the Vercel AI SDK": (
        spans(
            span(1, {"ai.operationId": "ai.generateText.doGenerate", "gen_ai.response.finish_reasons": ["tool-calls"]}),
            span(2, {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.args": ARGS}),
        ),
        [SEARCH],
    ),
    "what a tool takes is not what it was given": (
        spans(
            span(
                1,
                {
                    "openinference.span.kind": "TOOL",
                    "tool.name": "search",
                    "tool.parameters": '{"type": "object", "properties": {"q": {"type": "string"}}}',
                    "input.value": ARGS,
                },
            )
        ),
        [SEARCH],
    ),
    "one call seen by agent, client and server": (
        spans(
            span(1, {**TOOL, "gen_ai.tool.call.arguments": ARGS}),
            span(2, {"http.method": "POST"}, "POST", "s1"),
            span(3, {**TOOL, "mcp.method.name": "tools/call"}, "tools/call search", "s2"),
        ),
        [SEARCH],
    ),
    "a tool that calls itself with other arguments": (
        spans(
            span(1, {**TOOL, "gen_ai.tool.call.arguments": '{"q": "a"}'}),
            span(2, {**TOOL, "gen_ai.tool.call.arguments": ARGS}, "", "s1"),
        ),
        [("search", {"q": "a"}), SEARCH],
    ),
    "entities of Traceloop": (
        spans(
            span(
                1,
                {
                    "traceloop.span.kind": "tool",
                    "traceloop.entity.name": "search",
                    "traceloop.entity.input": json.dumps({"args": [], "kwargs": SEARCH[1]}),
                },
            )
        ),
        [SEARCH],
    ),
    "arguments in an event": (
        spans(span(1, TOOL, events=[{"name": "gen_ai.tool.message", "attributes": {"content": ARGS}}])),
        [SEARCH],
    ),
    "arguments under names of frameworks": (
        spans(
            span(1, {**TOOL, "gcp.vertex.agent.tool_call_args": ARGS}),
            span(2, {"gen_ai.tool.name": "search", "tool_arguments": ARGS}),
            span(3, {"langfuse.observation.type": "tool", "langfuse.observation.input": ARGS}, "search"),
            span(4, {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": ARGS}, "search"),
        ),
        [SEARCH] * 4,
    ),
    "spans without arguments: unknown, not none": (spans(span(1, TOOL)), [("search", None)]),
    "a model that stopped without a call": (spans(span(1, {**CHAT, "gen_ai.response.finish_reasons": ["stop"]})), []),
}


@pytest.mark.parametrize("form", READ)
def test_the_calls_are_read(form: str) -> None:
    body, expected = READ[form]
    assert read(body) == expected


NOT_KNOWN: dict[str, Json] = {
    "a question without an answer": [{"role": "system", "content": "s"}, ASKED],
    "a request, and the answer as text": {"messages": [ASKED], "response": "19"},
    "a message that ends in calls and shows none": [
        ASKED,
        {"role": "assistant", "finish_reason": "tool_calls"},
        ANSWER,
    ],
    "a result of a call that nobody made": [ASKED, RESULT, ANSWER],
    "one more result than calls": [
        ASKED,
        {"role": "assistant", "tool_calls": [call("a", SEARCH)]},
        RESULT,
        {**RESULT, "tool_call_id": "z"},
        ANSWER,
    ],
    "models that ask for calls, and no run of a tool": [
        {"run_type": "chain", "inputs": {}},
        {
            "run_type": "llm",
            "inputs": {},
            "outputs": {"generations": [[{"message": {"tool_calls": [call("a", SQL)]}}]]},
        },
    ],
    "a model call that ends in calls": spans(span(1, {**CHAT, "gen_ai.response.finish_reasons": ["tool_calls"]})),
    "a model call that says nothing": spans(span(1, {**CHAT, "gen_ai.usage.input_tokens": 1})),
    "embeddings alone": spans(span(1, {"gen_ai.operation.name": "embeddings"})),
    "a span that may be a call": spans(
        span(1, {**CHAT, "gen_ai.response.finish_reasons": ["stop"]}), span(2, {"acme.tool_call.name": "delete_rows"})
    ),
    "arguments under an unknown name": {"answer": "19", "trace": [{"tool": "run_sql", "payload": SQL[1]}]},
    "a trace that cannot be read beside messages": {"messages": [ASKED, ANSWER], "trace": [{"step": 1, "did": "x"}]},
}


@pytest.mark.parametrize("form", NOT_KNOWN)
def test_what_cannot_be_known_is_never_no_calls(form: str) -> None:
    assert read(NOT_KNOWN[form]) is None


def test_neither_does_an_unreadable_file_beside_the_answer() -> None:
    found = read_trace(json.dumps([ASKED, ANSWER]).encode(), b'{"log": "deleted"}')
    assert found.calls is None and found.unread
    assert read_trace(json.dumps([ASKED, ANSWER]).encode(), b"[]").calls == ()
