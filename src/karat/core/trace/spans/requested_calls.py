"""The calls that a model asks for, in the spans of its calls, and which of them no span runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.messages import message as as_message
from karat.core.trace.records import Call
from karat.core.trace.spans.reading import Span
from karat.core.trace.tool_messages import message_calls
from karat.core.trace.values import arguments, mapping, mappings, opened

_NUMBERED = re.compile(
    r"^(?:llm\.output_messages|gen_ai\.completion)\.(\d+)\.(?:message\.)?tool_calls\.(\d+)\."
    r"(?:tool_call\.)?(?:function\.)?(id|name|arguments)$"
)
_OUTPUTS = ("langfuse.observation.output", "mlflow.spanOutputs")


class Asked(msgspec.Struct, frozen=True):
    """A call that a model asks for, and its id where it has one."""

    call: Call
    id: str = ""


def asked_in(span: Span) -> Iterator[Asked]:
    """The calls that a model asks for in what it says, from the first place that has some."""
    for place in (_in_messages, _in_numbers, _in_events, _in_output):
        found = list(place(span))
        if found:
            yield from found
            return


def not_run(asked: Sequence[Asked], ids: set[str], ran: Sequence[Call]) -> list[Asked]:
    """The calls that nothing ran: neither their id nor their tool is among those that ran, and no run of a tool that
    nobody asked for may be one of them under another name."""
    names = {one.call.tool for one in asked}
    others = [call for call in ran if call.tool not in names]
    tools = {call.tool for call in ran}
    return [
        one
        for one in asked
        if one.id not in ids and one.call.tool not in tools and not any(_may_be(one.call, other) for other in others)
    ]


def _may_be(asked: Call, ran: Call) -> bool:
    """Whether both may be one call: servers and clients put names of their own before that of a tool."""
    related = asked.tool.endswith(ran.tool) or ran.tool.endswith(asked.tool)
    return related or ran.arguments is None or ran.arguments == asked.arguments


def asked_by(messages: Iterable[JsonMapping]) -> Iterator[Asked]:
    """The calls of messages of any framework, with their ids."""
    for one in messages:
        given = as_message({"role": "assistant", **one})
        if given is None:
            continue
        calls = list(message_calls([given]))
        marks = [str(each.get("id") or "") for each in _marked(given)]
        yield from map(Asked, calls, marks if len(marks) == len(calls) else [""] * len(calls))


def _marked(message: JsonMapping) -> list[JsonMapping]:
    beside = mappings(message.get("tool_calls"))
    return beside or [
        part for part in mappings(message.get("content")) if part.get("type") in ("tool_use", "tool_call")
    ]


def _in_messages(span: Span) -> Iterator[Asked]:
    for message in mappings(opened(span.attributes.get("gen_ai.output.messages"))):
        parts = [{**part, "type": "tool_call"} for part in mappings(message.get("parts")) if _is_call(part)]
        body: JsonObject = {"role": "assistant", "content": parts, "tool_calls": message.get("tool_calls")}
        yield from asked_by([body])
    for one in mappings(opened(span.attributes.get("ai.response.toolCalls"))):
        given = Call(str(one.get("toolName") or ""), arguments(one.get("input", one.get("args"))))
        yield Asked(given, str(one.get("toolCallId") or ""))


def _in_numbers(span: Span) -> Iterator[Asked]:
    numbered: dict[tuple[int, int], dict[str, Json]] = {}
    for name, value in span.attributes.items():
        if found := _NUMBERED.match(name):
            numbered.setdefault((int(found[1]), int(found[2])), {})[found[3]] = value
    for _, one in sorted(numbered.items()):
        yield Asked(Call(str(one.get("name") or ""), arguments(one.get("arguments"))), str(one.get("id") or ""))


def _in_events(span: Span) -> Iterator[Asked]:
    for name, body in span.events:
        if name in ("gen_ai.choice", "gen_ai.assistant.message"):
            message = mapping(opened(body.get("message"))) or body
            yield from asked_by([{"tool_calls": opened(message.get("tool_calls"))}])


def _in_output(span: Span) -> Iterator[Asked]:
    """Tracing tools that keep what a model answered as it was."""
    for key in _OUTPUTS:
        yield from asked_by(said(span.attributes.get(key)))


def said(value: Json) -> Iterator[JsonMapping]:
    """The messages that a model answered with: one, a list, or under ``messages`` or ``choices``."""
    found = opened(value)
    for one in mappings(found) or [mapping(found)]:
        inner = mappings(one.get("messages")) or [mapping(each.get("message")) for each in mappings(one.get("choices"))]
        yield from inner or [one]


def _is_call(part: JsonMapping) -> bool:
    return part.get("type") in ("tool_call", "tool_use", "function_call")
