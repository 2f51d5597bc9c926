"""Chat completions and conversations: tool calls of messages, their results, and what the last message cites.

A conversation (``messages``) says which tools were called, if only that none was. A completion says so only where its
message calls some: the message at the end of an assistant's own loop looks the same whether tools were called before it
or not. An empty ``tool_calls`` is therefore no trace.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.dial import dial_calls, dial_sources, dial_unread
from karat.core.trace.messages import OPAQUE, ends_in_calls, messages
from karat.core.trace.messages import message as as_message
from karat.core.trace.records import Call, Source, Trace, distinct, one_after_another
from karat.core.trace.tool_messages import has_unseen_calls, message_calls
from karat.core.trace.values import links, mapping, mappings, source, sources, usage, words
from karat.core.trace.written_calls import has_written_call, is_written_result

CHAT = "OpenAI chat"
WITHHELD = ("content_filter", "safety")
BEFORE = ("messages", "automaticFunctionCallingHistory", "automatic_function_calling_history")
"""Where a completion may have the conversation that led to it."""


_BESIDE = ("custom_content", "reasoning", "reasoning_content", "thinking", "refusal", "audio")
"""What a message may say beside its content."""


def is_conversation(value: Json) -> bool:
    """Whether a list is one of messages."""
    return bool(messages(value))


def completion(body: JsonMapping) -> Trace | None:
    """A completion, or a bare assistant message; None where the object is neither. The conversation before it counts
    where the object has that too."""
    choice = next(iter(mappings(body.get("choices"))), None)
    if choice is None:
        around, message = _alone(body)
        if not {"content", "parts", "tool_calls", "function_call", "refusal", "custom_content"} & set(message):
            return None
    else:
        around, message = choice, mapping(choice.get("message")) or mapping(choice.get("delta"))
    message = as_message({"role": "assistant", **message}) or message
    custom = mapping(message.get("custom_content"))
    before = next((body[key] for key in BEFORE if is_conversation(body.get(key))), None)
    calls: tuple[Call, ...] | None
    if before is not None:
        whole = conversation([*before, message], {})
        calls, opaque = whole.calls, whole.unread
    else:
        calls, opaque = tuple(message_calls([message])) or dial_calls(custom), OPAQUE in message
    opaque = opaque or dial_unread(custom)
    opaque = opaque or (ends_in_calls(around) and not calls)
    ended = str(around.get("finish_reason") or around.get("stop_reason") or "").lower()
    refused = bool(str(message.get("refusal") or "").strip()) or ended in WITHHELD or _refusal_part(message)
    return Trace(
        form="DIAL" if custom else CHAT,
        calls=None if opaque else calls,
        sources=distinct(*cited([message]), *sources_in(body), *dial_sources(custom)),
        tokens=usage(body.get("usage", body.get("usageMetadata"))),
        kind="refusal" if refused else "",
        unread=opaque,
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


def steps(values: Sequence[JsonMapping]) -> Trace | None:
    """Completions one after the other, as a loop logs them; None where they are not. The last one is the answer."""
    found = [completion(one) for one in values]
    if not all(one is not None for one in found) or not all({"choices", "candidates"} & set(one) for one in values):
        return None
    known = [one for one in found if one is not None]
    for place, (one, after) in enumerate(itertools.pairwise(values)):
        if any(one.get(key) is not None and one.get(key) == after.get(key) for key in ("responseId", "response_id")):
            known[place] = msgspec.structs.replace(known[place], tokens=0)  # chunks of one: the last has all
    return one_after_another(known)


def conversation(given: Json, body: JsonMapping) -> Trace:
    """All messages of one answer. Only what came after the user's last message belongs to it; without an answer there,
    or with results of calls that are not there, nothing is known."""
    said = messages(given)
    last = _question(said)
    answer = said[last + 1 :]
    replies = [one for one in answer if one.get("role") == "assistant"]
    inner = [found for one in replies if (found := dial_calls(mapping(one.get("custom_content")))) is not None]
    calls = tuple(message_calls(answer)) or tuple(call for found in inner for call in found)
    customs = [mapping(one.get("custom_content")) for one in replies]
    opaque = any(OPAQUE in one for one in answer) or (has_unseen_calls(answer) and not inner)
    opaque = opaque or any(map(dial_unread, customs)) or any(map(_says_nothing, replies[:-1]))
    opaque = opaque or any(
        after.get("role") == "user" and _is_result_in_words(one, after) and not any(message_calls([one]))
        for one, after in itertools.pairwise(answer)
    )
    refused = bool(replies) and (bool(replies[-1].get("refusal")) or _refusal_part(replies[-1]))
    return Trace(
        form=CHAT,
        calls=None if opaque or not answer else calls,
        sources=distinct(
            *cited(replies[-1:]), *sources_in(body), *(one for custom in customs for one in dial_sources(custom))
        ),
        tokens=usage(body.get("usage", body.get("usageMetadata"))),
        kind="refusal" if refused else "",
        unread=opaque,
    )


def _question(said: Sequence[JsonMapping]) -> int:
    """Where the user's last question is; -1 where there is none. Results of tools may come under the same role, also
    where somebody emptied them or wrote them as text, and so do agents that speak to another one under a name of their
    own."""
    asking = [
        place
        for place, one in enumerate(said)
        if one.get("role") == "user"
        and not _has_result(one)
        and (place == 0 or not (_is_empty(one) or _is_result_in_words(said[place - 1], one)))
    ]
    if not asking:
        return -1
    who = said[asking[0]].get("name")
    return max(place for place in asking if said[place].get("name") == who)


def _is_empty(message: JsonMapping) -> bool:
    return not any(message.get(name) for name in ("content", "parts", "blocks"))


def _is_result_in_words(before: JsonMapping, message: JsonMapping) -> bool:
    """Whether a message of the user's is what came of a call that the message before it makes in its words."""
    if before.get("role") != "assistant":
        return False
    return has_written_call(words(before.get("content"))) or is_written_result(words(message.get("content")))


def _says_nothing(message: JsonMapping) -> bool:
    """Whether a message before the answer has neither words nor thoughts nor calls: somebody left its calls out."""
    return _is_empty(message) and not any(message.get(name) for name in _BESIDE) and not any(message_calls([message]))


def _has_result(message: JsonMapping) -> bool:
    return any(part.get("type") == "tool_result" for part in mappings(message.get("content")))


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
        for part in parts:
            yield from sources(part.get("citations") or [])
        yield from links(words(message.get("content")))


def sources_in(body: JsonMapping) -> Iterator[Source]:
    """The lists of sources that some endpoints put beside the choices."""
    for key in ("citations", "sources", "search_results"):
        yield from sources(body.get(key))
    for candidate in mappings(body.get("candidates")):
        for chunk in mappings(mapping(candidate.get("groundingMetadata")).get("groundingChunks")):
            yield from sources([chunk[key] for key in ("web", "retrievedContext") if mapping(chunk.get(key))])
