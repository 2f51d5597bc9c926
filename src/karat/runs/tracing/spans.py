"""The spans of a run: the run, every call, the score of every case, with the attributes of the GenAI conventions.

Off by default: a run without ``traces`` does not import OpenTelemetry, and its calls go the same way as before. Texts
of prompts and answers are part of the spans only when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.installed.extras import install_command
from karat.core.json_types import JsonObject
from karat.core.presentation.case_explanation import explanation_of
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.results.result import RunResult
from karat.core.system import Request, Response, System, SystemConfig

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, SpanContext, Tracer, TracerProvider

    from karat.runs.job import Job

OTLP = "otlp"
"""Send spans to the collector that the environment names (``OTEL_EXPORTER_OTLP_ENDPOINT`` and the like)."""
Key = tuple[str, int, int]


@dataclass(frozen=True)
class Traces:
    """Where spans go: ``otlp``, a file, or a provider of the program's own; and whether they hold texts."""

    target: str | Path | TracerProvider
    content: bool = False


class Tracing:
    """The spans of one run while it goes on."""

    def __init__(self, tracer: Tracer, run: Span, job: Job, content: bool, system: System) -> None:
        from opentelemetry.trace import set_span_in_context

        self._tracer, self._content, self._system = tracer, content, system
        self._context: Context = set_span_in_context(run)
        self._settings, self._name = _of_config(job.config), job.system or job.config.type
        self._responses: dict[Key, Response] = {}
        self._calls: dict[str, list[SpanContext]] = {}

    @contextmanager
    def call(self, request: Request) -> Iterator[CallSpan]:
        """The span of one question, with all its attempts."""
        from opentelemetry.trace import SpanKind

        model = str(self._settings.get("gen_ai.request.model", ""))
        name = f"chat {model}" if model else f"chat {self._name}"
        attributes = self._settings | {
            "karat.case.id": request.case_id,
            "karat.turn": request.turn,
            "karat.repeat": request.repeat,
        }
        if self._content:
            attributes["gen_ai.input.messages"] = _messages(request.messages)
        span = self._tracer.start_span(name, self._context, SpanKind.CLIENT, attributes)
        self._calls.setdefault(request.case_id, []).append(span.get_span_context())
        try:
            yield CallSpan(self, request, span)
        finally:
            span.end()

    def response(self, request: Request, response: Response) -> None:
        """What the system said of an answer, before it becomes a prediction."""
        self._responses[request.case_id, request.turn, request.repeat] = response

    def answered(self, request: Request, span: Span, prediction: Prediction | None) -> None:
        """How a call ended."""
        from opentelemetry.trace import StatusCode

        said = self._responses.pop((request.case_id, request.turn, request.repeat), None)
        if prediction is None:
            span.set_attribute("karat.missing", True)
            return
        if prediction.error is not None:
            span.set_attribute("error.type", prediction.error.kind)
            span.set_attribute("karat.tries", prediction.error.tries)
            span.set_status(StatusCode.ERROR, prediction.error.message if self._content else prediction.error.kind)
            return
        facts = {
            "gen_ai.usage.input_tokens": said.input_tokens if said else None,
            "gen_ai.usage.output_tokens": said.output_tokens if said else None,
            "gen_ai.response.model": (said.model or None) if said else None,
            "karat.tokens": prediction.tokens,
            "karat.cost": prediction.cost,
            "karat.latency": prediction.latency,
        }
        span.set_attributes({name: value for name, value in facts.items() if value is not None})
        if self._content:
            span.set_attribute("gen_ai.output.messages", _messages([self._system.reply(prediction.response)]))
            span.set_attribute("karat.response", prediction.response.decode(errors="replace"))

    def scored(self, result: RunResult) -> None:
        """A span for the score of each case, linked to its calls, with one event per metric."""
        from opentelemetry.trace import Link

        for case in result.cases:
            outcome = explanation_of(result.run.suite, case).outcome
            attributes = {"karat.case.id": case.id, "karat.status": case.status, "karat.outcome": outcome}
            links = [Link(context) for context in self._calls.get(case.id, ())]
            span = self._tracer.start_span(f"score {case.id}", self._context, attributes=attributes, links=links)
            for name, score in case.scores.items():
                told: dict[str, str | float] = {"gen_ai.evaluation.name": name, "karat.state": score.state}
                if score.value is not None:
                    told["gen_ai.evaluation.score.value"] = score.value
                if score.reason and self._content:
                    told["gen_ai.evaluation.explanation"] = score.reason
                span.add_event("gen_ai.evaluation.result", told)
            span.end()


class CallSpan:
    """One call while it is made."""

    def __init__(self, tracing: Tracing, request: Request, span: Span) -> None:
        self._tracing, self._request, self._span = tracing, request, span

    def end(self, prediction: Prediction | None) -> None:
        """How it ended."""
        self._tracing.answered(self._request, self._span, prediction)


@contextmanager
def tracing_of(job: Job, run: str, system: System) -> Iterator[Tracing | None]:
    """The spans of a run; None where none are wanted."""
    if job.traces is None:
        yield None
        return
    provider, own = _provider(job.traces)
    tracer = provider.get_tracer("karat")
    attributes: dict[str, str | int] = {
        "karat.run.id": run,
        "karat.suite": job.suite.name,
        "karat.system": job.system,
        "karat.cases": len(job.cases),
        "karat.repeats": job.repeats,
    }
    try:
        with tracer.start_as_current_span("karat run", attributes=attributes) as span:
            yield Tracing(tracer, span, job, job.traces.content, system)
    finally:
        if own:
            provider.shutdown()  # type: ignore[attr-defined]  # a provider of the SDK, made below


def check_traces(traces: Traces | None) -> None:
    """UserError where spans cannot go where they should. Nothing has run by then."""
    if traces is not None:
        provider, own = _provider(traces)
        if own:
            provider.shutdown()  # type: ignore[attr-defined]  # a provider of the SDK, made below


def _provider(traces: Traces) -> tuple[TracerProvider, bool]:
    """(a provider of spans, whether it is ours to shut down)."""
    target = traces.target
    if not isinstance(target, str | Path):
        return target, False
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter
    except ImportError as error:
        raise UserError("OpenTelemetry is not installed", hint=install_command("otel")) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "karat"}))
    if str(target) == OTLP:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        except ImportError as error:
            raise UserError("the OTLP exporter is not installed", hint=install_command("otel")) from error
        exporter: SpanExporter = OTLPSpanExporter()
        provider.add_span_processor(BatchSpanProcessor(exporter))
    else:
        from karat.runs.tracing.otlp_file import OtlpFileExporter

        provider.add_span_processor(SimpleSpanProcessor(OtlpFileExporter(Path(target))))
    return provider, True


def _of_config(config: SystemConfig) -> dict[str, str | int | float]:
    settings = msgspec.to_builtins(config)
    known: dict[str, str | int | float | None] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai" if config.type == "openai" else f"karat.{config.type}",
        "gen_ai.request.model": settings.get("model"),
        "gen_ai.request.temperature": settings.get("temperature"),
        "gen_ai.request.max_tokens": settings.get("max_tokens"),
    }
    return {name: value for name, value in known.items() if value is not None}


def _messages(messages: object) -> str:
    """Messages in the form of the conventions: a role, and parts of text."""
    found: list[JsonObject] = []
    for message in messages if isinstance(messages, list | tuple) else ():
        content = message.get("content")
        text = content if isinstance(content, str) else msgspec.json.encode(content).decode()
        found.append({"role": str(message.get("role", "")), "parts": [{"type": "text", "content": text}]})
    return msgspec.json.encode(found).decode()
