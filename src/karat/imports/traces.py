"""Traces of OpenTelemetry as questions and answers: OTLP JSON, one document or one per line, as collectors write
it, and what the console exporter of the Python SDK prints.

A trace is one question with its answer. Spans of Karat's own runs are one each, because they name their case. In other
traces, the outermost span that has an answer counts. Texts are found under the names of the GenAI conventions (messages
as attributes, the older events and numbered attributes) and of OpenInference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.files import json
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.problems import Problem, UserError
from karat.core.trace.spans.calls import used
from karat.core.trace.spans.reading import Span, spans_in
from karat.imports.source import Source, SourceRow

CASE, TURN, REPEAT, RESPONSE = "karat.case.id", "karat.turn", "karat.repeat", "karat.response"
KNOWN = {"question": "question", "answer": "answer", "id": "id", "error": "error", "repeat": "repeat"}
_NUMBERED = re.compile(
    r"^(?:gen_ai\.(prompt|completion)|llm\.(input|output)_messages)\.(\d+)\.(?:message\.)?(role|content)$"
)
_EVENTS = {"gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant", "gen_ai.system.message": "system"}


def documents_in(data: bytes) -> list[Json] | None:
    """All JSON values of a file, one after the other; None where something between them is not JSON."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = [line for line in text.splitlines() if line.strip()]
    found: list[Json] = []
    held = ""
    for line in lines:  # a value may take several lines: it ends where it can be decoded as a whole
        held += line + "\n"
        if line.rstrip()[-1:] not in ("}", "]") or (line[:1] == " " and len(lines) > 1):
            continue
        try:
            found.append(json.decode(held.encode()))
        except json.BadJson:
            continue
        held = ""
    return None if held.strip() else found


def read_traces(path: Path, values: Sequence[Json]) -> Source:
    """One row per answer, in the order of their start."""
    problems: list[Problem] = []
    spans = []
    for span in spans_in([*values]):
        if span.fault:
            said_of = f'the span "{span.name[:80]}" cannot be read and is left out: {span.fault}'
            problems.append(Problem(said_of, file=str(path)))
        else:
            spans.append(span)
    if not spans:
        raise UserError(f"{path} has no spans", problems=problems[:20])
    said = [one.get("answer") for one in values if isinstance(one, Mapping) and isinstance(one.get("answer"), str)]
    traces: dict[str, list[Span]] = {}
    for span in sorted(spans, key=lambda one: one.start):
        traces.setdefault(span.trace, []).append(span)
    rows: list[SourceRow] = []
    for number, found in enumerate(traces.values(), start=1):
        for cells in _answers(found, str(said[0]) if len(said) == 1 and len(traces) == 1 else ""):
            rows.append(SourceRow(len(rows) + 1, cells))
        if not rows or rows[-1].cells.get("trace") != found[0].trace:
            problems.append(Problem(f"trace {number} ({found[0].trace}) has no answer", file=str(path)))
    return Source("OpenTelemetry traces", rows, dict(KNOWN), problems)


def _answers(spans: Sequence[Span], said: str) -> Iterator[JsonObject]:
    named = [span for span in spans if CASE in span.attributes and ("gen_ai.operation.name" in span.attributes)]
    if named:
        yield from (_cells(span, [span], "") for span in named)
        return
    known = {span.id for span in spans}
    children: dict[str, list[Span]] = {}
    for span in spans:
        children.setdefault(span.parent if span.parent in known else "", []).append(span)
    level = children.get("", [])
    while level:
        answering = [span for span in level if _said(span) or (said and "gen_ai.operation.name" in span.attributes)]
        if answering:
            best = answering[-1]  # the last one on this level is the final answer
            yield _cells(best, _below(best, children), said)
            return
        level = [child for span in level for child in children.get(span.id, ())]
    failed = [span for span in children.get("", []) if span.error]
    if failed:
        yield _cells(failed[-1], _below(failed[-1], children), said)


def _below(span: Span, children: Mapping[str, Sequence[Span]]) -> list[Span]:
    found, waiting = [span], [span.id]
    while waiting:
        more = children.get(waiting.pop(), ())
        found += more
        waiting += [one.id for one in more]
    return found


def _cells(span: Span, inside: Sequence[Span], said: str) -> JsonObject:
    asked = next((found for one in inside if (found := _asked(one))), None)
    answer = span.attributes.get(RESPONSE) or said or _said(span)
    cells: JsonObject = {
        "trace": span.trace,
        "id": str(span.attributes.get(CASE) or span.attributes.get("gen_ai.conversation.id") or span.trace),
        "question": asked,
        "answer": None if span.error else answer,
        "error": span.error or None,
        "repeat": span.attributes.get(REPEAT, 0),
        "turn": span.attributes.get(TURN),
        "named": CASE in span.attributes,
        "latency": span.attributes.get("karat.latency", max(span.end - span.start, 0) / 1e9),
        "tokens": span.attributes.get("karat.tokens", _tokens(span, inside)),
        "cost": span.attributes.get("karat.cost"),
    }
    return cells


def _tokens(span: Span, inside: Sequence[Span]) -> int | None:
    """The sum that the span itself says; else that of the model calls inside it."""
    own = used(span)
    if own is not None:
        return own
    parts = [tokens for one in inside if (tokens := used(one)) is not None]
    return sum(parts) if parts else None


# -- texts ------------------------------------------------------------------------------------------------------------


def _asked(span: Span) -> Json:
    """The messages that were sent, or the text; None where the span does not say."""
    messages = _messages(span, "gen_ai.input.messages", "prompt", "input")
    if messages:
        return messages
    said = [(_EVENTS[name], body) for name, body in span.events if name in _EVENTS]
    if said:
        return [{"role": role, "content": _event_text(body)} for role, body in said]
    value = span.attributes.get("input.value") or span.attributes.get("gen_ai.prompt")
    return value if isinstance(value, str) and value.strip() else None


def _said(span: Span) -> str:
    """The text of the answer; empty where the span does not say."""
    messages = _messages(span, "gen_ai.output.messages", "completion", "output")
    if messages:
        return str(messages[-1]["content"])
    for name, body in reversed(span.events):
        if name in ("gen_ai.choice", "gen_ai.content.completion"):
            return _event_text(body)
    value = span.attributes.get("output.value") or span.attributes.get("gen_ai.completion")
    return value if isinstance(value, str) else ""


def _messages(span: Span, attribute: str, *kinds: str) -> list[JsonObject]:
    value = _decoded(span.attributes.get(attribute))
    if isinstance(value, list):
        return [{"role": str(one.get("role", "")), "content": _parts(one)} for one in value if isinstance(one, Mapping)]
    numbered: dict[int, JsonObject] = {}
    for name, value in span.attributes.items():
        found = _NUMBERED.match(name)
        if found and (found[1] or found[2]) in kinds:
            numbered.setdefault(int(found[3]), {"role": "", "content": ""})[found[4]] = str(value)
    return [numbered[place] for place in sorted(numbered)]


def _parts(message: JsonMapping) -> str:
    """The text of a message: its content, or its parts of text."""
    parts = message.get("parts", message.get("content", ""))
    if not isinstance(parts, list):
        return str(parts)
    texts = [one.get("content", one.get("text", "")) for one in parts if isinstance(one, Mapping)]
    return "".join(str(text) for text in texts if text)


def _event_text(body: JsonMapping) -> str:
    message = _decoded(body.get("message"))
    content = (
        message.get("content") if isinstance(message, Mapping) else body.get("content", body.get("gen_ai.completion"))
    )
    return content if isinstance(content, str) else _parts({"content": content or ""})


def _decoded(value: Json) -> Json:
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.decode(value.encode())
        except json.BadJson:
            return value
    return value


def encoded(value: Json) -> bytes:
    """An answer as it is stored: text as it is, anything else as JSON."""
    return value.encode() if isinstance(value, str) else msgspec.json.encode(value)
