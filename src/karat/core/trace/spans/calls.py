"""The calls in spans: those of the GenAI conventions, of their older names, and of what frameworks write instead.

Calls are the spans that run a tool, in the order of their start. A span inside another one of the same tool with the
same arguments is the same call, seen by a client, a protocol or a server. Calls that the model's own messages ask for
and that no span runs count too, at the end of the model call: somebody left their spans out.

Arguments are recorded only on request. A call without them has unknown arguments, not none. Nor do spans say that
nothing was called, unless every model call says how it ended, or what it said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.messages import ends_in_calls
from karat.core.trace.records import Call
from karat.core.trace.spans.reading import Span
from karat.core.trace.spans.requested_calls import asked_in, not_run
from karat.core.trace.values import arguments, as_text, count, mapping, opened, python_or_json
from karat.core.trace.written_calls import holds_written_call

KIND = (
    *("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "gen_ai.span.kind"),
    *("langsmith.span.kind", "langfuse.observation.type", "mlflow.spanType", "ai.operationId", "llm.request.type"),
    "mcp.method.name",
)
NAMES = (
    *("gen_ai.tool.name", "tool.name", "tool_call.function.name", "traceloop.entity.name", "ai.toolCall.name"),
    *("mlflow.spanFunctionName", "mcp.tool.name"),
)
ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "tool_call.function.arguments", "ai.toolCall.args"),
    *("ai.toolCall.input", "gcp.vertex.agent.tool_call_args", "tool_arguments", "input.value", "tool.parameters"),
    *("traceloop.entity.input", "langfuse.observation.input", "mlflow.spanInputs", "mcp.tool.arguments"),
)
CALL_IDS = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool_call_id")
RESULTS = (
    *(
        "gen_ai.tool.call.result",
        "gen_ai.tool.result",
        "gen_ai.tool.output",
        "ai.toolCall.result",
        "ai.toolCall.output",
    ),
    *("gcp.vertex.agent.tool_response", "tool_response", "output.value", "traceloop.entity.output"),
    *("langfuse.observation.output", "mlflow.spanOutputs"),
)
USAGE = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
    ("llm.usage.prompt_tokens", "llm.usage.completion_tokens"),
    ("llm.token_count.prompt", "llm.token_count.completion"),
)
TOTALS = ("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total")
_RUNS = ("execute_tool ", "tools/call ")
"""How the conventions begin the name of a span that runs a tool; the tool's name comes after it."""
_KINDS = {
    "execute_tool": "tool",
    "tool": "tool",
    "ai.toolcall": "tool",
    "tools/call": "tool",
    "retrieval": "retrieval",
    "retriever": "retrieval",
    "invoke_agent": "agent",
    "agent": "agent",
    "ai.generatetext": "agent",
    "ai.streamtext": "agent",
    "chat": "model",
    "chat_model": "model",
    "text_completion": "model",
    "generate_content": "model",
    "completion": "model",
    "llm": "model",
    "generation": "model",
    "ai.generatetext.dogenerate": "model",
    "ai.streamtext.dostream": "model",
}
_ENDED = re.compile(
    r"^(?:gen_ai\.response\.finish_reasons|ai\.response\.finishReason|gen_ai\.completion\.\d+\.finish_reason)$"
)
_SAID = re.compile(
    r"^(?:llm\.output_messages|gen_ai\.completion|gen_ai\.output\.messages|ai\.response\.text|output\.value"
    r"|traceloop\.entity\.output|langfuse\.observation\.output|mlflow\.spanOutputs)"
)
_SHOWN = re.compile(
    r"""\\*"(?:tool_calls|toolCalls)\\*"\s*:\s*\[\s*\{|\\*"(?:functionCall|function_call|toolUse)\\*"\s*:\s*\{"""
    r"""|\\*"type\\*"\s*:\s*\\*"(?:tool_use|tool_call|function_call)\\*\""""
)
"""Calls in the JSON of what a model said, also where that JSON is text inside other JSON."""
_LOOKS = re.compile(r"tool|function.?call", re.IGNORECASE)
_DEFINITIONS = re.compile(r"tools\b|tool\.definitions|tool_choice|input_messages|input\.messages|prompt", re.IGNORECASE)

_OTHERS = ("http.", "db.", "rpc.", "url.", "net.", "messaging.")
"""How the attributes of spans begin that are no calls of tools, whatever their names are."""


def kind_of(span: Span) -> str:
    """What a span is: ``tool``, ``retrieval``, ``agent``, ``model``; empty: something else."""
    known = span.attributes
    said = [str(opened(known[name])).lower() for name in KIND if known.get(name)]
    if said:
        return next((_KINDS[one] for one in said if one in _KINDS), "")
    if any(name in known for name in ("gen_ai.tool.name", "tool.name", "ai.toolCall.name")):
        return "tool"
    if span.name.startswith(_RUNS):  # somebody left its attributes out
        return "tool"
    return "model" if used(span) is not None and not span.name.startswith("invoke_agent") else ""


def used(span: Span) -> int | None:
    """The tokens that a span says were used."""
    for pair in USAGE:
        both = [count(span.attributes.get(name)) for name in pair]
        if None not in both:
            return sum(number for number in both if number is not None)
    return next((number for name in TOTALS if (number := count(span.attributes.get(name))) is not None), None)


def calls_in(spans: Sequence[Span]) -> tuple[tuple[Call, ...] | None, bool]:
    """(the calls, whether some may be there that cannot be read) of spans in the order of their start."""
    tools = _tool_calls(spans)
    above = {span.id: span for span in spans}
    models = [
        span
        for span in spans
        if kind_of(span) == "model" and not any(kind_of(one) == "model" for one in ancestors(span, above))
    ]
    asked = [list(asked_in(span)) for span in models]
    if tools:
        ids = {str(value) for place in tools for key in CALL_IDS if (value := spans[place].attributes.get(key))}
        left = not_run([one for own in asked for one in own], ids, list(tools.values()))
        found = [(spans[place].start, call) for place, call in tools.items()]
        found += [
            (span.end or span.start, one.call)
            for span, own in zip(models, asked, strict=True)
            for one in own
            if any(one is other for other in left)
        ]
        return tuple(call for _, call in sorted(found, key=lambda item: item[0])), False
    unread = any(
        not own and (_ends_in_calls(span) or _shows_calls(span)) for span, own in zip(models, asked, strict=True)
    )
    if unread or any(map(_looks_like_call, spans)):
        return None, True
    calls = tuple(one.call for own in asked for one in own)
    return calls if calls or (models and all(map(_says, models))) else None, False


def ancestors(span: Span, by_id: Mapping[str, Span]) -> Iterator[Span]:
    """The spans that a span is inside of, the nearest first."""
    seen = {span.id}
    above = by_id.get(span.parent)
    while above is not None and above.id not in seen:
        yield above
        seen.add(above.id)
        above = by_id.get(above.parent)


def _tool_calls(spans: Sequence[Span]) -> dict[int, Call]:
    """The calls that spans run, by the places of these spans."""
    by_id = {span.id: span for span in spans}
    found: dict[int, Call] = {}
    same: dict[str, int] = {}  # the id of a span -> the place of the call that it is
    for place, span in enumerate(spans):
        if kind_of(span) != "tool":
            continue
        call = _call(span)
        for one in ancestors(span, by_id):
            outer = same.get(one.id)
            if outer is not None and _is_same(found[outer], call):
                known = found[outer]
                if known.arguments is None:
                    found[outer] = msgspec.structs.replace(known, arguments=call.arguments)
                same[span.id] = outer
                break
        else:
            found[place] = call
            same[span.id] = place
    return found


def _is_same(outer: Call, inner: Call) -> bool:
    return outer.tool == inner.tool and (
        outer.arguments is None or inner.arguments is None or outer.arguments == inner.arguments
    )


def _call(span: Span) -> Call:
    known = span.attributes
    name = next((str(opened(known[key])) for key in NAMES if known.get(key)), "")
    result = next((opened(known[key]) for key in RESULTS if known.get(key) is not None), None)
    took = (span.end - span.start) / 1e9 if span.end >= span.start > 0 else None
    named = next((span.name.removeprefix(one) for one in _RUNS if span.name.startswith(one)), span.name)
    named = "" if f"{named} " in _RUNS else named  # the operation alone says no name
    return Call(name or named, _arguments(span), result, took, span.error)


def _arguments(span: Span) -> Json:
    """The arguments; None where the span does not say."""
    for key in ARGUMENTS:
        given = span.attributes.get(key)
        if given is None:
            continue
        found = python_or_json(given)
        own = mapping(found)
        if key == "tool.parameters" and mapping(own.get("properties")):
            continue  # what the tool takes, not what it was given
        if key.startswith("traceloop."):
            found = _unwrapped(own) if own else found
        return found
    messages = (body.get("content") for name, body in span.events if name == "gen_ai.tool.message")
    return next((arguments(one) for one in messages if one is not None), None)


def _unwrapped(given: JsonMapping) -> Json:
    if mapping(given.get("kwargs")) and not given.get("args"):
        return given["kwargs"]
    if mapping(given.get("inputs")):
        return given["inputs"]
    return python_or_json(given["input_str"]) if isinstance(given.get("input_str"), str) else dict(given)


def _reasons(span: Span) -> list[Json]:
    """How a model call says that it ended, for each of its choices."""
    found: list[Json] = []
    for name, value in span.attributes.items():
        if _ENDED.match(name):
            own = opened(value)
            found += own if isinstance(own, list) else [own]
    found += [
        body["finish_reason"] for name, body in span.events if name == "gen_ai.choice" and "finish_reason" in body
    ]
    return found


def _ends_in_calls(span: Span) -> bool:
    return any(ends_in_calls({"finish_reason": one}) for one in _reasons(span))


def _shows_calls(span: Span) -> bool:
    """Whether what a model said has calls in it, in whatever form."""
    said: list[Json] = [value for name, value in span.attributes.items() if _SAID.match(name)]
    if any(_SHOWN.search(one if isinstance(one, str) else as_text(one)) for one in said):
        return True
    said += [dict(body) for name, body in span.events if name in ("gen_ai.choice", "gen_ai.assistant.message")]
    return any(map(holds_written_call, said))


def _says(span: Span) -> bool:
    """Whether a model call says how it ended, or what it said."""
    events = any(name in ("gen_ai.choice", "gen_ai.assistant.message") for name, _ in span.events)
    return bool(_reasons(span)) or events or any(map(_SAID.match, span.attributes))


def _looks_like_call(span: Span) -> bool:
    """Whether a span that is nothing known may be a call."""
    if kind_of(span) or any(name.startswith(_OTHERS) for name in span.attributes):
        return False
    names = [span.name, *span.attributes]
    return any(_LOOKS.search(name) and not _DEFINITIONS.search(name) for name in names)
