"""The Responses API: its ``output`` lists calls and messages in order.

An output that holds nothing but a message does not say which tools were called: the calls of an assistant's own loop
are in earlier responses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.chat import WITHHELD, cited
from karat.core.trace.records import Call, Source, Trace, distinct, one_after_another
from karat.core.trace.values import arguments, fault, mapping, mappings, opened, sources, usage, words
from karat.core.trace.written_calls import has_written_call

APPROVAL = "mcp_approval_request"
"""A call that waits for somebody's yes. Once it was made, it is there a second time, with the id of the request."""
CALLS = ("function_call", "custom_tool_call", "mcp_call", "tool_call", APPROVAL)
"""Calls that name their tool. Any other type that ends in ``_call`` is a tool of the endpoint itself: the call of
``web_search`` is of type ``web_search_call``."""
AROUND = ("type", "id", "call_id", "status", "result", "results", "output", "outputs", "error")
"""Keys of such a call that are not its arguments."""


def is_response(body: JsonMapping) -> bool:
    """Whether an object is a response of this interface."""
    return body.get("object") == "response" or any("type" in one for one in mappings(body.get("output")))


def is_items(value: Json) -> bool:
    """Whether a list is one of items, as the Agents SDK keeps them: messages with a role, and calls among them."""
    given = mappings(value)
    if not given or not isinstance(value, list) or len(given) != len(value):
        return False
    typed = [one for one in given if _is_call(one) or _is_result(one)]
    return bool(typed) and all(
        one in typed or "role" in one or one.get("type") in ("message", "reasoning") for one in given
    )


def items(value: list[Json]) -> Trace:
    """The items of one answer: what came after the user's last message."""
    output = _answer(mappings(value))
    found = response({"output": output})
    results = {str(one.get("call_id")) for one in output if _is_result(one)}
    unread = not results <= {str(one.get("call_id")) for one in output if _is_call(one)}
    said = (words(one.get("content")) for one in output if one.get("type", "message") == "message")
    unread = unread or (not found.calls and any(map(has_written_call, said)))
    return msgspec.structs.replace(found, calls=None if unread else found.calls or (), unread=unread)


def steps(values: Sequence[JsonMapping]) -> Trace | None:
    """Responses one after the other, as a loop logs them; None where they are not."""
    return one_after_another([response(one) for one in values]) if all(map(is_response, values)) else None


def _answer(given: Sequence[JsonMapping]) -> Sequence[JsonMapping]:
    last = max((place for place, one in enumerate(given) if one.get("role") == "user"), default=-1)
    return given[last + 1 :]


def response(body: JsonMapping) -> Trace:
    """What a response says about the way to it. Calls of the same answer that its ``input`` has come before its own."""
    before = body.get("input") if is_items(body.get("input")) else ()
    output = [*(one for one in _answer(mappings(before)) if "role" not in one), *mappings(body.get("output"))]
    results = {str(one.get("call_id")): one for one in output if _is_result(one)}
    approved = {one["approval_request_id"] for one in output if one.get("approval_request_id")}
    begun = [one for one in output if _is_call(one) and not (one["type"] == APPROVAL and one.get("id") in approved)]
    calls = tuple(_call(one, results) for one in begun)
    messages = [one for one in output if one.get("type", "message") == "message"]
    reason = str(mapping(body.get("incomplete_details")).get("reason") or "").lower()
    parts = [part for message in messages for part in mappings(message.get("content"))]
    refused = reason in WITHHELD or any(part.get("type") == "refusal" or part.get("refusal") for part in parts)
    return Trace(
        form="OpenAI responses",
        calls=calls or None,
        sources=distinct(*cited(messages), *_found(output)),
        tokens=usage(body.get("usage")),
        kind="refusal" if refused else "",
    )


def _is_call(item: JsonMapping) -> bool:
    return str(item.get("type") or "").endswith("_call") or item.get("type") == APPROVAL


def _is_result(item: JsonMapping) -> bool:
    return str(item.get("type") or "").endswith("call_output")


def _call(item: JsonMapping, results: dict[str, JsonMapping]) -> Call:
    kind = str(item["type"])
    given = results.get(str(item.get("call_id")), {})
    failed = fault(item.get("error")) or fault(given.get("error"))
    if not failed and "failed" in (item.get("status"), given.get("status")):
        failed = "the call failed"
    if kind in CALLS:
        result = opened(given.get("output", item.get("output")))
        return Call(
            str(item.get("name") or ""), arguments(item.get("arguments", item.get("input"))), result, error=failed
        )
    return Call(kind.removesuffix("_call"), _built_in(item), item.get("results"), error=failed)


def _built_in(item: JsonMapping) -> Json:
    """The arguments of a built-in tool, which are beside its type."""
    if mapping(item.get("action")):
        return dict(item["action"])
    given = arguments(item.get("arguments"))
    if given:
        return given
    return {key: value for key, value in item.items() if key not in AROUND and value is not None}


def _found(output: list[JsonMapping]) -> Iterator[Source]:
    for one in output:
        if str(one.get("type")) == "web_search_call":
            yield from sources(mapping(one.get("action")).get("sources") or [])
