"""The Responses API: its ``output`` lists calls and messages in order.

An output that holds nothing but a message does not say which tools were called: the calls of an assistant's own loop
are in earlier responses.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.chat import WITHHELD, cited
from karat.core.trace.records import Call, Source, Trace, distinct
from karat.core.trace.values import arguments, fault, mapping, mappings, opened, sources, usage

CALLS = ("function_call", "custom_tool_call", "mcp_call", "tool_call")
BUILT_IN = ("web_search", "file_search", "code_interpreter", "computer", "image_generation", "local_shell", "shell")
"""Tools of the endpoint itself: the call of ``web_search`` is of type ``web_search_call``."""


def is_response(body: JsonMapping) -> bool:
    """Whether an object is a response of this interface."""
    return body.get("object") == "response" or any("type" in one for one in mappings(body.get("output")))


def is_items(value: Json) -> bool:
    """Whether a list is one of items, as the Agents SDK keeps them: messages with a role, and calls among them."""
    given = mappings(value)
    if not given or not isinstance(value, list) or len(given) != len(value):
        return False
    typed = [one for one in given if _is_call(one) or str(one.get("type", "")).endswith("call_output")]
    return bool(typed) and all(
        one in typed or "role" in one or one.get("type") in ("message", "reasoning") for one in given
    )


def items(value: list[Json]) -> Trace:
    """The items of one answer: what came after the user's last message."""
    given = mappings(value)
    last = max((place for place, one in enumerate(given) if one.get("role") == "user"), default=-1)
    found = response({"output": given[last + 1 :]})
    return msgspec.structs.replace(found, calls=found.calls or ())


def response(body: JsonMapping) -> Trace:
    """What a response says about the way to it."""
    output = mappings(body.get("output"))
    results = {str(one.get("call_id")): one for one in output if str(one.get("type", "")).endswith("call_output")}
    calls = tuple(_call(one, results) for one in output if _is_call(one))
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
    kind = str(item.get("type") or "")
    return kind in CALLS or kind.removesuffix("_call") in BUILT_IN


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
    known = ("queries", "query", "code", "container_id", "prompt")
    return {key: item[key] for key in known if item.get(key) is not None}


def _found(output: list[JsonMapping]) -> Iterator[Source]:
    for one in output:
        if str(one.get("type")) == "web_search_call":
            yield from sources(mapping(one.get("action")).get("sources") or [])
