"""Traces as other frameworks write them: each says the same two calls; and what cannot be read is never "no calls"."""

from __future__ import annotations

import json

import pytest

from karat.core.json_types import Json, JsonObject
from karat.core.trace.reading import read_trace

ASKED: JsonObject = {"role": "user", "content": "How many live in Chile?"}
SQL = {"sql": "SELECT 1"}
FORMS: dict[str, Json] = {
    "Anthropic conversation": [
        ASKED,
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "search", "input": {"q": "chile"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "found"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "run_sql", "input": SQL}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "b", "is_error": True, "content": "denied"}],
        },
        {"role": "assistant", "content": "19.5 million"},
    ],
    "Anthropic server and MCP tools": [
        ASKED,
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "a", "name": "search", "input": {"q": "chile"}},
                {"type": "web_search_tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "found"}]},
                {"type": "mcp_tool_use", "id": "b", "name": "run_sql", "server_name": "db", "input": SQL},
                {"type": "mcp_tool_result", "tool_use_id": "b", "is_error": True, "content": "denied"},
                {"type": "text", "text": "19.5 million"},
            ],
        },
    ],
    "Bedrock Converse": {
        "messages": [
            {"role": "user", "content": [{"text": "How many?"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "a", "name": "search", "input": {"q": "chile"}}}],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "found"}]}}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "b", "name": "run_sql", "input": SQL}}]},
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "b", "content": [{"text": "denied"}], "status": "error"}}],
            },
            {"role": "assistant", "content": [{"text": "19.5 million"}]},
        ]
    },
    "Gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "How many?"}]},
            {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "search", "args": {"q": "chile"}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "a", "name": "search", "response": {"r": "found"}}}],
            },
            {"role": "model", "parts": [{"functionCall": {"id": "b", "name": "run_sql", "args": SQL}}]},
            {"role": "model", "parts": [{"text": "19.5 million"}]},
        ]
    },
    "LangChain messages": [
        {"type": "human", "content": "How many?"},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"name": "search", "args": {"q": "chile"}, "id": "a", "type": "tool_call"}],
        },
        {"type": "tool", "content": "found", "tool_call_id": "a"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "run_sql", "args": SQL, "id": "b"}]},
        {"type": "tool", "content": "denied", "tool_call_id": "b", "status": "error"},
        {"type": "ai", "content": "19.5 million"},
    ],
    "LangChain dumped": {
        "messages": [
            {"type": "human", "data": {"content": "How many?"}},
            {
                "type": "ai",
                "data": {
                    "content": "",
                    "tool_calls": [
                        {"name": "search", "args": {"q": "chile"}, "id": "a"},
                        {"name": "run_sql", "args": SQL, "id": "b"},
                    ],
                },
            },
            {"type": "ai", "data": {"content": "19.5 million"}},
        ]
    },
    "LangChain serialised": [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "HumanMessage"],
            "kwargs": {"content": "How many?"},
        },
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "AIMessage"],
            "kwargs": {
                "content": "",
                "tool_calls": [
                    {"name": "search", "args": {"q": "chile"}, "id": "a"},
                    {"name": "run_sql", "args": SQL, "id": "b"},
                ],
            },
        },
    ],
    "LangChain steps": {
        "output": "19.5",
        "intermediate_steps": [
            [{"tool": "search", "tool_input": {"q": "chile"}, "log": ""}, "found"],
            [{"tool": "run_sql", "tool_input": SQL, "log": ""}, "1"],
        ],
    },
    "Vercel model messages": [
        ASKED,
        {
            "role": "assistant",
            "content": [
                {"type": "tool-call", "toolCallId": "a", "toolName": "search", "input": {"q": "chile"}},
                {"type": "tool-call", "toolCallId": "b", "toolName": "run_sql", "args": SQL},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "a",
                    "toolName": "search",
                    "output": {"type": "text", "value": "found"},
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "19.5 million"}]},
    ],
    "Vercel UI messages": [
        {"role": "user", "parts": [{"type": "text", "text": "How many?"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {
                    "type": "tool-search",
                    "toolCallId": "a",
                    "state": "output-available",
                    "input": {"q": "chile"},
                    "output": "found",
                },
                {
                    "type": "tool-invocation",
                    "toolInvocation": {
                        "toolCallId": "b",
                        "toolName": "run_sql",
                        "args": SQL,
                        "state": "result",
                        "result": 1,
                    },
                },
                {"type": "text", "text": "19.5"},
            ],
        },
    ],
    "pydantic-ai": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "How many?"}]},
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": "search", "args": '{"q": "chile"}', "tool_call_id": "a"}],
        },
        {
            "kind": "request",
            "parts": [{"part_kind": "tool-return", "tool_name": "search", "content": "found", "tool_call_id": "a"}],
        },
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": "run_sql", "args": SQL, "tool_call_id": "b"}],
        },
        {"kind": "response", "parts": [{"part_kind": "text", "content": "19.5 million"}]},
    ],
    "Agents SDK items": [
        ASKED,
        {"type": "function_call", "call_id": "a", "name": "search", "arguments": '{"q": "chile"}'},
        {"type": "function_call_output", "call_id": "a", "output": "found"},
        {"type": "function_call", "call_id": "b", "name": "run_sql", "arguments": json.dumps(SQL)},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "19.5 million"}]},
    ],
    "MCP log": [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 0, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"q": "chile"}}},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "found"}]}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run_sql", "arguments": SQL}},
        {"jsonrpc": "2.0", "id": 2, "result": {"isError": True, "content": [{"type": "text", "text": "denied"}]}},
    ],
    "spans without a resource": {
        "spans": [
            {
                "spanId": "2",
                "name": "execute_tool run_sql",
                "startTimeUnixNano": "20",
                "attributes": {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "run_sql",
                    "gen_ai.tool.call.arguments": json.dumps(SQL),
                },
            },
            {
                "span_id": "1",
                "name": "execute_tool search",
                "start_time_unix_nano": 10,
                "attributes": [
                    {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                    {"key": "gen_ai.tool.name", "value": {"stringValue": "search"}},
                    {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": '{"q": "chile"}'}},
                ],
            },
        ]
    },
    "OTLP with names of the protobuf": {
        "resource_spans": [
            {
                "scope_spans": [
                    {
                        "spans": [
                            {
                                "span_id": "1",
                                "start_time_unix_nano": "10",
                                "attributes": [
                                    {"key": "gen_ai.tool.name", "value": {"stringValue": "search"}},
                                    {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": '{"q": "chile"}'}},
                                ],
                            },
                            {
                                "span_id": "2",
                                "start_time_unix_nano": "20",
                                "attributes": [
                                    {"key": "gen_ai.tool.name", "value": {"stringValue": "run_sql"}},
                                    {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": json.dumps(SQL)}},
                                ],
                            },
                        ]
                    }
                ]
            }
        ]
    },
    "plain with other names": {
        "answer": "19.5",
        "trace": [
            {"name": "search", "args": {"q": "chile"}, "output": "found"},
            {"tool_name": "run_sql", "input": SQL},
        ],
    },
    "calls beside the answer": {
        "answer": "19.5",
        "tool_calls": [
            {"name": "search", "arguments": {"q": "chile"}},
            {"function": {"name": "run_sql", "arguments": json.dumps(SQL)}},
        ],
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same_calls(form: str) -> None:
    found = read_trace(json.dumps(FORMS[form]).encode())
    assert found.calls is not None
    assert [(call.tool, call.arguments) for call in found.calls] == [("search", {"q": "chile"}), ("run_sql", SQL)]


@pytest.mark.parametrize(
    "form",
    ["Anthropic conversation", "Anthropic server and MCP tools", "Bedrock Converse", "LangChain messages", "MCP log"],
)
def test_results_and_failures_are_read(form: str) -> None:
    found = read_trace(json.dumps(FORMS[form]).encode())
    assert found.calls is not None
    assert [(call.result, call.error) for call in found.calls] == [("found", ""), ("denied", "denied")]


@pytest.mark.parametrize("form", ["Vercel model messages", "Vercel UI messages", "pydantic-ai", "Agents SDK items"])
def test_results_are_paired_with_their_calls(form: str) -> None:
    found = read_trace(json.dumps(FORMS[form]).encode())
    assert found.calls is not None and "found" in str(found.calls[0].result)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "futureToolInvocation", "target": "delete_rows"},
        {"type": "custom", "toolRequest": {"n": "delete_rows"}},
        {"invocation": {"function": "delete_rows"}, "type": "call_v2"},
    ],
)
def test_a_part_that_may_be_a_call_and_cannot_be_read_is_no_empty_trace(part: JsonObject) -> None:
    found = read_trace(json.dumps([ASKED, {"role": "assistant", "content": [part]}]).encode())
    assert found.calls is None and found.unread
    alone = read_trace(json.dumps({"role": "assistant", "content": [part]}).encode())
    assert alone.calls is None and alone.unread


@pytest.mark.parametrize("key", ["toolRequests", "function_invocations", "tool_uses"])
def test_neither_is_a_key_of_a_message_that_looks_like_calls(key: str) -> None:
    found = read_trace(json.dumps([ASKED, {"role": "assistant", "content": "x", key: [{"n": "delete"}]}]).encode())
    assert found.calls is None and found.unread


@pytest.mark.parametrize(
    "part", [{"type": "text", "text": "I called nothing"}, {"type": "thinking", "thinking": "hm"}, {"text": "Bedrock"}]
)
def test_a_conversation_of_words_alone_is_an_empty_trace(part: JsonObject) -> None:
    found = read_trace(json.dumps([ASKED, {"role": "assistant", "content": [part]}]).encode())
    assert found.calls == () and not found.unread


def test_a_call_that_langchain_could_not_parse_is_an_attempt() -> None:
    told = [
        {"type": "human", "content": "?"},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [],
            "invalid_tool_calls": [{"name": "delete_rows", "args": "{", "id": "a", "error": "not JSON"}],
        },
    ]
    found = read_trace(json.dumps(told).encode())
    assert found.calls is not None and [(call.tool, call.error) for call in found.calls] == [
        ("delete_rows", "not JSON")
    ]


def test_a_trace_that_is_there_and_cannot_be_read_says_so() -> None:
    assert read_trace(b'{"answer": "x", "trace": [{"step": 1, "did": "search"}]}').unread
    assert read_trace(b'{"answer": "x"}', b'{"log": "searched, then answered"}').unread
    for none in (
        b'{"answer": "x"}',
        b'{"answer": "x", "trace": null}',
        b'{"choices": [{"message": {"content": "x"}}]}',
    ):
        assert not read_trace(none).unread


@pytest.mark.parametrize(
    "body",
    [
        {
            "candidates": [
                {"content": {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {"q": 1}}}]}}
            ],
            "usageMetadata": {"totalTokenCount": 9},
        },
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": "a", "name": "search", "input": {"q": 1}}}],
                }
            },
            "usage": {"inputTokens": 4, "outputTokens": 5},
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "search", "input": {"q": 1}}],
            "usage": {"input_tokens": 4, "output_tokens": 5},
        },
    ],
)
def test_single_responses_of_other_endpoints(body: JsonObject) -> None:
    found = read_trace(json.dumps(body).encode())
    assert found.calls is not None and [(call.tool, call.arguments) for call in found.calls] == [("search", {"q": 1})]
    assert found.tokens == 9
