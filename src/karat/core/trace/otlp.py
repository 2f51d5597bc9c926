"""Calls, sources and tokens in spans: the GenAI conventions, their older names, and OpenInference.

Calls are in the order of their start. Where no span is the execution of a tool, the calls that the model's own messages
ask for count. Spans without any of these conventions say nothing about tools, and are no trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call, Source, Trace, distinct
from karat.core.trace.spans import Span, spans_in
from karat.core.trace.tool_messages import message_calls
from karat.core.trace.values import arguments, count, links, mapping, mappings, opened, sources, words

CONVENTIONS = ("gen_ai.", "openinference.", "llm.", "tool.", "traceloop.", "retrieval.")
NAMES = ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "traceloop.entity.name")
ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.arguments",
    "tool_call.function.arguments",
    "tool.parameters",
    "input.value",
    "traceloop.entity.input",
)
RESULTS = (
    "gen_ai.tool.call.result",
    "gen_ai.tool.result",
    "gen_ai.tool.output",
    "output.value",
    "traceloop.entity.output",
)
DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")
USAGE = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
    ("llm.usage.prompt_tokens", "llm.usage.completion_tokens"),
    ("llm.token_count.prompt", "llm.token_count.completion"),
)
TOTALS = ("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total")
_DOCUMENT = re.compile(r"^retrieval\.documents\.(\d+)\.document\.(id|metadata)$")
_ASKED = re.compile(
    r"^(?:llm\.output_messages|gen_ai\.completion)\.(\d+)\.(?:message\.)?tool_calls\.(\d+)\."
    r"(?:tool_call\.)?(?:function\.)?(name|arguments)$"
)
_KINDS = {
    "execute_tool": "tool",
    "tool": "tool",
    "retrieval": "retrieval",
    "retriever": "retrieval",
    "invoke_agent": "agent",
    "agent": "agent",
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "completion": "model",
    "llm": "model",
}


def otlp(value: Json) -> Trace:
    """What the spans of one answer say."""
    spans = sorted(spans_in(value), key=lambda span: span.start)
    told = [span for span in spans if any(name.startswith(CONVENTIONS) for name in span.attributes)]
    calls = [_call(span) for span in told if _kind(span) == "tool"] or [call for span in told for call in _asked(span)]
    datasets = [
        str(span.attributes["gen_ai.data_source.id"]) for span in told if span.attributes.get("gen_ai.data_source.id")
    ]
    answer = words(mapping(value).get("answer"))
    return Trace(
        form="OTLP",
        calls=tuple(calls) if told else None,
        sources=distinct(*(one for span in told for one in _documents(span)), *links(answer or _answer(told))),
        datasets=tuple(dict.fromkeys(datasets)) or None,
        tokens=_tokens(told),
        kind="refusal" if _withheld(told) else "",
    )


def _kind(span: Span) -> str:
    """What a span is: ``tool``, ``retrieval``, ``agent``, ``model``; empty: something else."""
    known = span.attributes
    for name in ("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "gen_ai.span.kind"):
        said = str(known.get(name) or "").lower()
        if said:
            return _KINDS.get(said, "")
    if "gen_ai.tool.name" in known or "tool.name" in known:
        return "tool"
    return "model" if _usage(span) is not None and not span.name.startswith("invoke_agent") else ""


def _call(span: Span) -> Call:
    known = span.attributes
    name = next((str(known[key]) for key in NAMES if known.get(key)), "")
    result = next((opened(known[key]) for key in RESULTS if known.get(key) is not None), None)
    given = next((known[key] for key in ARGUMENTS if known.get(key) is not None), None)
    took = (span.end - span.start) / 1e9 if span.end >= span.start > 0 else None
    return Call(name or span.name.removeprefix("execute_tool "), arguments(given), result, took, span.error)


def _asked(span: Span) -> Iterator[Call]:
    """The calls that a model asks for in what it says."""
    if _kind(span) != "model":
        return
    for message in mappings(opened(span.attributes.get("gen_ai.output.messages"))):
        parts = [{**part, "type": "tool_call"} for part in mappings(message.get("parts")) if _is_call(part)]
        yield from message_calls([{"role": "assistant", "content": parts, "tool_calls": message.get("tool_calls")}])
    numbered: dict[tuple[int, int], dict[str, Json]] = {}
    for name, value in span.attributes.items():
        if found := _ASKED.match(name):
            numbered.setdefault((int(found[1]), int(found[2])), {})[found[3]] = value
    for _, one in sorted(numbered.items()):
        yield Call(str(one.get("name") or ""), arguments(one.get("arguments")))
    for name, body in span.events:
        if name in ("gen_ai.choice", "gen_ai.assistant.message"):
            message = mapping(opened(body.get("message"))) or body
            calls = opened(message.get("tool_calls"))
            yield from message_calls([{"role": "assistant", "tool_calls": calls}])


def _is_call(part: JsonMapping) -> bool:
    return part.get("type") in ("tool_call", "tool_use", "function_call")


def _documents(span: Span) -> Iterator[Source]:
    if _kind(span) != "retrieval":
        return
    for name in DOCUMENTS:
        found = opened(span.attributes.get(name))
        if found is not None:
            yield from sources([opened(one) for one in found] if isinstance(found, list) else found)
    numbered: dict[int, dict[str, Json]] = {}
    for name, value in span.attributes.items():
        if match := _DOCUMENT.match(name):
            numbered.setdefault(int(match[1]), {})[match[2]] = opened(value)
    yield from sources([one for _, one in sorted(numbered.items())])


def _answer(spans: Sequence[Span]) -> str:
    """The words of the answer: those of the agent, else of the last model call."""
    for span in [*(one for one in spans if _kind(one) == "agent"), *reversed(spans)]:
        messages = mappings(opened(span.attributes.get("gen_ai.output.messages")))
        if _kind(span) in ("agent", "model") and messages:
            return words(messages[-1].get("parts", messages[-1].get("content")))
        said = span.attributes.get("output.value")
        if _kind(span) in ("agent", "model") and isinstance(said, str):
            return said
    return ""


def _withheld(spans: Sequence[Span]) -> bool:
    last = next((span for span in reversed(spans) if "gen_ai.response.finish_reasons" in span.attributes), None)
    reasons = opened(last.attributes["gen_ai.response.finish_reasons"]) if last is not None else ()
    return "content_filter" in (reasons if isinstance(reasons, list) else [reasons])


def _tokens(spans: Sequence[Span]) -> int | None:
    """Those of the outermost agents; where these do not say, the sum of the model calls."""
    parents = {span.id: span.parent for span in spans}
    agents = {span.id for span in spans if _kind(span) == "agent" and _usage(span) is not None}
    outer = [span for span in spans if span.id in agents and not _inside(span, agents, parents)]
    counted = outer or [span for span in spans if _kind(span) == "model"]
    used = [tokens for span in counted if (tokens := _usage(span)) is not None]
    return sum(used) if used else None


def _inside(span: Span, agents: set[str], parents: dict[str, str]) -> bool:
    above, seen = span.parent, {span.id}
    while above and above not in seen:
        if above in agents:
            return True
        seen.add(above)
        above = parents.get(above, "")
    return False


def _usage(span: Span) -> int | None:
    for pair in USAGE:
        both = [count(span.attributes.get(name)) for name in pair]
        if None not in both:
            return sum(number for number in both if number is not None)
    return next((number for name in TOTALS if (number := count(span.attributes.get(name))) is not None), None)
