"""The trace of an answer, from the response itself or from a file beside it.

The form is recognised by its keys. An object may hold a form under ``trace``, and the answer under ``response``; what
one of them does not say, another may. Text that is no JSON holds addresses at most.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.core.files import json
from karat.core.json_types import Json, JsonMapping
from karat.core.records import attempts
from karat.core.replies.recorded_stream import merged, merged_list
from karat.core.suite import Unreadable
from karat.core.trace.chat import completion, conversation, is_conversation
from karat.core.trace.langsmith import is_run, langsmith
from karat.core.trace.mcp import is_rpc, mcp
from karat.core.trace.otlp import otlp
from karat.core.trace.plain import is_plain_calls, plain, plain_calls
from karat.core.trace.records import Call, Trace, distinct, joined
from karat.core.trace.responses_api import is_items, is_response, items, response
from karat.core.trace.spans import has_spans
from karat.core.trace.values import links, mapping, opened

DEEPEST = 6
"""How often one form may be wrapped in another."""


def read_trace(body: bytes, beside: bytes = b"") -> Trace:
    """What a response, and the trace beside it, say of the way to the answer. All its attempts count: their calls were
    made, and the last one's sources are those of the answer."""
    tries = [_of_bytes(one) for one in attempts(body)]
    found = tries[-1]
    if len(tries) > 1:
        calls: list[Call] | None = []
        for one in tries:
            calls = None if calls is None or one.calls is None else [*calls, *one.calls]
        found = Trace(
            found.form,
            None if calls is None else tuple(calls),
            found.sources,
            found.tables,
            found.datasets,
            found.metrics,
            None,
            found.kind,
        )
    return _unreadable(joined(_of_bytes(beside), found), beside, True) if beside else _unreadable(found, body, False)


def _unreadable(found: Trace, given: bytes, beside: bool) -> Trace:
    """Says that there is a trace and that it cannot be read, where that is so: not the same as none."""
    if found.calls is not None:
        return found
    value = opened(given.decode("utf-8-sig", errors="replace"))
    there = (
        mapping(value).get("trace") if isinstance(value, Mapping) and "trace" in value else value if beside else None
    )
    unread = found.unread or there not in (None, "", [], {})
    return msgspec.structs.replace(found, unread=unread)


def _of_bytes(body: bytes) -> Trace:
    text = body.decode("utf-8-sig", errors="replace")
    try:
        stream = merged(text)
    except Unreadable:
        stream = None
    if stream is not None:
        return _of_value(stream.body, DEEPEST)
    value = opened(text)
    if isinstance(value, str):
        lines = _lines(text)
        return _of_value(lines, DEEPEST) if lines else Trace(sources=distinct(*links(text)))
    return _of_value(value, DEEPEST)


def _lines(text: str) -> list[Json]:
    """The values of a file with one JSON value per line; none where it is no such file."""
    if text.lstrip()[:1] != "{":
        return []
    try:
        return [json.decode(line.encode()) for line in text.splitlines() if line.strip()]
    except (json.BadJson, UnicodeEncodeError):
        return []


def _of_value(value: Json, depth: int) -> Trace:
    if isinstance(value, list):
        return _of_list(value, depth)
    if not isinstance(value, Mapping) or depth <= 0:
        return Trace(sources=distinct(*links(value))) if isinstance(value, str) else Trace()
    found = plain(value)
    if (form := _form(value)) is not None:
        found = joined(found, form)
    for key in ("trace", "response"):
        inner = opened(value.get(key))
        if isinstance(inner, Mapping | list | str) and not (key == "trace" and found.form == "plain"):
            found = joined(found, _of_value(inner, depth - 1))
    return found


def _of_list(value: list[Json], depth: int) -> Trace:
    if has_spans(value):
        return otlp(value)
    if is_run(value):
        return langsmith(value)
    if is_conversation(value):
        return conversation(value, {})
    if is_items(value):
        return items(value)
    if is_rpc(value):
        return mcp(value)
    if value and is_plain_calls(value):
        return Trace(form="plain", calls=plain_calls(value))
    try:
        stream = merged_list(value)
    except Unreadable:
        stream = None
    return Trace() if stream is None or depth <= 0 else _of_value(stream.body, depth - 1)


def _form(body: JsonMapping) -> Trace | None:
    if has_spans(body):
        return otlp(body)
    if is_run(body):
        return langsmith(body)
    if is_response(body):
        return response(body)
    for key in ("messages", "contents"):
        if is_conversation(body.get(key)) and not {"choices", "candidates"} & set(body):
            return conversation(body[key], body)
        if is_items(body.get(key)):
            return items(body[key])
    if isinstance(body.get("spans"), list) and has_spans(body["spans"]):
        return otlp(body["spans"])
    return completion(body)
