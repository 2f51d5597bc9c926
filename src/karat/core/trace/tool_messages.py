"""Tool calls in the messages of a conversation, each with its result where a later message has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.messages import calls_in_parts
from karat.core.trace.records import Call
from karat.core.trace.values import arguments, fault, mapping, mappings, opened, words

Result = tuple[Json, str]
"""(what a tool returned, why it failed)."""


class _Results:
    """The results in some messages: by the id of their call, or by the name of the tool where they have no id."""

    def __init__(self, messages: Sequence[Json]) -> None:
        self.by_id: dict[str, list[Result]] = {}
        self.by_name: dict[str, list[Result]] = {}
        for message in mappings(list(messages)):
            if message.get("role") in ("tool", "function"):
                own = mappings(message.get("tool_responses"))
                for one in own or ([] if _has_results(message) else [message]):
                    self._add(one.get("tool_call_id"), one.get("name"), _result(one))
            for part in mappings(message.get("content")):
                if part.get("type") == "tool_result":
                    said = words(part.get("content")) if part.get("content") is not None else ""
                    failed = "the call failed" if part.get("is_error") else ""
                    self._add(
                        part.get("tool_use_id"), part.get("name"), (opened(said), said or failed if failed else "")
                    )

    def _add(self, mark: Json, name: Json, result: Result) -> None:
        if mark is not None:
            self.by_id.setdefault(str(mark), []).append(result)
        else:
            self.by_name.setdefault(str(name or ""), []).append(result)

    def of(self, mark: Json, name: str) -> Result | None:
        """The result of a call, once. Some servers give the same id to a call of every step."""
        own = self.by_id.get(str(mark)) if mark is not None else None
        if own is not None:
            return own.pop(0) if own else None
        waiting = self.by_name.get(name)
        return waiting.pop(0) if waiting else None


def message_calls(messages: Sequence[Json]) -> Iterator[Call]:
    """The calls of all messages, each with its result where a later message has it."""
    results = _Results(messages)
    for call in _all_called(messages):
        inner = _inner(call)
        name = str(inner.get("name") or "")
        given = next((inner[key] for key in ("arguments", "input", "args") if inner.get(key) is not None), None)
        result, error = results.of(call.get("id"), name) or (None, fault(call.get("error")))
        yield Call(name, arguments(given), result, error=error)


def has_unseen_calls(messages: Sequence[Json]) -> bool:
    """Whether there are results of calls that no message makes: somebody left the calls out."""
    results = _Results(messages)
    called = list(_all_called(messages))
    if (results.by_id or results.by_name) and not called:
        return True
    marks = {str(call.get("id")) for call in called}
    return "None" not in marks and not marks >= set(results.by_id)


def _all_called(messages: Sequence[Json]) -> Iterator[JsonMapping]:
    return (call for message in mappings(list(messages)) for call in _called(message))


def _called(message: JsonMapping) -> Iterator[JsonMapping]:
    """The calls of one message. Some frameworks write each twice, as a part and beside the content."""
    if message.get("role") in ("user", "system", "tool", "function", "developer"):
        return
    beside = mappings(message.get("tool_calls"))
    if not beside and mapping(message.get("function_call")):
        beside = [{"function": message["function_call"]}]
    yield from beside
    known = {str(one["id"]) for one in beside if one.get("id") is not None}
    yield from (one for one in calls_in_parts(message) if str(one.get("id")) not in known)


def _inner(call: JsonMapping) -> JsonMapping:
    if isinstance(call.get("function"), str):  # as Inspect writes it
        return {"name": call["function"], **call}
    return next((mapping(call[key]) for key in ("function", "custom") if mapping(call.get(key))), call)


def _has_results(message: JsonMapping) -> bool:
    return any(part.get("type") == "tool_result" for part in mappings(message.get("content")))


def _result(message: JsonMapping) -> Result:
    content = message.get("content")
    found = opened(words(content) if isinstance(content, list) else content)
    status = str(message.get("status") or "").lower()
    failed = message.get("is_error") or message.get("error") or status in ("error", "failed")
    return found, fault(message.get("error")) or words(content) or "the call failed" if failed else ""
