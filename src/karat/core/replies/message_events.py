"""Streams that vendors send event by event, put together into messages: Anthropic's, and those of the Vercel AI SDK."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.values import mapping, mappings


def streamed_messages(values: list[Json]) -> list[Json] | None:
    """The messages that a list of events makes, one for each that was streamed; None where it is not such a list."""
    given = mappings(values)
    if not given or len(given) != len(values):
        return None
    kinds = [str(one.get("type") or "") for one in given]
    if "message_start" in kinds:
        return list(_anthropic(given))
    if any(kind.startswith("tool-input-") for kind in kinds):
        return [_vercel(given)]
    return None


def _anthropic(events: Sequence[JsonMapping]) -> list[JsonObject]:
    found: list[JsonObject] = []
    for event in events:
        if event.get("type") == "message_start":
            found.append({"role": "assistant", **mapping(event.get("message")), "content": []})
        elif found:
            _add(found[-1], event)
    for message in found:
        message["content"] = [_whole_block(one) for one in message["content"]]
    return found


def _add(message: JsonObject, event: JsonMapping) -> None:
    kind, delta = event.get("type"), mapping(event.get("delta"))
    blocks: list[JsonObject] = message["content"]
    if kind == "content_block_start":
        blocks.append({**mapping(event.get("content_block")), "karat.index": event.get("index")})
    elif kind == "content_block_delta":
        block = next((one for one in reversed(blocks) if one["karat.index"] == event.get("index")), None)
        for key in ("text", "partial_json"):
            if block is not None and isinstance(delta.get(key), str):
                block[key] = str(block.get(key) or "") + delta[key]
        if block is not None and mapping(delta.get("citation")):
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
    elif kind == "message_delta":
        message |= {key: value for key, value in delta.items() if value is not None}
        message["usage"] = {**mapping(message.get("usage")), **mapping(event.get("usage"))}


def _whole_block(block: JsonMapping) -> JsonObject:
    found = {key: value for key, value in block.items() if key not in ("karat.index", "partial_json")}
    return {**found, "input": block["partial_json"]} if block.get("partial_json") else found


def _vercel(events: Sequence[JsonMapping]) -> JsonObject:
    """The message of a stream for a user interface. A call that never became available was begun all the same."""
    calls: dict[str, JsonObject] = {}
    text = ""
    for event in events:
        kind, mark = str(event.get("type") or ""), str(event.get("toolCallId") or "")
        if kind == "text-delta":
            text += str(event.get("delta") or "")
        elif mark and kind.startswith("tool-"):
            call = calls.setdefault(mark, {"type": "dynamic-tool", "toolCallId": mark})
            call |= {key: event[key] for key in ("toolName", "input", "output", "errorText") if key in event}
            if kind.endswith("-error"):
                call["state"] = "output-error"
    return {"role": "assistant", "parts": [*calls.values(), {"type": "text", "text": text}]}
