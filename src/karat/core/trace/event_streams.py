"""What frameworks send piece by piece, put together: chunks of LangChain's messages, and the steps of LangGraph and of
Claude Code. Streams of events are put together in :mod:`karat.core.replies.message_events`."""

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
