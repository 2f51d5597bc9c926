"""Recorded streams of other vendors, put together into the response that each would have sent whole.

Anthropic, Gemini, Ollama, Cohere, Bedrock's Converse, the Vercel AI SDK, and chunks of LangChain's messages. A stream
that is none of these is no text: its pieces are not searched for an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.replies.message_events import streamed_messages
from karat.core.replies.other_forms import ending
from karat.core.trace.values import mapping, mappings


def whole_message(chunks: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    """The message that chunks make, and whether they say that it is complete; None where they are of no known form."""
    found = (read(chunks) for read in (_anthropic, _gemini, _ollama, _cohere, _converse, _vercel, _langchain))
    return next((one for one in found if one is not None), None)


def _anthropic(events: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    if not any(event.get("type") == "message_start" for event in events):
        return None
    failed = next((event for event in events if event.get("type") == "error"), None)
    if failed is not None:
        return dict(failed), True
    said = mappings(streamed_messages(list(events)))
    return {**said[-1], "role": "assistant"}, bool(said[-1].get("stop_reason"))


def _gemini(chunks: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    first = [next(iter(mappings(chunk.get("candidates"))), {}) for chunk in chunks]
    known = ("usageMetadata", "promptFeedback", "usage_metadata", "prompt_feedback")
    if not any("parts" in mapping(one.get("content")) for one in first):
        return None
    if not all(one or any(key in chunk for key in known) for one, chunk in zip(first, chunks, strict=True)):
        return None
    parts = [part for one in first for part in mappings(mapping(one.get("content")).get("parts"))]
    ended = ending(*reversed(first))
    return {"candidates": [{"content": {"parts": parts}, "finishReason": ended}]}, bool(ended)


def _ollama(chunks: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    if not all(isinstance(chunk.get("done"), bool) for chunk in chunks):
        return None
    said = [mapping(chunk.get("message")) for chunk in chunks]
    text = _joined(*(chunk.get("response") for chunk in chunks), *(one.get("content") for one in said))
    calls = [call for one in said for call in mappings(one.get("tool_calls"))]
    message = {"role": "assistant", "content": text, "tool_calls": calls, "finish_reason": ending(chunks[-1])}
    return message, chunks[-1]["done"] is True


def _cohere(events: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    kinds = {str(event.get("type")) for event in events}
    if not {"content-delta", "message-end"} & kinds:
        return None
    deltas = [mapping(event.get("delta")) for event in events if event.get("type") == "content-delta"]
    texts = (mapping(mapping(delta.get("message")).get("content")).get("text") for delta in deltas)
    ended = ending(*(mapping(event.get("delta")) for event in events))
    return {"role": "assistant", "content": _joined(*texts), "finish_reason": ended}, bool(ended)


def _converse(events: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    if not any("contentBlockDelta" in event for event in events):
        return None
    deltas = [mapping(mapping(event.get("contentBlockDelta")).get("delta")) for event in events]
    calls: list[JsonObject] = []
    for event, delta in zip(events, deltas, strict=True):
        begun = mapping(mapping(mapping(event.get("contentBlockStart")).get("start")).get("toolUse"))
        if begun:
            calls.append({"name": begun.get("name"), "arguments": ""})
        if calls and mapping(delta.get("toolUse")):
            calls[-1]["arguments"] += str(delta["toolUse"].get("input") or "")
    ended = ending(*(mapping(event.get("messageStop")) for event in events))
    text = _joined(*(delta.get("text") for delta in deltas))
    return {"role": "assistant", "content": text, "tool_calls": calls, "finish_reason": ended}, bool(ended)


def _vercel(events: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    kinds = [str(event.get("type") or "") for event in events]
    if "text-delta" not in kinds or not {"start", "text-start", "finish"} & set(kinds):
        return None
    texts = [event.get("delta", event.get("text")) for event in events if event.get("type") == "text-delta"]
    ended = ending(*(event for event in reversed(events) if event.get("type") == "finish"))
    return {"role": "assistant", "content": _joined(*texts), "finish_reason": ended}, "finish" in kinds


def _langchain(chunks: Sequence[JsonMapping]) -> tuple[JsonObject, bool] | None:
    if not all(str(chunk.get("type") or "").lower() == "aimessagechunk" for chunk in chunks):
        return None
    contents = [chunk.get("content") for chunk in chunks]
    lists = [part for one in contents for part in (one if isinstance(one, list) else [one] if one else [])]
    metadata = [mapping(chunk.get("response_metadata")) for chunk in chunks]
    calls = [piece for chunk in chunks for piece in mappings(chunk.get("tool_call_chunks"))]
    if calls:
        return None  # arguments in pieces, which the trace puts together and nobody sends as an answer
    ended = ending(*reversed(metadata))
    return {"role": "assistant", "content": lists, "finish_reason": ended}, bool(ended)


def _joined(*texts: object) -> str:
    return "".join(text for text in texts if isinstance(text, str))
