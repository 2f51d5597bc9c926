"""Responses of other vendors and frameworks, whole and streamed: read like any other, cut off where they say so, and
never searched as text where they are in no known form."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from karat.core.json_types import Json
from karat.core.replies import read_reply
from karat.core.suite import Unreadable

TEXT = 'Here it is:\n```json\n{"wanted": 7}\n```\nWe have 14 ships.'
HALVES = (TEXT[:20], TEXT[20:])
ARGUMENTS = {"wanted": 7}
OLLAMA = {"model": "m", "created_at": "2026-01-01T00:00:00Z"}


def wanted(value: Any) -> bool:
    return "wanted" in value


def gemini(*parts: Json, ended: str = "STOP") -> Json:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "finishReason": ended}]}


def langchain(content: Json, **more: Json) -> dict[str, Json]:
    return {
        "content": content,
        "type": "ai",
        "additional_kwargs": {},
        "response_metadata": {},
        "tool_calls": [],
        **more,
    }


WHOLE: dict[str, Json] = {
    "anthropic": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": TEXT}]},
    "anthropic thinking": {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "15?"}, {"type": "text", "text": TEXT}],
        "stop_reason": "end_turn",
    },
    "gemini": gemini({"text": TEXT}),
    "gemini thought": gemini({"text": "15 ships?", "thought": True}, {"text": TEXT}),
    "gemini sdk": {
        "candidates": [{"content": {"parts": [{"text": TEXT, "function_call": None}]}, "finish_reason": "STOP"}]
    },
    "converse": {"output": {"message": {"role": "assistant", "content": [{"text": TEXT}]}}, "stopReason": "end_turn"},
    "bedrock llama": {"generation": TEXT, "stop_reason": "stop"},
    "bedrock mistral": {"outputs": [{"text": TEXT, "stop_reason": "stop"}]},
    "bedrock titan": {"results": [{"outputText": TEXT, "completionReason": "FINISH"}]},
    "langchain": langchain(TEXT),
    "langchain parts": langchain([{"type": "text", "text": TEXT}]),
    "langchain serialised": {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"content": TEXT}},
    "langchain dict": {"type": "ai", "data": langchain(TEXT)},
    "langchain agent": {"input": "How many ships? 99?", "output": TEXT},
    "langgraph": {"messages": [{"type": "human", "content": "99 ships?"}, langchain(TEXT)]},
    "messages": [{"role": "user", "content": "99 ships?"}, {"role": "assistant", "content": TEXT}],
    "ollama": {**OLLAMA, "response": TEXT, "done": True, "done_reason": "stop"},
    "ollama chat": {**OLLAMA, "message": {"role": "assistant", "content": TEXT}, "done": True},
    "cohere": {"id": "1", "finish_reason": "COMPLETE", "message": {"content": [{"type": "text", "text": TEXT}]}},
    "cohere v1": {"text": TEXT, "generation_id": "1", "chat_history": [{"role": "USER", "message": "99 ships?"}]},
    "hugging face": [{"generated_text": TEXT}],
    "hugging face chat": [
        {"generated_text": [{"role": "user", "content": "99?"}, {"role": "assistant", "content": TEXT}]}
    ],
    "vercel": {"text": TEXT, "toolCalls": [], "finishReason": "stop"},
    "vercel message": {"role": "assistant", "parts": [{"type": "step-start"}, {"type": "text", "text": TEXT}]},
    "pydantic-ai": {"parts": [{"content": TEXT, "part_kind": "text"}], "kind": "response"},
}

CALLS: dict[str, Json] = {
    "anthropic": {"role": "assistant", "content": [{"type": "tool_use", "name": "answer", "input": ARGUMENTS}]},
    "gemini": gemini({"functionCall": {"name": "answer", "args": ARGUMENTS}}),
    "converse": {"output": {"message": {"content": [{"toolUse": {"name": "answer", "input": ARGUMENTS}}]}}},
    "langchain": langchain("", tool_calls=[{"name": "answer", "args": ARGUMENTS, "id": "1", "type": "tool_call"}]),
    "vercel": {"text": "", "toolCalls": [{"toolCallId": "1", "toolName": "answer", "input": ARGUMENTS}]},
    "pydantic-ai": {
        "parts": [{"tool_name": "answer", "args": ARGUMENTS, "part_kind": "tool-call"}],
        "kind": "response",
    },
}

CUT: dict[str, Json] = {
    "gemini": gemini({"text": "We have 1"}, ended="MAX_TOKENS"),
    "gemini broken": gemini({"text": "We have 1"}, ended="MALFORMED_FUNCTION_CALL"),
    "converse": {"output": {"message": {"content": [{"text": "We have 1"}]}}, "stopReason": "max_tokens"},
    "langchain": langchain("We have 1", response_metadata={"finish_reason": "length"}),
    "langchain parts": langchain(
        [{"type": "text", "text": "We have 1"}], response_metadata={"stop_reason": "max_tokens"}
    ),
    "ollama": {**OLLAMA, "response": "We have 1", "done": True, "done_reason": "length"},
    "ollama piece": {**OLLAMA, "message": {"role": "assistant", "content": "We have 1"}, "done": False},
    "hugging face": {"generated_text": "We have 1", "details": {"finish_reason": "length"}},
    "vercel": {"text": "We have 1", "finishReason": "length"},
    "vercel error": {"text": "We have 1", "finishReason": "error"},
    "anthropic paused": {"role": "assistant", "content": [{"type": "text", "text": "We"}], "stop_reason": "pause_turn"},
}

FAILED: dict[str, tuple[Json, str]] = {
    "anthropic": (
        {"role": "assistant", "content": [{"type": "text", "text": "We"}], "stop_reason": "refusal"},
        "content filter",
    ),
    "gemini": (gemini(ended="SAFETY"), "content filter"),
    "gemini prompt": ({"promptFeedback": {"blockReason": "SAFETY"}}, "content filter"),
    "vercel": ({"text": "We", "finishReason": "content-filter"}, "content filter"),
    "asked, not answered": ([{"role": "user", "content": "14 ships?"}], "not the assistant's, but of the role user"),
    "own form": ({"answer": "We have 1", "finish_reason": "length"}, "not whole: it was cut off"),
}


def sse(*events: Json, done: bool = False) -> str:
    texts = [json.dumps(event) for event in events] + (["[DONE]"] if done else [])
    return "".join(f"data: {text}\n\n" for text in texts)


def lines(*values: Json) -> str:
    return "\n".join(json.dumps(value) for value in values) + "\n"


def anthropic_events() -> Iterator[Json]:
    yield {"type": "message_start", "message": {"role": "assistant", "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for half in HALVES:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": half}}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    yield {"type": "message_stop"}


GEMINI = [gemini({"text": HALVES[0]}, ended=""), gemini({"text": HALVES[1]}), {"usageMetadata": {"totalTokenCount": 9}}]
STREAMS: dict[str, str] = {
    "anthropic": sse(*anthropic_events()),
    "gemini": sse(*GEMINI),
    "gemini list": json.dumps(GEMINI),
    "ollama": lines(
        *({**OLLAMA, "response": half, "done": False} for half in HALVES), {**OLLAMA, "response": "", "done": True}
    ),
    "ollama chat": lines(
        *({**OLLAMA, "message": {"content": half}, "done": False} for half in HALVES),
        {**OLLAMA, "message": {"content": ""}, "done": True},
    ),
    "cohere": sse(
        {"type": "message-start"},
        *({"type": "content-delta", "delta": {"message": {"content": {"text": half}}}} for half in HALVES),
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ),
    "converse": lines(
        {"messageStart": {"role": "assistant"}},
        *({"contentBlockDelta": {"delta": {"text": half}}} for half in HALVES),
        {"messageStop": {"stopReason": "end_turn"}},
    ),
    "vercel": sse(
        {"type": "start"}, *({"type": "text-delta", "delta": half} for half in HALVES), {"type": "finish"}, done=True
    ),
    "langchain": json.dumps(
        [
            {"type": "AIMessageChunk", "content": HALVES[0]},
            {"type": "AIMessageChunk", "content": HALVES[1], "response_metadata": {"finish_reason": "stop"}},
        ]
    ),
}


@pytest.mark.parametrize("form", WHOLE)
def test_the_text_of_every_form_is_read(form: str) -> None:
    reply = read_reply(json.dumps(WHOLE[form]).encode())
    assert (reply.text, reply.failure, reply.cut) == (TEXT, "", "")
    (candidate,) = reply.json_candidates(wanted)
    assert candidate.value == {"wanted": 7}


@pytest.mark.parametrize("form", CALLS)
def test_the_call_of_every_form_is_read(form: str) -> None:
    reply = read_reply(json.dumps(CALLS[form]).encode())
    assert [(call.name, call.arguments) for call in reply.calls] == [("answer", ARGUMENTS)]


def test_steps_that_the_vendor_ran_are_no_answer() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "print(13)"}}
    reply = read_reply(json.dumps(gemini(code, {"codeExecutionResult": {"output": "13"}}, {"text": TEXT})).encode())
    assert (reply.text, reply.calls) == (TEXT, ())
    ran = {"toolCallId": "1", "toolName": "sql", "input": {"sql": "SELECT 1"}}
    reply = read_reply(json.dumps({"text": TEXT, "toolCalls": [ran], "toolResults": [{"toolCallId": "1"}]}).encode())
    assert (reply.text, reply.calls) == (TEXT, ())


@pytest.mark.parametrize("form", CUT)
def test_an_answer_that_says_that_it_was_cut_off_is_not_read_as_words(form: str) -> None:
    assert read_reply(json.dumps(CUT[form]).encode()).cut


@pytest.mark.parametrize("form", FAILED)
def test_a_response_without_an_answer_says_why(form: str) -> None:
    response, why = FAILED[form]
    assert why in read_reply(json.dumps(response).encode()).failure


@pytest.mark.parametrize("form", STREAMS)
def test_recorded_streams_are_put_together(form: str) -> None:
    reply = read_reply(STREAMS[form].encode())
    assert (reply.text, reply.failure, reply.cut) == (TEXT, "", "")


@pytest.mark.parametrize("form", ["anthropic", "gemini", "ollama", "cohere", "converse", "vercel"])
def test_a_stream_without_its_end_is_cut_off(form: str) -> None:
    events = STREAMS[form].strip().split("\n\n" if "data: " in STREAMS[form] else "\n")
    separator = "\n\n" if "data: " in STREAMS[form] else "\n"
    ends = {"anthropic": -2, "gemini": -2, "vercel": -2}.get(form, -1)
    assert "stream ended in the middle" in read_reply(separator.join(events[:ends]).encode()).cut


@pytest.mark.parametrize(
    "text",
    [
        "data: We have 1\n\ndata: 4 ships.\n\ndata: [DONE]\n\n",
        'event: token\ndata: {"t": "We have 1"}\n\nevent: token\ndata: {"t": "4 ships."}\n\n',
    ],
)
def test_a_stream_of_unknown_form_is_an_error_and_no_text(text: str) -> None:
    reply = read_reply(text.encode())
    assert "a recorded stream" in reply.failure
    assert reply.text == ""


def test_text_that_only_begins_like_an_event_is_text() -> None:
    assert read_reply(b"data: 14 ships").text == "data: 14 ships"
    assert read_reply(b"id: 3\nWe have 14 ships.").text == "id: 3\nWe have 14 ships."


@pytest.mark.parametrize(
    "page",
    ["<!-- cached -->\n<!DOCTYPE html><html>14</html>", '<?xml version="1.0"?>\n<html>14</html>', "<body>14</body>"],
)
def test_web_pages_are_no_answers_whatever_is_before_them(page: str) -> None:
    assert "a web page" in read_reply(page.encode()).failure
    assert "an XML document" in read_reply(b'<?xml version="1.0"?><Error><Code>14</Code></Error>').failure


ODD: tuple[Json, ...] = (None, [], {}, "x", 7, True, [1], [None], {"a": [1]}, [[{}]])


def changed(value: Json) -> Iterator[Json]:
    """The value with each of its parts replaced by odd ones."""
    yield from ODD
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for part in changed(value[key]):
            copied = copy.copy(value)
            copied[key] = part
            yield copied


@pytest.mark.parametrize("form", WHOLE)
def test_no_change_of_a_form_crashes_the_reader(form: str) -> None:
    for response in changed(WHOLE[form]):
        read_reply(json.dumps(response).encode())


@pytest.mark.parametrize("form", STREAMS)
def test_no_change_of_a_stream_crashes_the_reader(form: str) -> None:
    text = STREAMS[form]
    events = json.loads(text) if text[0] == "[" else [json.loads(one[6:] if one[0] == "d" else one)
              for one in text.splitlines() if one.strip() and "[DONE]" not in one]  # fmt: skip
    for response in changed(events):
        try:
            read_reply(lines(*response).encode() if isinstance(response, list) else json.dumps(response).encode())
        except Unreadable:
            pytest.fail("a stream is never unreadable as such")
