"""Spans as tracing tools export them, in the shape of OpenTelemetry: observations of Langfuse, the trace spans of the
OpenAI Agents SDK, and the envelopes of MLflow, Tempo and Phoenix around spans."""

from __future__ import annotations

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.spans.reading import Span, has_spans, spans_in
from karat.core.trace.values import fault, mapping, mappings, moment

_AGENTS_SDK = {
    "function": "execute_tool",
    "generation": "chat",
    "response": "chat",
    "agent": "invoke_agent",
    "mcp_tools": "",
}
_SIGNALS = ("resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics")
"""What else a collector writes into the same file."""


def exported(value: Json) -> list[Span] | None:
    """The spans of an export; None where the value is not one."""
    if isinstance(value, list):
        return _in_lines(value)
    body = mapping(value)
    if has_spans(body):
        return list(spans_in(body))
    data = mapping(body.get("data"))
    for inner in (body.get("spans"), data.get("spans"), body.get("data")):
        if isinstance(inner, list) and has_spans(inner):
            return list(spans_in(inner))
    if isinstance(body.get("batches"), list):
        return list(spans_in({"resourceSpans": body["batches"]}))
    observations = body.get("observations")
    return _observations(observations) if isinstance(observations, list) else None


def _in_lines(values: list[Json]) -> list[Span] | None:
    """Spans in a list, or one document per line of a file. Other signals in the same file are no spans."""
    given = [one for one in mappings(values) if not any(key in one for key in _SIGNALS)]
    if not given or len(mappings(values)) != len(values):
        return None
    if has_spans(list(given)):
        return list(spans_in(list(given)))
    if (found := _observations(list(given))) is not None:
        return found
    own = [one for one in given if one.get("object") == "trace.span"]
    if own and all(one.get("object") in ("trace", "trace.span") for one in given):
        return [_agents_span(one) for one in own]
    return None


def _observations(values: list[Json]) -> list[Span] | None:
    """Observations of Langfuse. Its first versions know spans, generations and events only: where nothing is a tool, a
    span inside something may be one."""
    given = mappings(values)
    if not given or not all(isinstance(one.get("type"), str) and "startTime" in one for one in given):
        return None
    tools = any(one["type"].upper() == "TOOL" for one in given)
    return [_observation(one, not tools and bool(one.get("parentObservationId"))) for one in given]


def _observation(one: JsonMapping, may_be_tool: bool) -> Span:
    failed = str(one.get("level") or "").upper() == "ERROR"
    known: JsonObject = {
        "langfuse.observation.type": str(one["type"]).lower(),
        "langfuse.observation.input": one.get("input"),
        "langfuse.observation.output": one.get("output"),
        **_tokens(mapping(one.get("usageDetails")) or mapping(one.get("usage"))),
    }
    if may_be_tool and known["langfuse.observation.type"] in ("span", "event"):
        known["langfuse.may_be_tool"] = True
    return Span(
        trace=str(one.get("traceId") or ""),
        id=str(one.get("id") or ""),
        parent=str(one.get("parentObservationId") or ""),
        name=str(one.get("name") or ""),
        start=_nanoseconds(one.get("startTime")),
        end=_nanoseconds(one.get("endTime")),
        attributes=known,
        error=str(one.get("statusMessage") or "the call failed") if failed else "",
    )


def _agents_span(one: JsonMapping) -> Span:
    data = mapping(one.get("span_data"))
    kind = str(data.get("type") or "")
    known: JsonObject = {"gen_ai.operation.name": _AGENTS_SDK.get(kind, kind)}
    if kind == "function":
        known |= {
            "gen_ai.tool.name": data.get("name"),
            "gen_ai.tool.call.arguments": data.get("input"),
            "gen_ai.tool.call.result": data.get("output"),
        }
    elif kind == "generation":
        known |= {"langfuse.observation.output": data.get("output"), **_tokens(mapping(data.get("usage")))}
    return Span(
        trace=str(one.get("trace_id") or ""),
        id=str(one.get("id") or ""),
        parent=str(one.get("parent_id") or ""),
        name=str(data.get("name") or ""),
        start=_nanoseconds(one.get("started_at")),
        end=_nanoseconds(one.get("ended_at")),
        attributes=known,
        error=fault(one.get("error")),
    )


def _tokens(usage: JsonMapping) -> JsonObject:
    first = next((usage[key] for key in ("input", "input_tokens", "promptTokens") if key in usage), None)
    second = next((usage[key] for key in ("output", "output_tokens", "completionTokens") if key in usage), None)
    total = usage.get("total", usage.get("totalTokens"))
    if total is not None:
        return {"gen_ai.usage.total_tokens": total}
    return {"gen_ai.usage.input_tokens": first, "gen_ai.usage.output_tokens": second}


def _nanoseconds(value: Json) -> int:
    return int((moment(value) or 0.0) * 1e9)
