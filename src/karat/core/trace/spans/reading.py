"""Spans of OpenTelemetry: OTLP JSON as collectors write it, and what the console exporter of the Python SDK prints."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.values import mapping, mappings, moment

TIMES, PRINTED_TIMES = ("startTimeUnixNano", "endTimeUnixNano"), ("start_time", "end_time")
SPAN_IDS = ("spanId", "span_id")
SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
SNAKE = {
    "trace_id": "traceId",
    "span_id": "spanId",
    "parent_span_id": "parentSpanId",
    "start_time_unix_nano": "startTimeUnixNano",
    "end_time_unix_nano": "endTimeUnixNano",
}
FAILED = (2, "2", "STATUS_CODE_ERROR", "ERROR")


class Span(msgspec.Struct, frozen=True):
    """One span, whatever form it came in. Times are nanoseconds."""

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    attributes: JsonObject
    events: tuple[tuple[str, JsonObject], ...] = ()
    error: str = ""
    fault: str = ""
    """Why it cannot be placed among the others: no id, or an invalid time. What it says counts all the same."""


def has_spans(value: Json) -> bool:
    """Whether a document holds spans."""
    if isinstance(value, list):
        return bool(value) and all(has_spans(one) for one in value)
    one = mapping(value)
    return isinstance(one.get("resourceSpans", one.get("resource_spans")), list) or _is_span(one)


def _is_span(one: JsonMapping) -> bool:
    """Whether an object is one span: as the SDK prints it, or as one of OTLP without its resource."""
    printed = "trace_id" in mapping(one.get("context"))
    return "attributes" in one and (printed or any(isinstance(one.get(key), str) for key in SPAN_IDS))


def spans_in(value: Json) -> Iterator[Span]:
    """Every span of a document."""
    if isinstance(value, list):
        for one in value:
            yield from spans_in(one)
        return
    document = mapping(value)
    resources = document.get("resourceSpans", document.get("resource_spans"))
    if resources is None:
        if document:
            yield _printed(document) if mapping(document.get("context")) else _otlp(_camel(document))
        return
    for resource in mappings(resources):
        for scope in mappings(next((resource[key] for key in SCOPES if resource.get(key)), None)):
            for span in mappings(scope.get("spans")):
                yield _otlp(_camel(span))


def _camel(span: JsonMapping) -> JsonMapping:
    """The span with the names of OTLP's JSON, where it has those of its protobuf."""
    return {**{new: span[old] for old, new in SNAKE.items() if old in span}, **span}


def _otlp(span: JsonMapping) -> Span:
    status, known = mapping(span.get("status")), _attributes(span.get("attributes"))
    return Span(
        trace=str(span.get("traceId") or ""),
        id=str(span.get("spanId") or ""),
        parent=str(span.get("parentSpanId") or ""),
        name=str(span.get("name") or ""),
        start=_whole(span.get("startTimeUnixNano")),
        end=_whole(span.get("endTimeUnixNano")),
        attributes=known,
        events=tuple((str(one.get("name") or ""), _attributes(one.get("attributes"))) for one in _events(span)),
        error=_error(status.get("code") in FAILED, str(status.get("message") or ""), known),
        fault=_fault(span, "traceId", "spanId")
        or next((f"{name} is no time" for name in TIMES if _is_no_number(span.get(name))), ""),
    )


def _printed(span: JsonMapping) -> Span:
    context, status = mapping(span.get("context")), mapping(span.get("status"))
    known = dict(mapping(span.get("attributes")))
    return Span(
        trace=str(context.get("trace_id") or ""),
        id=str(context.get("span_id") or ""),
        parent=str(span.get("parent_id") or ""),
        name=str(span.get("name") or ""),
        start=int((moment(span.get("start_time")) or 0) * 1e9),
        end=int((moment(span.get("end_time")) or 0) * 1e9),
        attributes=known,
        events=tuple((str(one.get("name") or ""), dict(mapping(one.get("attributes")))) for one in _events(span)),
        error=_error(status.get("status_code") in FAILED, str(status.get("description") or ""), known),
        fault=_fault(context, "trace_id", "span_id")
        or next((f"{name} is no time" for name in PRINTED_TIMES if span.get(name) and moment(span[name]) is None), ""),
    )


def _fault(ids: JsonMapping, *names: str) -> str:
    return next((f"it has no {name}" for name in names if not ids.get(name)), "")


def _is_no_number(value: Json) -> bool:
    try:
        int(value or 0)
    except (TypeError, ValueError, OverflowError):
        return True
    return False


def _events(span: JsonMapping) -> list[JsonMapping]:
    return mappings(span.get("events"))


def _error(failed: bool, message: str, attributes: JsonMapping) -> str:
    kind = str(attributes.get("error.type") or "")
    return (message or kind or "the call failed") if failed else kind


def _whole(value: Json) -> int:
    return 0 if _is_no_number(value) else int(value or 0)


def _attributes(value: Json) -> JsonObject:
    if isinstance(value, dict):  # some exporters write them as one object
        return {str(key): _value(one) for key, one in value.items()}
    return {str(one["key"]): _value(one.get("value")) for one in mappings(value) if "key" in one}


def _value(value: Json) -> Json:
    one = mapping(value)
    if not one:
        return value
    if "intValue" in one:
        return _whole(one["intValue"])
    if "arrayValue" in one:
        return [_value(part) for part in mapping(one["arrayValue"]).get("values") or ()]
    if "kvlistValue" in one:
        return _attributes(mapping(one["kvlistValue"]).get("values"))
    known = ("stringValue", "doubleValue", "boolValue", "bytesValue")
    return next((one[name] for name in known if name in one), value)
