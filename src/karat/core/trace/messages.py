"""Messages of other frameworks in one shape: that of OpenAI and Anthropic, which ``tool_messages`` reads.

Read are messages of LangChain (as objects, dumped or serialised), LlamaIndex, AutoGen, Gemini, Bedrock's Converse, the
Vercel AI SDK (model and user-interface messages) and pydantic-ai; their parts are in ``message_parts``. A message that
calls something in a form that is none of these is marked ``OPAQUE``: nobody can say that nothing was called.
"""

from __future__ import annotations

import re

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.message_parts import is_opaque, parts
from karat.core.trace.roles import ROLE_NAMES, ROLES, unwrapped
from karat.core.trace.values import mapping, mappings, words
from karat.core.trace.written_calls import has_written_call

OPAQUE = "karat.opaque"
"""The key that marks a message with a part that may be a call and cannot be read."""
_CALLS = ("tool_calls", "function_call")
_ENDED = ("finish_reason", "stop_reason", "stopReason", "finishReason")
_TO_CALL = re.compile(r"^(?:tool|function)[-_ ]?(?:calls?|use)$", re.IGNORECASE)
_HARMLESS = re.compile(r"^(?:tool_calls?|function_call|tool_call_id|tool_choice|tools|functions|tool_call_chunks)$")
_READ = ("invalid_tool_calls", "toolInvocations", "tool_responses")
_LOOKS = re.compile(r"tool|function|(?:^|_)call", re.IGNORECASE)


def message(value: Json) -> JsonObject | None:
    """A message with a role that is known and parts that can be read; None where the value is no message."""
    given = unwrapped(mapping(value))
    kind = given.get("role", given.get("type"))
    said = str(kind).lower() if isinstance(kind, str) else ""
    role = ROLE_NAMES.get(said, said)
    if role not in ROLES and given.get("kind") in ("request", "response") and isinstance(given.get("parts"), list):
        role = "assistant" if given["kind"] == "response" else _asked(given)
    if role not in ROLES:
        return None
    found: JsonObject = {**given, "role": role}
    lists = ("content", "parts", "blocks", "toolInvocations")
    inner = [part for name in lists for part in mappings(given.get(name))]
    if inner:
        texts = [one for one in _plain(given.get("content")) if isinstance(one, str)]
        found["content"] = [*texts, *(part for one in inner for part in parts(one))]
    beside = mapping(given.get("additional_kwargs"))  # where LangChain once kept calls, and LlamaIndex does
    for name in (*_CALLS, "tool_call_id"):
        if beside.get(name) and not given.get(name) and not (name == _CALLS[1] and found.get(_CALLS[0])):
            found[name] = beside[name]
    failed = [{**one, "error": one.get("error") or "the call"} for one in mappings(given.get("invalid_tool_calls"))]
    if failed:  # an attempt all the same
        found["tool_calls"] = [*mappings(found.get("tool_calls")), *failed]
    if role == "assistant" and _opaque(found):
        found[OPAQUE] = True
    return found


def messages(value: Json) -> list[JsonObject]:
    """The messages of a list; none where one of them is no message."""
    if not isinstance(value, list):
        return []
    found = [one for one in map(message, value) if one is not None]
    return found if len(found) == len(value) else []


def calls_in_parts(given: JsonMapping) -> list[JsonMapping]:
    """The parts of a message that are calls."""
    return [part for part in mappings(given.get("content")) if part.get("type") in ("tool_use", "tool_call")]


def ends_in_calls(*around: JsonMapping) -> bool:
    """Whether one of these says that a model stopped in order to call a tool."""
    return any(_TO_CALL.match(str(one.get(name) or "")) for one in around for name in _ENDED)


def _asked(given: JsonMapping) -> str:
    """The role of a request of pydantic-ai: the user's where it asks something, else that of tools' results."""
    kinds = {str(part.get("part_kind")) for part in mappings(given.get("parts"))}
    return "user" if "user-prompt" in kinds or not kinds & {"tool-return", "retry-prompt"} else "tool"


def _plain(content: Json) -> list[Json]:
    return content if isinstance(content, list) else [content]


def _opaque(given: JsonMapping) -> bool:
    if any(is_opaque(part) for part in mappings(given.get("content"))):
        return True
    read = calls_in_parts(given) or any(given.get(name) for name in _CALLS)
    if not read and (
        ends_in_calls(given, mapping(given.get("response_metadata"))) or has_written_call(words(given.get("content")))
    ):
        return True
    return any(
        bool(value) and isinstance(value, list | dict) and _LOOKS.search(key) and not _HARMLESS.match(key)
        for key, value in given.items()
        if key not in _READ
    )
