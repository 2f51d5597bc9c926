"""Spans as lines of OTLP JSON, the form that OpenTelemetry collectors write to files and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from karat.core.files.private import make_folder
from karat.core.json_types import Json, JsonObject
from karat.core.problems import UserError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan


class OtlpFileExporter(SpanExporter):
    """Adds a line for each batch of spans to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lost = ""
        try:
            make_folder(path.parent)
            self._file = path.open("ab")
        except OSError as error:
            raise UserError(f"cannot write traces to {path}: {error.strerror}") from error

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            self._file.write(msgspec.json.encode(otlp_json(spans)) + b"\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            self._lost = _reason(error)
            return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """UserError where spans could not be written: half a trace looks like a whole one."""
        try:
            self._file.close()
        except OSError as error:
            self._lost = _reason(error)
        lost, self._lost = self._lost, ""  # the provider shuts down once more when Python ends
        if lost:
            hint = "The run itself is stored: karat runs list shows it."
            raise UserError(f"the traces in {self._path} are not complete: {lost}", hint=hint)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def otlp_json(spans: Sequence[ReadableSpan]) -> JsonObject:
    """Spans of one program as an export request in JSON."""
    resource = spans[0].resource.attributes if spans else {}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [{"scope": {"name": "karat"}, "spans": [_span(span) for span in spans]}],
            }
        ]
    }


def _span(span: ReadableSpan) -> JsonObject:
    context, parent = span.get_span_context(), span.parent
    return {
        "traceId": f"{context.trace_id:032x}" if context else "",
        "spanId": f"{context.span_id:016x}" if context else "",
        "parentSpanId": f"{parent.span_id:016x}" if parent is not None else "",
        "name": span.name,
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time or 0),
        "endTimeUnixNano": str(span.end_time or 0),
        "attributes": _attributes(span.attributes or {}),
        "events": [
            {"name": one.name, "timeUnixNano": str(one.timestamp), "attributes": _attributes(one.attributes or {})}
            for one in span.events
        ],
        "links": [
            {"traceId": f"{one.context.trace_id:032x}", "spanId": f"{one.context.span_id:016x}"} for one in span.links
        ],
        "status": {"code": span.status.status_code.value, "message": span.status.description or ""},
    }


def _attributes(attributes: Mapping[str, object]) -> list[JsonObject]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: object) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    return {"stringValue": str(value)}
