"""Messages of other frameworks in one shape: that of OpenAI and Anthropic, which ``tool_messages`` reads.

Read are messages of LangChain (as objects, dumped or serialised), Gemini, Bedrock's Converse, the Vercel AI SDK (model
and user-interface messages) and pydantic-ai, and the parts of Anthropic's own and MCP tools. A part that looks like a
call and is none of these makes the message ``OPAQUE``: nobody can say that nothing was called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.values import mapping, mappings

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
OPAQUE = "karat.opaque"
"""The key that marks a message with a part that may be a call and cannot be read."""
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "humanmessage": "user",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "humanmessagechunk": "user",
    "toolmessage": "tool",
    "systemmessage": "system",
    "functionmessage": "function",
}
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "function_call", "dynamic-tool")
_KNOWN = ("tool_use", "tool_call", "tool_result")
_IDS = ("id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "call_id")
_NAMES = ("name", "tool_name", "toolName")
_INPUTS = ("input", "args", "arguments", "rawInput")
_OUTPUTS = ("content", "output", "result", "response", "errorText")
_HARMLESS = re.compile(r"^(?:tool_calls?|function_call|tool_call_id|tool_choice|tools|functions|tool_call_chunks)$")
_LOOKS = re.compile(r"tool|function|(?:^|_)call", re.IGNORECASE)


def message(value: Json) -> JsonObject | None:
    """A message with a role that is known and parts that can be read; None where the value is no message."""
    given = _unwrapped(mapping(value))
    kind = given.get("role", given.get("type"))
    said = str(kind).lower() if isinstance(kind, str) else ""
    role = _ROLES.get(said, said)
    if role not in ROLES and given.get("kind") in ("request", "response") and isinstance(given.get("parts"), list):
        role = "assistant" if given["kind"] == "response" else _asked(given)
    if role not in ROLES:
        return None
    found: JsonObject = {**given, "role": role}
    parts = [*mappings(given.get("content")), *mappings(given.get("parts")), *mappings(given.get("toolInvocations"))]
    if parts:
        texts = [one for one in _plain(given.get("content")) if isinstance(one, str)]
        found["content"] = [*texts, *(part for one in parts for part in _parts(one))]
    failed = [{**one, "error": one.get("error") or "the call"} for one in mappings(given.get("invalid_tool_calls"))]
    if failed:  # an attempt all the same
        found["tool_calls"] = [*mappings(given.get("tool_calls")), *failed]
    if role == "assistant" and _opaque(found):
        found[OPAQUE] = True
    return found


def messages(value: Json) -> list[JsonObject]:
    """The messages of a list; none where one of them is no message."""
    if not isinstance(value, list):
        return []
    found = [one for one in map(message, value) if one is not None]
    return found if len(found) == len(value) else []


def _unwrapped(value: JsonMapping) -> JsonMapping:
    """A message as LangChain serialises it: its fields under ``kwargs`` or ``data``, its class in ``id`` or
    ``type``."""
    if "lc" in value and mapping(value.get("kwargs")):
        names = value.get("id")
        name = str(names[-1]) if isinstance(names, list) and names else ""
        return {**mapping(value["kwargs"]), "type": name}
    if isinstance(value.get("type"), str) and mapping(value.get("data")) and "content" in mapping(value["data"]):
        return {**mapping(value["data"]), "type": value["type"]}
    return value


def _asked(given: JsonMapping) -> str:
    """The role of a request of pydantic-ai: the user's where it asks something, else that of tools' results."""
    kinds = {str(part.get("part_kind")) for part in mappings(given.get("parts"))}
    return "user" if "user-prompt" in kinds or not kinds & {"tool-return", "retry-prompt"} else "tool"


def _plain(content: Json) -> list[Json]:
    return content if isinstance(content, list) else [content]


def _parts(part: JsonMapping) -> Iterator[JsonObject]:
    """One part, as a ``tool_use`` or ``tool_result`` where it is one; a part with call and result is both."""
    inner = mapping(part.get("toolInvocation")) or part
    for key in ("functionCall", "function_call", "toolUse"):
        if mapping(part.get(key)):
            inner = {**mapping(part[key]), "type": "tool_use"}
    for key in ("functionResponse", "function_response", "toolResult"):
        if mapping(part.get(key)):
            inner = {**mapping(part[key]), "type": "tool_result"}
    kind = str(inner.get("type") or inner.get("part_kind") or "")
    named = next((str(inner[key]) for key in _NAMES if inner.get(key)), "")
    if kind.startswith("tool-") and kind not in ("tool-call", "tool-result", "tool-return", "tool-error"):
        named, kind = named or kind.removeprefix("tool-"), "dynamic-tool"
    elif not kind and named and ("toolCallId" in inner or "args" in inner):
        kind = "dynamic-tool"
    mark = next((inner[key] for key in _IDS if inner.get(key) is not None), None)
    if kind in _CALLS:
        given = next((inner[key] for key in _INPUTS if inner.get(key) is not None), None)
        mark = mark if mark is not None else f"{named}:{given}"
        yield {"type": "tool_use", "id": mark, "name": named, "input": given}
    if kind in ("tool-result", "tool-return", "tool-error", "retry-prompt") or kind.endswith("tool_result"):
        yield _result(inner, mark, kind in ("tool-error", "retry-prompt"))
    elif kind == "dynamic-tool" and any(inner.get(key) is not None for key in ("output", "result", "errorText")):
        yield _result(inner, mark, inner.get("state") == "output-error")
    elif kind not in _CALLS:
        yield dict(part)


def _result(part: JsonMapping, mark: Json, failed: bool) -> JsonObject:
    said = next((part[key] for key in _OUTPUTS if part.get(key) is not None), None)
    error = failed or part.get("is_error") or part.get("isError") or str(part.get("status")).lower() == "error"
    error = error or bool(str(mapping(said).get("type") or "").endswith("_error"))
    return {"type": "tool_result", "tool_use_id": mark, "content": _text(said), "is_error": bool(error)}


def _text(value: Json) -> Json:
    """What a result says, as text that may be JSON; a list of texts as it is."""
    if isinstance(value, list) and all(isinstance(mapping(one).get("text"), str) for one in value):
        return value
    if value is None or isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return str(value)


def _opaque(given: JsonMapping) -> bool:
    for part in mappings(given.get("content")):
        kind = str(part.get("type") or part.get("part_kind") or "")
        if kind not in _KNOWN and (_LOOKS.search(kind) or any(_LOOKS.search(str(key)) for key in part)):
            return True
    return any(
        bool(value) and isinstance(value, list | dict) and _LOOKS.search(key) and not _HARMLESS.match(key)
        for key, value in given.items()
        if key not in ("invalid_tool_calls", "toolInvocations")
    )
