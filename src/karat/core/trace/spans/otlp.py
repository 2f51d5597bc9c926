"""Calls, sources and tokens in spans: the GenAI conventions, their older names, and OpenInference. Spans without any of
these conventions say nothing about tools, and are no trace."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from karat.core.json_types import Json
from karat.core.trace.records import Source, Trace, distinct
from karat.core.trace.spans.calls import ancestors, calls_in, kind_of, used
from karat.core.trace.spans.reading import Span
from karat.core.trace.values import links, mappings, opened, sources, total, words

CONVENTIONS = (
    *("gen_ai.", "openinference.", "llm.", "tool.", "traceloop.", "retrieval.", "ai.", "langsmith.", "langfuse."),
    *("mlflow.", "gcp.vertex.agent."),
)
DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")
_DOCUMENT = re.compile(r"^retrieval\.documents\.(\d+)\.document\.(id|metadata)$")


def otlp(given: Sequence[Span], answer: str = "") -> Trace:
    """What the spans of one answer say; ``answer``: its words, where something beside the spans has them."""
    spans = sorted(_once(given), key=lambda span: span.start)
    told = [span for span in spans if any(name.startswith(CONVENTIONS) for name in span.attributes)]
    calls, unread = calls_in(spans) if told else (None, False)
    datasets = [
        str(span.attributes["gen_ai.data_source.id"]) for span in told if span.attributes.get("gen_ai.data_source.id")
    ]
    return Trace(
        form="OTLP",
        calls=calls,
        sources=distinct(*(one for span in told for one in _documents(span)), *links(answer or _answer(told))),
        datasets=tuple(dict.fromkeys(datasets)) or None,
        tokens=_tokens(told),
        kind="refusal" if _withheld(told) else "",
        unread=unread,
    )


def _once(given: Sequence[Span]) -> Iterator[Span]:
    """Each span once: an exporter that was not answered sends its spans again, and some send a span when it begins and
    when it ends. The last one is whole. Those without an id get one of their own: no span is inside of them."""
    known = {
        (span.trace, span.id, span.name, span.start) if span.id else place: span for place, span in enumerate(given)
    }
    for place, span in enumerate(known.values()):
        yield span if span.id else msgspec.structs.replace(span, id=f"span without id {place}")


def _documents(span: Span) -> Iterator[Source]:
    if kind_of(span) != "retrieval":
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
    for span in [*(one for one in spans if kind_of(one) == "agent"), *reversed(spans)]:
        messages = mappings(opened(span.attributes.get("gen_ai.output.messages")))
        if kind_of(span) in ("agent", "model") and messages:
            return words(messages[-1].get("parts", messages[-1].get("content")))
        said = span.attributes.get("output.value")
        if kind_of(span) in ("agent", "model") and isinstance(said, str):
            return said
    return ""


def _withheld(spans: Sequence[Span]) -> bool:
    last = next((span for span in reversed(spans) if "gen_ai.response.finish_reasons" in span.attributes), None)
    reasons = opened(last.attributes["gen_ai.response.finish_reasons"]) if last is not None else ()
    return "content_filter" in (reasons if isinstance(reasons, list) else [reasons])


def _tokens(spans: Sequence[Span]) -> int | None:
    """Those of the outermost agents; where these do not say, those of the outermost model calls that do. Unknown where
    a model call that did not fail says nothing, and nothing around or inside it does."""
    by_id = {span.id: span for span in spans}
    for kind in ("agent", "model"):
        told = {span.id for span in spans if kind_of(span) == kind and used(span) is not None}
        outer = [span for span in spans if span.id in told and not _inside(span, told, by_id)]
        if not outer:
            continue
        around = {one.id for span in outer for one in ancestors(span, by_id)}
        silent = [
            span
            for span in spans
            if kind == kind_of(span) == "model" and span.id not in told | around and not span.error
        ]
        known = [used(span) for span in outer]
        return None if any(not _inside(span, told, by_id) for span in silent) else total(known)
    return None


def _inside(span: Span, others: Collection[str], by_id: Mapping[str, Span]) -> bool:
    return any(one.id in others for one in ancestors(span, by_id))
