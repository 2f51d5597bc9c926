"""A stream recorded as it came, put together again: server-sent events, JSON lines or a JSON list of chunks.

Chat completion chunks are merged by :mod:`karat.core.replies.stream`; the Responses API sends its whole response in the
event that ends the stream. Streams of other vendors are put together in :mod:`karat.core.replies.other_streams`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.replies.json_texts import refuse_two_values
from karat.core.replies.other_streams import whole_message
from karat.core.replies.stream import RESPONSE_ENDS, Completion, Events

EVENT_FIELDS = ("data:", "event:", "id:", "retry:", ":")
"""How the first line of a stream of server-sent events begins."""


class Merged(msgspec.Struct, frozen=True):
    """The body that the endpoint would have sent without streaming; ``finished``: whether the stream says that it is
    whole."""

    body: JsonMapping
    finished: bool


def merged(text: str) -> Merged | None:
    """The body of a recorded stream; None where the text is not one."""
    chunks, done = _chunks(text)
    return _from_chunks(chunks, done=done)


def merged_of_others(given: str | list[Json]) -> Merged | None:
    """The same for streams of other vendors, as text or as a list of chunks."""
    chunks, done = _chunks(given) if isinstance(given, str) else (given, False)
    objects = [chunk for chunk in chunks or () if isinstance(chunk, Mapping)]
    if not objects or len(objects) != len(chunks or ()):
        return None
    found = whole_message(objects)
    return None if found is None else Merged(found[0], finished=done or found[1])


def is_stream(text: str) -> bool:
    """Whether a text is nothing but server-sent events, whatever is in them: objects, or several pieces of text."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not all(line.startswith(EVENT_FIELDS) for line in lines):
        return False
    data = _events(text)
    return len(data) > 1 or bool(_decoded(data))


def _chunks(text: str) -> tuple[list[Json] | None, bool]:
    """The chunks of a recorded stream, and whether it says that it is done; None where a text is not one."""
    start = text.lstrip()
    if start.startswith(EVENT_FIELDS):
        data = _events(start)
        done = any(event.strip() == b"[DONE]" for event in data)
        return _decoded(event for event in data if event.strip() != b"[DONE]"), done
    if start.startswith("{") and "\n" in start.strip():
        return _decoded(line.encode(errors="replace") for line in start.splitlines() if line.strip()), False
    return None, False


def _events(text: str) -> list[bytes]:
    events = Events()
    return [*events.feed(text.lstrip().encode(errors="replace")), *events.end()]


def merged_list(chunks: list[Json]) -> Merged | None:
    """The body of a stream that was recorded as a JSON list of its chunks; None where the list is not one."""
    return _from_chunks(chunks)


def _decoded(items: Iterable[bytes]) -> list[Json] | None:
    try:
        texts = list(items)
        values = [msgspec.json.decode(text) for text in texts]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    for text, value in zip(texts, values, strict=True):
        refuse_two_values(text, value)
    return values


def _from_chunks(chunks: list[Json] | None, *, done: bool = False) -> Merged | None:
    if not chunks or not all(isinstance(chunk, Mapping) for chunk in chunks):
        return None
    if all(str(chunk.get("type", "")).startswith("response.") for chunk in chunks):
        return _from_response_events(chunks)
    if not any(_is_chunk(chunk) for chunk in chunks):
        return None
    failed = next((chunk for chunk in chunks if chunk.get("error")), None)
    if failed is not None:
        return Merged(failed, finished=True)
    completion = Completion()
    try:
        for chunk in chunks:
            completion.add(chunk)
        body = msgspec.json.decode(completion.body())
    except (AttributeError, TypeError, ValueError, LookupError, RecursionError):
        return None
    return Merged(body, finished=done or completion.finished)


def _is_chunk(chunk: JsonMapping) -> bool:
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return False
    return chunk.get("object") == "chat.completion.chunk" or any(
        isinstance(choice, Mapping) and "delta" in choice for choice in choices
    )


def _from_response_events(events: list[Json]) -> Merged:
    """The response that the last event carries; before the end, the items that are done and the text so far."""
    last: JsonMapping = next((event for event in reversed(events) if isinstance(event.get("response"), Mapping)), {})
    if last.get("type") in RESPONSE_ENDS:
        return Merged(last["response"], finished=True)
    items = [event["item"] for event in events if event["type"] == "response.output_item.done" and "item" in event]
    done = {item.get("id") or item.get("call_id") for item in items if isinstance(item, Mapping)}
    for event in events:  # a call that the stream ended in was begun all the same
        begun = event.get("item") if event["type"] == "response.output_item.added" else None
        if isinstance(begun, Mapping) and str(begun.get("type", "")).endswith("_call"):
            items += [] if (begun.get("id") or begun.get("call_id")) in done else [begun]
    if not items:
        text = "".join(str(e.get("delta", "")) for e in events if e["type"] == "response.output_text.delta")
        items = [{"type": "message", "content": [{"type": "output_text", "text": text}]}]
    return Merged({"object": "response", "output": items}, finished=False)
