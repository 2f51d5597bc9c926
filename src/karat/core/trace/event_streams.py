"""Streams that frameworks send event by event, put together: messages of Anthropic, messages of the Vercel AI SDK,
chunks of LangChain's messages, and the steps of LangGraph and of Claude Code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.replies.stream import merged_calls
from karat.core.trace.values import mapping, mappings

_CHUNK = "aimessagechunk"
_SKIPPED = ("system", "result", "stream_event", "summary")
"""What Claude Code writes between its messages."""
_ENDS = frozenset(("choices", "candidates", "output"))
"""What an endpoint adds to the messages that it was sent."""


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


def without_chunks(values: list[Json]) -> list[Json]:
    """A list of messages in which the chunks of LangChain's messages are put together, by their ids. LangGraph pairs
    each chunk with where it came from."""
    if not any(_chunk(one) for one in values):
        return values
    found: list[Json] = []
    for one in values:
        chunk = _chunk(one)
        last = _chunk(found[-1]) if found else None
        if chunk is None:
            found.append(_first(one))
        elif last is None or last.get("id") != chunk.get("id"):
            found.append(dict(chunk))
        else:
            found[-1] = _joined(last, chunk)
    return [_settled(chunk) if (chunk := _chunk(one)) is not None else one for one in found]


def _first(value: Json) -> Json:
    return value[0] if isinstance(value, list) and len(value) == 2 and mapping(value[0]) else value


def _chunk(value: Json) -> JsonMapping | None:
    one = mapping(_first(value))
    return one if str(one.get("type") or "").lower() == _CHUNK else None


def _joined(one: JsonMapping, other: JsonMapping) -> JsonObject:
    """Two chunks of one message. Contents are both texts, or lists of parts."""
    said = [each.get("content") for each in (one, other)]
    lists = [each if isinstance(each, list) else [each] if each else [] for each in said]
    text = all(isinstance(each, str) or each is None for each in said)
    return {
        **one,
        **{key: value for key, value in other.items() if value},
        "content": "".join(each or "" for each in said) if text else [*lists[0], *lists[1]],
        **{
            key: [*mappings(one.get(key)), *mappings(other.get(key))]
            for key in ("tool_calls", "invalid_tool_calls", "tool_call_chunks")
        },
    }


def _settled(chunk: JsonMapping) -> JsonObject:
    """A message that was put together, its calls from the chunks of their arguments where it has those."""
    pieces = mappings(chunk.get("tool_call_chunks"))
    if not pieces:
        return dict(chunk)
    calls = merged_calls([{key: value for key, value in one.items() if key != "type"} for one in pieces])
    return {**chunk, "tool_calls": calls, "invalid_tool_calls": [], "tool_call_chunks": []}


def messages_of_steps(values: list[Json]) -> list[Json] | None:
    """The messages that an agent adds step by step: states and updates of LangGraph, the log of Claude Code, a result
    of AutoGen with its inner messages. None where the list is none of these."""
    steps = [_update(one) for one in values]
    if steps and all(isinstance(one, dict) for one in steps):
        known = mappings(list(steps))
        return _states(known) or _updates(known) or _claude(known)
    return None


def _update(value: Json) -> Json:
    """What a step says; those of graphs inside others come with their place before them."""
    paired = isinstance(value, list) and len(value) in (2, 3) and isinstance(value[0], list | str)
    return value[-1] if paired else value


def _states(states: Sequence[JsonMapping]) -> list[Json] | None:
    """The last of states that each begin with the one before."""
    lists = [said for one in states if isinstance(said := one.get("messages"), list)]
    if len(lists) < max(2, len(states)) or any(map(_ENDS.intersection, states)):
        return None
    grown = all(new[: len(old)] == old for old, new in itertools.pairwise(lists))
    return list(lists[-1]) if grown else None


def _updates(updates: Sequence[JsonMapping]) -> list[Json] | None:
    """The new messages of all updates, ``{node: {"messages": [...]}}``. Some nodes add none; a graph repeats those of
    the graphs inside it."""
    found: list[Json] = []
    for update in updates:
        for node, new in update.items():
            if not isinstance(new, dict | None) and not node.startswith("__"):
                return None
            said = mapping(new).get("messages", [])
            for one in said if isinstance(said, list) else [said]:
                if not mapping(one).get("id") or one not in found:
                    found.append(one)
    return found or None


def _claude(log: Sequence[JsonMapping]) -> list[Json] | None:
    """Messages with a log's fields around them. What another agent was asked is no question of the user's."""
    found: list[Json] = []
    for one in log:
        message = mapping(one.get("message"))
        if one.get("type") in ("user", "assistant") and message:
            asked = one["type"] == "user" and one.get("parent_tool_use_id")
            found.append({**message, "role": "tool"} if asked else dict(message))
        elif one.get("type") not in _SKIPPED:
            return None
    return found or None
