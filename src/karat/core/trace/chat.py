"""Chat completions and conversations: tool calls of messages, their results, and what the last message cites.

A conversation (``messages``) says which tools were called, if only that none was. A completion says so only where its
message calls some: the message at the end of an assistant's own loop looks the same whether tools were called before it
or not. An empty ``tool_calls`` is therefore no trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.dial import dial_calls, dial_sources
from karat.core.trace.messages import OPAQUE, messages
from karat.core.trace.messages import message as as_message
from karat.core.trace.records import Source, Trace, distinct
from karat.core.trace.tool_messages import message_calls
from karat.core.trace.values import links, mapping, mappings, source, sources, usage, words

CHAT = "OpenAI chat"
WITHHELD = ("content_filter", "safety")


def is_conversation(value: Json) -> bool:
    """Whether a list is one of messages."""
    return bool(messages(value))


def completion(body: JsonMapping) -> Trace | None:
    """A completion, or a bare assistant message; None where the object is none."""
    choice = next(iter(mappings(body.get("choices"))), None)
    if choice is None:
        around, message = _alone(body)
        if not {"content", "parts", "tool_calls", "function_call", "refusal", "custom_content"} & set(message):
            return None
    else:
        around, message = choice, mapping(choice.get("message")) or mapping(choice.get("delta"))
    message = as_message({"role": "assistant", **message}) or message
    before: Json = body.get("messages")
    calls = list(message_calls([message]))
    inner = dial_calls(mapping(message.get("custom_content")))
    if isinstance(before, list) and is_conversation(before) and not calls and inner is None:
        inner = conversation(before, {}).calls
    known = inner if inner is not None and not calls else tuple(calls) or None
    known = None if OPAQUE in message else known
    custom = mapping(message.get("custom_content"))
    ended = str(around.get("finish_reason") or around.get("stop_reason") or "").lower()
    refused = bool(str(message.get("refusal") or "").strip()) or ended in WITHHELD or _refusal_part(message)
    return Trace(
        form="DIAL" if custom else CHAT,
        calls=known,
        sources=distinct(*cited([message]), *sources_in(body), *dial_sources(custom)),
        tokens=usage(body.get("usage", body.get("usageMetadata"))),
        kind="refusal" if refused else "",
        unread=OPAQUE in message,
    )


def _alone(body: JsonMapping) -> tuple[JsonMapping, JsonMapping]:
    """(what is around it, the message) of a completion without choices: a bare message, Gemini's first candidate,
    Bedrock's output."""
    candidate = next(iter(mappings(body.get("candidates"))), None)
    if candidate is not None:
        return {"finish_reason": candidate.get("finishReason")}, mapping(candidate.get("content"))
    if mapping(mapping(body.get("output")).get("message")):
        return {"finish_reason": body.get("stopReason")}, mapping(body["output"]["message"])
    return body, body if body.get("role") == "assistant" else mapping(body.get("message"))


def conversation(given: Json, body: JsonMapping) -> Trace:
    """All messages of one answer. Only what came after the user's last message belongs to it."""
    said = messages(given)
    last = max((place for place, one in enumerate(said) if _asks(one)), default=-1)
    answer = said[last + 1 :]
    replies = [one for one in answer if one.get("role") == "assistant"]
    inner = [found for one in replies if (found := dial_calls(mapping(one.get("custom_content")))) is not None]
    calls = tuple(message_calls(answer)) or tuple(call for found in inner for call in found)
    opaque = any(OPAQUE in one for one in answer)
    refused = bool(replies) and (bool(replies[-1].get("refusal")) or _refusal_part(replies[-1]))
    customs = [mapping(one.get("custom_content")) for one in replies]
    return Trace(
        form=CHAT,
        calls=None if opaque else calls,
        sources=distinct(
            *cited(replies[-1:]), *sources_in(body), *(one for custom in customs for one in dial_sources(custom))
        ),
        tokens=usage(body.get("usage", body.get("usageMetadata"))),
        kind="refusal" if refused else "",
        unread=opaque,
    )


def _asks(message: JsonMapping) -> bool:
    """Whether a message is the user's own; results of tools may come under the same role."""
    parts = message.get("content")
    results = (
        isinstance(parts, list) and bool(parts) and all(mapping(one).get("type") == "tool_result" for one in parts)
    )
    return message.get("role") == "user" and not results


def _refusal_part(message: JsonMapping) -> bool:
    return any(part.get("type") == "refusal" or part.get("refusal") for part in mappings(message.get("content")))


def cited(replies: Sequence[JsonMapping]) -> Iterator[Source]:
    """What messages refer to: citations, and the addresses in their words."""
    for message in replies:
        parts = mappings(message.get("content"))
        for one in (*mappings(message.get("annotations")), *(a for p in parts for a in mappings(p.get("annotations")))):
            inner = next((one[key] for key in ("url_citation", "file_citation") if mapping(one.get(key))), one)
            if (found := source(inner)) is not None:
                yield found
        for key in ("citations", "sources"):
            yield from sources(message.get(key))
        yield from links(words(message.get("content")))


def sources_in(body: JsonMapping) -> Iterator[Source]:
    """The lists of sources that some endpoints put beside the choices."""
    for key in ("citations", "sources", "search_results"):
        yield from sources(body.get(key))
