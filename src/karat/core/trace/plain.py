"""The plain form: ``trace`` with one object per call, and beside it ``sources``, ``tables``, ``datasets``, ``metrics``,
``tokens`` and ``kind``."""

from __future__ import annotations

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call, Trace, distinct
from karat.core.trace.values import arguments, fault, links, mapping, opened, seconds, sources, usage

KINDS = {
    "data": "data",
    "answer": "data",
    "refusal": "refusal",
    "out_of_scope": "refusal",
    "no_data": "refusal",
    "invalid_period": "refusal",
    "clarification": "clarification",
}
"""Words of a field → what the answer is."""


def is_plain_calls(value: Json) -> bool:
    """Whether a list is one of calls in the plain form; an empty list is one without calls."""
    return isinstance(value, list) and all(isinstance(mapping(one).get("tool"), str) for one in value)


def plain_calls(value: Json) -> tuple[Call, ...]:
    """The calls of a list in the plain form."""
    return tuple(
        Call(
            str(one["tool"]),
            arguments(one.get("arguments")),
            opened(one.get("result")),
            seconds(one.get("seconds")),
            fault(one.get("error")),
        )
        for one in map(mapping, value)
    )


def plain(body: JsonMapping) -> Trace:
    """What the keys of an object say."""
    calls = opened(body.get("trace"))
    known = isinstance(calls, list) and is_plain_calls(calls)
    return Trace(
        form="plain" if known else "",
        calls=plain_calls(calls) if known else None,
        sources=distinct(
            *(one for key in ("sources", "citations") for one in sources(body.get(key))),
            *(
                one
                for key in ("answer", "text", "content")
                if isinstance(body.get(key), str)
                for one in links(body[key])
            ),
        ),
        tables=_names(body.get("tables")),
        datasets=_names(body.get("datasets")),
        metrics=_names(body.get("metrics")),
        tokens=usage(body.get("tokens")) if body.get("tokens") is not None else usage(body.get("usage")),
        kind=_kind(body),
    )


def _names(value: Json) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    return tuple(value)


def _kind(body: JsonMapping) -> str:
    said = body.get("kind", body.get("outcome"))
    if isinstance(said, str) and said in KINDS:
        return KINDS[said]
    if isinstance(body.get("refusal"), str) and body["refusal"].strip():
        return "refusal"
    flag = body.get("is_out_of_scope")
    return "refusal" if flag is True else "not_refusal" if flag is False else ""
