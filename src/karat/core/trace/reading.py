"""The trace of an answer, from the response itself or from a file beside it.

The form is recognised by its keys. An object may hold a form under ``trace``, and the answer under ``response``; what
one of them does not say, another may. Text that is no JSON holds addresses at most.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from karat.core.files import json
from karat.core.json_types import Json, JsonMapping
from karat.core.records import attempts
from karat.core.replies.message_events import streamed_messages
from karat.core.replies.recorded_stream import EVENT_FIELDS, merged, merged_list
from karat.core.replies.stream import Events
from karat.core.suite import Unreadable
from karat.core.trace.chat import completion, conversation, is_conversation
from karat.core.trace.chat import steps as chat_steps
from karat.core.trace.event_streams import messages_of_steps, without_chunks
from karat.core.trace.langsmith import is_run, langsmith
from karat.core.trace.mcp import is_rpc, mcp
from karat.core.trace.plain import is_plain_calls, plain, plain_calls, said_in_steps
from karat.core.trace.records import Call, Trace, distinct, joined, one_after_another
from karat.core.trace.responses_api import is_items, is_response, items, response
from karat.core.trace.responses_api import steps as response_steps
from karat.core.trace.spans.exports import exported
from karat.core.trace.spans.otlp import otlp
from karat.core.trace.values import links, mapping, mappings, opened, words

DEEPEST = 6
"""How often one form may be wrapped in another."""
_CALLS = re.compile(r"tool|function|(?:^|_)calls?$|^spans$|intermediate", re.IGNORECASE)
_OFFERED = re.compile(r"^(?:\w+_)?(?:tools|functions)$|tool_?(?:choice|config|definitions?|schemas?)$", re.IGNORECASE)
"""Names of lists that may hold calls, and of what a model may call."""
EMPTY = (b"", b"null", b"[]", b"{}", b'""')
"""Files that hold no trace."""


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
            any(one.unread for one in tries),
        )
    if beside:
        found = joined(_there(_of_bytes(beside), beside.strip() not in EMPTY), found)
    if any(not call.tool.strip() for call in found.calls or ()):  # nobody can say that it was another tool
        return msgspec.structs.replace(found, calls=None, unread=True)
    return found


def _there(found: Trace, given: bool) -> Trace:
    """The reading of something that should be a trace. Where it does not say which tools were called, it cannot be
    read: not the same as no trace."""
    return msgspec.structs.replace(found, unread=True) if given and found.calls is None else found


def _of_bytes(body: bytes) -> Trace:
    return _of_text(body.decode("utf-8-sig", errors="replace"), DEEPEST)


def _of_text(text: str, depth: int) -> Trace:
    value = opened(text)
    text = value if isinstance(value, str) else text  # a text that was kept as a JSON string
    try:
        stream = merged(text)
    except Unreadable:
        stream = None
    if stream is not None:
        return _of_value(stream.body, depth)
    if isinstance(value, str):
        lines = _lines(text)
        return _of_value(lines, depth) if lines else Trace(sources=distinct(*links(text)))
    return _of_value(value, depth)


def _lines(text: str) -> list[Json]:
    """The values of a file with one JSON value per line, or of a stream of events; none where it is not such a file."""
    start = text.lstrip()
    try:
        if start.startswith(EVENT_FIELDS):
            events = Events()
            data = [*events.feed(start.encode()), *events.end()]
            return [json.decode(one) for one in data if one.strip() != b"[DONE]"]
        return [json.decode(line.encode()) for line in text.splitlines() if line.strip()] if start[:1] in "{[" else []
    except (json.BadJson, UnicodeEncodeError):
        return []


def _of_value(value: Json, depth: int) -> Trace:
    if isinstance(value, list):
        return _of_list(value, depth)
    if depth <= 0:
        return Trace()
    if isinstance(value, str):
        return _of_text(value, depth - 1)
    if not isinstance(value, Mapping):
        return Trace()
    found = plain(value)
    if (form := _form(value)) is not None:
        found = joined(found, form)
    if found.calls == () and any(_may_hold_calls(key, one) for key, one in value.items()):
        found = msgspec.structs.replace(found, calls=None, unread=True)
    for key in ("trace", "response"):
        inner = opened(value.get(key))
        if isinstance(inner, Mapping | list | str) and not (key == "trace" and found.form == "plain"):
            read = _of_value(inner, depth - 1)
            found = joined(_there(read, bool(inner)), found) if key == "trace" else joined(found, read)
    return found


def _may_hold_calls(key: str, value: Json) -> bool:
    """Whether what is beside a reading without calls may be calls, such as ``tool_results``."""
    return bool(value) and isinstance(value, list | dict) and bool(_CALLS.search(key)) and not _OFFERED.search(key)


def _of_list(given: list[Json], depth: int) -> Trace:
    if (spans := exported(given)) is not None:
        return otlp(spans)
    if is_run(given):
        return langsmith(given)
    if is_rpc(given):
        return mcp(given)
    if (streamed := streamed_messages(given)) is not None:
        return one_after_another([found for one in mappings(streamed) if (found := completion(one)) is not None])
    value = without_chunks(messages_of_steps(given) or given)
    if is_conversation(value):
        return conversation(value, {})
    if is_items(value):
        return items(value)
    if value and is_plain_calls(value):
        return Trace(form="plain", calls=plain_calls(value))
    try:
        stream = merged_list(value)
    except Unreadable:
        stream = None
    if stream is None or depth <= 0:
        steps = mappings(value)
        return (steps and len(steps) == len(value) and (chat_steps(steps) or response_steps(steps))) or Trace()
    return _of_value(stream.body, depth - 1)


def _form(body: JsonMapping) -> Trace | None:
    if (spans := exported(body)) is not None:
        return otlp(spans, words(body.get("answer")))
    if is_run(body):
        return langsmith(body)
    if is_response(body):
        return response(body)
    for key in ("messages", "contents"):
        if is_conversation(body.get(key)) and not {"choices", "candidates"} & set(body):
            return conversation(body[key], body)
        if is_items(body.get(key)):
            return items(body[key])
    if said := said_in_steps(body):
        return conversation(said, body)
    if isinstance(body.get("inner_messages"), list) and mapping(body.get("chat_message")):  # an agent of AutoGen
        return conversation([*body["inner_messages"], body["chat_message"]], {})
    return completion(body)
