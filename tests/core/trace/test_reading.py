"""Every form of a trace gives the same calls; what a form does not say stays unknown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karat.core.records import join_attempts
from karat.core.trace.reading import read_trace
from karat.core.trace.records import Call, Trace
from tests.conftest import NO_SHARED_DATA

SHARED = Path(__file__).parents[4] / "shared" / "data" / "judge" / "traces"
FORMS = ("dial", "langsmith", "openai_messages", "openai_responses", "otlp", "plain")


def of(value: object) -> Trace:
    return read_trace(json.dumps(value).encode())


def named(trace: Trace) -> list[tuple[str, object]]:
    assert trace.calls is not None
    return [(call.tool, call.arguments) for call in trace.calls]


def span(name: str, start: int, attributes: dict[str, object], **more: object) -> dict[str, object]:
    def value(one: object) -> dict[str, object]:
        if isinstance(one, list):
            return {"arrayValue": {"values": [value(part) for part in one]}}
        return {"intValue": str(one)} if isinstance(one, int) else {"stringValue": one}

    return {
        "traceId": "t",
        "spanId": f"s{start}",
        "parentSpanId": "",
        "name": name,
        "startTimeUnixNano": str(start * 10**9),
        "endTimeUnixNano": str(start * 10**9 + 5 * 10**8),
        "attributes": [{"key": key, "value": value(one)} for key, one in attributes.items()],
        **more,
    }


def spans(*found: dict[str, object]) -> dict[str, object]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(found)}]}]}


@pytest.mark.skipif(not SHARED.is_dir(), reason=NO_SHARED_DATA)
@pytest.mark.parametrize("form", FORMS)
def test_the_shared_conversation_in_every_form(form: str) -> None:
    expected = json.loads((SHARED / "expected.json").read_text())
    found = read_trace((SHARED / f"{form}.json").read_bytes())
    assert named(found) == [(call["tool"], call["arguments"]) for call in expected["calls"]]
    assert [source.name for source in found.sources] == expected["sources"]
    assert found.tokens == (None if form == "langsmith" else expected["tokens"])  # its file names no tokens


# -- chat -------------------------------------------------------------------------------------------------------------


def test_old_function_calls_are_paired_with_their_results_by_name() -> None:
    found = of(
        {
            "messages": [
                {"role": "user", "content": "?"},
                {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": '{"a": 1}'}},
                {"role": "function", "name": "add", "content": "2"},
                {"role": "assistant", "content": "2"},
            ]
        }
    )
    assert found.calls == (Call("add", {"a": 1}, "2"),)


def test_only_what_follows_the_last_question_belongs_to_the_answer() -> None:
    call = {"id": "1", "function": {"name": "old", "arguments": "{}"}}
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [call]}]
    assert (
        of({"messages": [*said, {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}]}).calls == ()
    )


def test_a_conversation_without_calls_is_an_empty_trace_and_a_completion_without_calls_is_none() -> None:
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "hello"}]
    assert of({"messages": messages}).calls == ()
    assert of(messages).calls == ()
    for message in ({"content": "hello"}, {"content": "hello", "tool_calls": []}, {"content": "x", "tool_calls": None}):
        assert of({"choices": [{"message": {"role": "assistant", **message}}]}).calls is None


def test_a_completion_that_calls_tools_and_one_that_refuses() -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "not json"}}]
    assert named(of({"choices": [{"message": {"tool_calls": calls}}]})) == [("f", "not json")]
    assert of({"choices": [{"message": {"content": None, "refusal": "I cannot"}}]}).kind == "refusal"
    assert of({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}).kind == "refusal"
    assert of({"choices": [{"message": {"content": "I cannot help with that"}}]}).kind == ""


def test_tool_use_parts_and_their_results() -> None:
    messages = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "no", "is_error": True}]},
        {"role": "assistant", "content": [{"type": "text", "text": "see https://x.org/a."}]},
    ]
    found = of({"messages": messages})
    assert found.calls == (Call("f", {"a": 1}, "no", error="no"),)
    assert [one.name for one in found.sources] == ["https://x.org/a"]


def test_a_recorded_stream_is_put_together() -> None:
    parts = [
        {"index": 0, "id": "1", "function": {"name": "f", "arguments": '{"a":'}},
        {"index": 0, "function": {"arguments": " 1}"}},
    ]
    chunks = [{"object": "chat.completion.chunk", "choices": [{"delta": {"tool_calls": [part]}}]} for part in parts]
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    assert named(read_trace(text.encode())) == [("f", {"a": 1})]


def test_citations_attachments_and_links_are_sources_once_each() -> None:
    message = {
        "content": "See [this](https://a.org/x/) and https://a.org/x#part, (https://b.org/(y)).",
        "annotations": [{"type": "url_citation", "url_citation": {"url": "https://c.org", "title": "C"}}],
    }
    found = of({"choices": [{"message": message}], "citations": ["https://d.org"]})
    assert [one.name for one in found.sources] == [
        "https://d.org", "https://c.org", "https://a.org/x/", "https://b.org/(y)"
    ]  # fmt: skip


# -- the Responses API ------------------------------------------------------------------------------------------------


def test_calls_of_the_responses_api() -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "mcp_call", "name": "search", "arguments": "{}", "output": "[]", "server_label": "s"},
        {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "chile"}},
        {"type": "file_search_call", "queries": ["chile"], "status": "failed"},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "1", "output": "7"},
        {
            "type": "message",
            "content": [
                {
                    "type": "output_text",
                    "text": "x",
                    "annotations": [{"type": "file_citation", "file_id": "file-1", "filename": "a.pdf"}],
                }
            ],
        },
    ]
    found = of({"object": "response", "output": output})
    assert named(found) == [
        ("search", {}), ("web_search", {"type": "search", "query": "chile"}), ("file_search", {"queries": ["chile"]}),
        ("f", {"a": 1}),
    ]  # fmt: skip
    assert found.calls is not None
    assert [call.error for call in found.calls] == ["", "", "the call failed", ""]
    assert [(one.name, one.others) for one in found.sources] == [("a.pdf", ("file-1",))]


def test_a_message_of_the_responses_api_alone_is_no_trace() -> None:
    assert of({"object": "response", "output": [{"type": "message", "content": []}]}).calls is None
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}
    assert of({"object": "response", "output": [refusal]}).kind == "refusal"


# -- DIAL -------------------------------------------------------------------------------------------------------------


def dial(custom: dict[str, object]) -> Trace:
    return of({"choices": [{"message": {"role": "assistant", "content": "x", "custom_content": custom}}]})


def test_tool_messages_of_dial_come_before_its_stages() -> None:
    call = {"id": "1", "function": {"name": "exact", "arguments": "{}"}}
    stages = [{"name": "shown", "content": ""}]
    assert named(
        dial({"state": {"tool_messages": [{"role": "assistant", "tool_calls": [call]}]}, "stages": stages})
    ) == [("exact", {})]
    assert dial({"state": {"tool_messages": []}, "stages": stages}).calls == ()


def test_stages_of_dial() -> None:
    found = dial({"stages": [{"name": "run", "content": 'Look:\n```json\n{"a": 1}\n```', "status": "failed"}]})
    assert found.calls is not None
    assert (found.calls[0].tool, found.calls[0].arguments) == ("run", {"a": 1})
    assert found.calls[0].error
    assert dial({"stages": []}).calls is None


# -- spans ------------------------------------------------------------------------------------------------------------


def test_spans_are_ordered_by_their_start_and_failures_are_read() -> None:
    tool = {"gen_ai.operation.name": "execute_tool"}
    found = of(
        spans(
            span("execute_tool b", 2, {**tool, "gen_ai.tool.name": "b", "error.type": "timeout"}),
            span("execute_tool a", 1, {**tool, "gen_ai.tool.name": "a", "gen_ai.tool.call.arguments": '{"x": 1}'}),
        )
    )
    assert found.calls == (Call("a", {"x": 1}, seconds=0.5), Call("b", None, seconds=0.5, error="timeout"))


def test_names_of_openinference() -> None:
    found = of(
        spans(
            span(
                "t",
                1,
                {"openinference.span.kind": "TOOL", "tool.name": "f", "input.value": '{"a": 1}', "output.value": "3"},
            ),
            span(
                "r", 2, {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.id": "https://a.org"}
            ),
            span(
                "m", 3, {"openinference.span.kind": "LLM", "llm.token_count.prompt": 3, "llm.token_count.completion": 4}
            ),
        )
    )
    assert found.calls == (Call("f", {"a": 1}, "3", 0.5),)
    assert [one.name for one in found.sources] == ["https://a.org"]
    assert found.tokens == 7


def test_tokens_of_the_agent_come_before_those_of_its_model_calls() -> None:
    def used(operation: str, incoming: int) -> dict[str, object]:
        name = "gen_ai.usage.prompt_tokens" if operation == "chat" else "gen_ai.usage.input_tokens"
        other = "gen_ai.usage.completion_tokens" if operation == "chat" else "gen_ai.usage.output_tokens"
        return {"gen_ai.operation.name": operation, name: incoming, other: 1}

    inner = [span("chat", 2, used("chat", 10)), span("chat", 3, used("chat", 20))]
    assert of(spans(*inner)).tokens == 32
    agent = span("invoke_agent", 1, used("invoke_agent", 40))
    nested = {**span("invoke_agent", 4, used("invoke_agent", 7)), "parentSpanId": "s1"}
    assert of(spans(agent, *inner, nested)).tokens == 41


def test_calls_that_the_model_asks_for_count_where_no_span_runs_a_tool() -> None:
    parts = [{"type": "tool_call", "id": "1", "name": "f", "arguments": {"a": 1}}]
    messages = json.dumps([{"role": "assistant", "parts": parts}])
    found = of(spans(span("chat", 1, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": messages})))
    assert named(found) == [("f", {"a": 1})]


def test_spans_without_any_convention_are_no_trace() -> None:
    assert of(spans(span("GET /", 1, {"http.method": "GET"}))).calls is None
    chat: dict[str, object] = {"gen_ai.operation.name": "chat"}
    assert of(spans(span("chat", 1, chat))).calls is None
    assert of(spans(span("chat", 1, {**chat, "gen_ai.response.finish_reasons": ["stop"]}))).calls == ()


def test_documents_one_per_line() -> None:
    lines = [spans(span("t", n, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": n})) for n in (2, 1)]
    found = read_trace(b"\n".join(json.dumps(line).encode() for line in lines))
    assert [tool for tool, _ in named(found)] == ["1", "2"]


# -- LangSmith, plain -------------------------------------------------------------------------------------------------


def test_runs_of_langsmith() -> None:
    retriever = {
        "run_type": "retriever", "name": "r", "inputs": {}, "start_time": "2026-01-01T00:00:02",
        "outputs": {"documents": [{"page_content": "x", "metadata": {"source": "https://a.org"}}]},
    }  # fmt: skip
    tool = {
        "run_type": "tool", "name": "f", "inputs": {"input": "{'a': 1}"}, "error": "boom", "child_runs": [],
        "start_time": "2026-01-01T00:00:01Z", "end_time": "2026-01-01T00:00:03Z",
    }  # fmt: skip
    chain = {"run_type": "chain", "name": "c", "inputs": {}, "outputs": {}, "total_tokens": 12}
    found = of({**chain, "child_runs": [{**chain, "child_runs": [retriever, tool]}]})
    assert found.calls == (Call("f", {"a": 1}, None, 2.0, "boom"),)
    assert [one.name for one in found.sources] == ["https://a.org"]
    assert found.tokens == 12
    assert of(chain).calls is None


def test_the_plain_form() -> None:
    found = of(
        {
            "trace": [{"tool": "f", "arguments": '{"a": 1}', "error": {"message": "no"}}, {"tool": "g", "seconds": 2}],
            "sources": [{"url": "https://a.org"}, "b"],
            "tables": ["t"],
            "tokens": {"total": 3},
            "kind": "no_data",
        }
    )
    assert found.calls == (Call("f", {"a": 1}, error="no"), Call("g", None, seconds=2.0))
    assert ([one.name for one in found.sources], found.tables, found.tokens) == (["https://a.org", "b"], ("t",), 3)
    assert found.kind == "refusal"
    assert of({"trace": []}).calls == ()
    assert of({"answer": "x"}).calls is None
    assert of({"is_out_of_scope": False}).kind == "not_refusal"


def test_a_trace_may_be_another_form_and_the_answer_may_be_inside() -> None:
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "x"}]
    assert of({"answer": "x", "trace": {"messages": messages}}).calls == ()
    inner = {"choices": [{"message": {"content": "see https://a.org"}}], "usage": {"total_tokens": 5}}
    found = of({"id": "1", "response": inner, "trace": [{"tool": "f"}]})
    assert (named(found), found.tokens, [one.name for one in found.sources]) == ([("f", None)], 5, ["https://a.org"])


def test_a_trace_beside_the_answer_and_several_attempts() -> None:
    beside = json.dumps([{"tool": "f"}]).encode()
    assert named(read_trace(b"an answer, see https://a.org", beside)) == [("f", None)]
    both = join_attempts([json.dumps({"trace": [{"tool": name}]}).encode() for name in "ab"])
    assert [tool for tool, _ in named(read_trace(both))] == ["a", "b"]
    assert read_trace(join_attempts([b"{}", beside])).calls is None


def test_text_is_no_trace() -> None:
    for text in (b"", b"hello", b"\xff\xfe", b"[1, 2]", b"{", b'"x"', b"null"):
        assert read_trace(text).calls is None


KEYS = """trace messages role content tool_calls function choices message output type resourceSpans scopeSpans spans
attributes key value run_type child_runs inputs custom_content stages state tool_messages usage events annotations
action name tool context status kvlistValue values intValue response kind sources"""
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["tool", "user"])
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(values)
@example([{"role": []}])
def test_no_value_ends_the_reading(value: object) -> None:
    assert isinstance(of(value), Trace)
