"""A streamed chat completion put together again: server-sent events, and the deltas in them merged into one body.

Texts are joined, objects merged deep, list items that carry an ``index`` merged by it: the rules by which OpenAI
streams tool calls and DIAL its stages, attachments and ``custom_content.state``.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.core.json_types import Json, JsonObject

REPLACED = frozenset({"role", "id", "type", "index", "status", "finish_reason"})
"""Texts that a server may send again whole: the last one counts, they are not joined."""
NUMBERED = frozenset({"tool_calls", "attachments", "stages"})
"""Lists whose items carry an index only while they are streamed."""


RESPONSE_ENDS = ("response.completed", "response.incomplete", "response.failed")
"""Events of the Responses API that carry the whole response."""


class Events:
    """Splits what arrives into the data of server-sent events."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The events that this chunk completes."""
        if b"\n" not in chunk:
            self._rest.append(chunk)
            return
        *lines, rest = b"".join((*self._rest, chunk)).split(b"\n")
        self._rest = [rest]
        for line in lines:
            yield from self._line(line.removesuffix(b"\r"))

    def end(self) -> Iterator[bytes]:
        """The event that the end of the stream completes, if any."""
        yield from self._line(b"".join(self._rest).removesuffix(b"\r"))
        yield from self._line(b"")
        self._rest = []

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            data, self._data = b"\n".join(self._data), []
            yield data


class _Text(list[str]):
    """A text that is still growing. Joined once, at the end: joining at each delta would be quadratic."""


class Completion:
    """A chat completion that grows with every chunk."""

    def __init__(self) -> None:
        self._head: JsonObject = {}
        self._choices: dict[int, JsonObject] = {}
        self._finished: dict[int, str] = {}
        self._response: JsonObject | None = None

    @property
    def whole(self) -> bool:
        """Whether the Responses API has sent its whole response, as it does at the end of a stream."""
        return self._response is not None

    @property
    def finished(self) -> bool:
        """Whether every choice that began has said how it ended."""
        return self.whole or (bool(self._choices) and all(index in self._finished for index in self._choices))

    @property
    def empty(self) -> bool:
        """Whether no choice has begun."""
        return not self._choices and not self.whole

    def add(self, chunk: JsonObject) -> None:
        """Take in one chunk, or one event of the Responses API."""
        if str(chunk.get("type", "")).startswith("response."):
            if chunk["type"] in RESPONSE_ENDS and isinstance(chunk.get("response"), dict):
                self._response = chunk["response"]
            return
        for key, value in chunk.items():
            if key == "choices":
                for choice in value or ():
                    self._add_choice(choice)
            elif isinstance(value, dict) and key != "usage":
                _merge(self._head.setdefault(key, {}), value)
            elif value is not None:
                self._head[key] = value

    def _add_choice(self, choice: JsonObject) -> None:
        index = int(choice.get("index") or 0)
        message = self._choices.setdefault(index, {})
        _merge(message, choice.get("delta") or choice.get("message") or {})
        if choice.get("finish_reason"):
            self._finished[index] = str(choice["finish_reason"])

    def body(self) -> bytes:
        """The completion as the endpoint would have sent it without streaming."""
        if self._response is not None:
            return msgspec.json.encode(self._response)
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": None} | _settled(message),
                "finish_reason": self._finished.get(index),
            }
            for index, message in sorted(self._choices.items())
        ]
        return msgspec.json.encode(_settled(self._head) | {"object": "chat.completion", "choices": choices})


def _merge(into: JsonObject, delta: JsonObject) -> None:
    for key, value in delta.items():
        known = into.get(key)
        if value is None:
            into.setdefault(key, None)
        elif known is None and key == "state":
            into[key] = value  # the application's own data: an "index" in it means what the application says
        elif isinstance(value, dict):
            if not isinstance(known, dict):
                known = into[key] = {}
            _merge(known, value)
        elif isinstance(value, list):
            into[key] = _merged_list(known if isinstance(known, list) else [], value)
        elif isinstance(value, str) and key not in REPLACED:
            _append(into, key, known, value)
        else:
            into[key] = value


def _append(into: JsonObject, key: str, known: object, value: str) -> None:
    if isinstance(known, _Text):
        known.append(value)
    else:
        into[key] = _Text([known, value] if isinstance(known, str) else [value])


def _merged_list(known: list[Json], new: list[Json]) -> list[Json]:
    for item in new:
        index = item.get("index") if isinstance(item, dict) else None
        if not isinstance(index, int):
            known.append(item)
            continue
        same = next(
            (other for other in reversed(known) if isinstance(other, dict) and other.get("index") == index), None
        )
        if same is None or _is_another(same, item):
            same = {}
            known.append(same)
        _merge(same, item)
    return known


def _is_another(known: JsonObject, new: JsonObject) -> bool:
    """Whether a delta begins a call of its own under an index that is taken: some servers give 0 to all. Others give
    every delta a new id; but only the first of a call has a name."""
    mark = new.get("id")
    return bool(mark) and mark != known.get("id") and bool(_named(new)) and bool(_named(known))


def _named(call: JsonObject) -> object:
    function = call.get("function")
    return function.get("name") if isinstance(function, dict) else call.get("name")


def merged_calls(pieces: list[Json]) -> list[Json]:
    """Calls of tools from the pieces in which they were streamed."""
    found: Json = _settled(_merged_list([], pieces), "tool_calls")
    return list(found)


def _settled(value: Json, name: str = "") -> Json:
    """Growing texts joined, streamed lists in the order of their indices and without them."""
    if isinstance(value, _Text):
        return "".join(value)
    if isinstance(value, dict):
        return {key: _joined(item) if key == "state" else _settled(item, key) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    if name not in NUMBERED or not all(isinstance(item, dict) and isinstance(item.get("index"), int) for item in value):
        return [_settled(item) for item in value]
    ordered = sorted(value, key=lambda item: item["index"])
    return [{key: item for key, item in _settled(entry).items() if key != "index"} for entry in ordered]


def _joined(value: Json) -> Json:
    """Growing texts joined, and nothing else changed."""
    if isinstance(value, _Text):
        return "".join(value)
    if isinstance(value, dict):
        return {key: _joined(item) for key, item in value.items()}
    return [_joined(item) for item in value] if isinstance(value, list) else value
