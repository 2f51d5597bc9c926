"""Who says a message, as each framework calls it, and the message without what the framework puts around it.

Replies and traces both need this, and traces need replies: nothing here imports either.
"""

from __future__ import annotations

import re

from karat.core.json_types import JsonMapping
from karat.core.trace.values import mapping, mappings

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
ROLE_NAMES = {
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
"""Roles, and classes of messages, as frameworks call them."""
_REQUEST, _EXECUTION = "ToolCallRequestEvent", "ToolCallExecutionEvent"
_AUTOGEN = re.compile(r"^[A-Z]\w*(?:Message|Event)$")


def unwrapped(value: JsonMapping) -> JsonMapping:
    """A message without what is around it: as LangChain serialises one (its fields under ``kwargs`` or ``data``, its
    class in ``id`` or ``type``), in an entry of a log, or as an event of AutoGen."""
    if "lc" in value and mapping(value.get("kwargs")):
        names = value.get("id")
        name = str(names[-1]) if isinstance(names, list) and names else ""
        return {**mapping(value["kwargs"]), "type": name}
    if isinstance(value.get("type"), str) and mapping(value.get("data")) and "content" in mapping(value["data"]):
        return {**mapping(value["data"]), "type": value["type"]}
    for name in ("message", "content"):  # an event of Google's ADK has it under its content
        if "role" not in value and isinstance(mapping(value.get(name)).get("role"), str):
            return mapping(value[name])
    kind = value.get("type")
    if isinstance(value.get("source"), str) and isinstance(kind, str) and _AUTOGEN.match(kind) and "content" in value:
        return _autogen(value, kind)
    return value


def _autogen(event: JsonMapping, kind: str) -> JsonMapping:
    if kind == _REQUEST:
        return {"role": "assistant", "tool_calls": event["content"]}
    if kind == _EXECUTION:
        return {"role": "tool", "content": [{"type": "tool_result", **one} for one in mappings(event["content"])]}
    return {"role": "user" if event["source"] == "user" else "assistant", "content": event["content"]}
