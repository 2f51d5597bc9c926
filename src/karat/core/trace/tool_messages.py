"""Tool calls in the messages of a conversation, each with its result where a later message has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call
from karat.core.trace.values import arguments, fault, mapping, mappings, opened, words


def message_calls(messages: Sequence[Json]) -> Iterator[Call]:
    """The calls of all messages, each with its result where a later message has it."""
    results: dict[str, tuple[Json, str]] = {}
    by_name: dict[str, list[tuple[Json, str]]] = {}
    for message in mappings(list(messages)):
        if message.get("role") == "tool":
            results[str(message.get("tool_call_id"))] = _result(message)
        elif message.get("role") == "function":
            by_name.setdefault(str(message.get("name")), []).append(_result(message))
        for part in mappings(message.get("content")):
            if part.get("type") == "tool_result":
                said = words(part.get("content")) if part.get("content") is not None else ""
                failed = "the call failed" if part.get("is_error") else ""
                results[str(part.get("tool_use_id"))] = (opened(said), said or failed if failed else "")
    for message in mappings(list(messages)):
        for call in _called(message):
            inner = next((mapping(call[key]) for key in ("function", "custom") if mapping(call.get(key))), call)
            name = str(inner.get("name") or "")
            given = next((inner[key] for key in ("arguments", "input", "args") if inner.get(key) is not None), None)
            found = results.get(str(call.get("id")), (None, fault(call.get("error"))))
            if "id" not in call and by_name.get(name):
                found = by_name[name].pop(0)
            yield Call(name, arguments(given), found[0], error=found[1])


def _called(message: JsonMapping) -> Iterator[JsonMapping]:
    if message.get("role") in ("user", "system", "tool", "function", "developer"):
        return
    yield from mappings(message.get("tool_calls"))
    if mapping(message.get("function_call")):
        yield {"function": message["function_call"]}
    yield from (one for one in mappings(message.get("content")) if one.get("type") in ("tool_use", "tool_call"))


def _result(message: JsonMapping) -> tuple[Json, str]:
    content = message.get("content")
    found = opened(words(content) if isinstance(content, list) else content)
    status = str(message.get("status") or "").lower()
    failed = message.get("is_error") or message.get("error") or status in ("error", "failed")
    return found, fault(message.get("error")) or words(content) or "the call failed" if failed else ""
