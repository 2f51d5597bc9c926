"""The two ends of a conversation: what is asked of a system, and the assistant message its answer stands for."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.core.replies import read_reply
from karat.core.replies.recorded_stream import merged
from karat.core.replies.response_forms import RESPONSES_API
from karat.core.suite import Unreadable
from karat.core.system import Request
from karat.systems.json_path import PathNotFound, part_at

MESSAGE_KEYS = ("role", "content", "name", "tool_calls", "function_call", "refusal", "custom_content")
"""What goes back into a history. Endpoints refuse other keys of their own answers, such as ``reasoning_content``."""


def question_of(messages: Sequence[JsonObject]) -> str:
    """The last thing the user said."""
    for message in reversed(messages):
        if message.get("role") == "user":
            return str(message.get("content") or "")
    return ""


def request_fields(request: Request) -> JsonObject:
    """A request as a command reads it on its standard input and a function gets it as its argument."""
    return {
        "id": request.case_id,
        "turn": request.turn,
        "repeat": request.repeat,
        "messages": list(request.messages),
        "question": question_of(request.messages),
        **({"again": request.again} if request.again else {}),
        **request.beside,
    }


def assistant_message(body: bytes, reply_path: str = "") -> JsonObject:
    """The assistant message that an answer stands for.

    The part at ``reply_path`` when there is one; the message of a chat completion, streamed or not; an answer that is a
    message itself; the words of a response of the Responses API; otherwise the answer as it is, as text.
    """
    if reply_path:
        try:
            return {"role": "assistant", "content": text_of(part_at(body, reply_path))}
        except PathNotFound:
            return {"role": "assistant", "content": text_of(body)}
    return chat_message(body) or {"role": "assistant", "content": _words(body) or text_of(body)}


def chat_message(body: bytes) -> JsonObject | None:
    """The assistant message in a chat completion or in a bare message; None when the body is neither."""
    try:
        stream = merged(body.decode("utf-8", errors="replace"))
        value = msgspec.json.decode(body) if stream is None else stream.body
        message = value["choices"][0]["message"] if "choices" in value else value
        if not ("choices" in value or message.get("role") == "assistant"):
            return None
        kept = {key: message[key] for key in MESSAGE_KEYS if message.get(key) is not None}
    except (msgspec.DecodeError, UnicodeError, RecursionError, LookupError, TypeError, AttributeError, Unreadable):
        return None
    return {"role": "assistant", "content": None} | kept


def _words(body: bytes) -> str:
    """What the assistant says in a response of the Responses API, in words or as arguments of a tool; empty for other
    forms."""
    try:
        reply = read_reply(body)
    except Unreadable:
        return ""
    if reply.form != RESPONSES_API:
        return ""
    return reply.text or "\n".join(text_of(msgspec.json.encode(call.arguments)) for call in reply.calls)


def text_of(body: bytes) -> str:
    """A JSON text as the text it holds; anything else as it is written."""
    try:
        value = msgspec.json.decode(body, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body.decode("utf-8", errors="replace")
    return value
