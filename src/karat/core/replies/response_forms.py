"""The forms a response may have, each read into a :class:`Reply`.

By what they hold: chat completions (and bare assistant messages), the Responses API, MCP tool results with or without
their JSON-RPC envelope, the forms of other vendors and frameworks (:mod:`karat.core.replies.other_forms`), recorded
streams, recorded lines that keep the response under ``response``, plain JSON, plain text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.replies.fences import Block
from karat.core.replies.json_texts import decoded
from karat.core.replies.other_forms import ending, generated, last_message, message_in
from karat.core.replies.recorded_stream import Merged, is_stream, merged, merged_list, merged_of_others
from karat.core.replies.reply import Reply, ToolCall, with_beginning
from karat.core.replies.written_calls import written_calls
from karat.core.suite import Unreadable
from karat.core.trace.roles import ROLES

DEEPEST = 8
"""How often a response may be wrapped in another."""
MESSAGE_KEYS = ("content", "tool_calls", "function_call", "refusal", "custom_content")
CUT = {"length", "max_tokens", "max_output_tokens", "max_length", "model_context_window_exceeded"}
BROKEN = {"error", "error_limit", "timeout", "malformed_function_call", "user_cancel", "pause_turn", "other"}
WITHHELD = {
    *("content_filter", "content_filtered", "safety", "refusal", "recitation", "blocklist", "prohibited_content"),
    *("spii", "guardrail_intervened", "error_toxic"),
}
"""Reasons for the end of an answer, of all vendors, in lower case and with underscores."""
RESPONSES_API = "a response of the Responses API"
STREAM_CUT = "the stream ended in the middle of the answer"
STREAM_UNKNOWN = "the response is a recorded stream, in no form that is read; record the answer as a whole"

_THOUGHT = re.compile(r"\A\s*(?:<(think|thinking|reasoning)>.*?</\1>\s*)+", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"\A(?:(?!<think>).)*?</think>\s*", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"\A\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_BEFORE_PAGE = r"\s*(?:<\?xml[^<>]*>\s*|<!--(?:(?!-->).)*-->\s*)*"
_WEB_PAGE = re.compile(_BEFORE_PAGE + r"<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])", re.IGNORECASE | re.DOTALL)
_XML = re.compile(r"\s*<\?xml\s", re.IGNORECASE)


def read_reply(response: bytes, own: Collection[str] = ()) -> Reply:
    """What a response says. ``own`` are the keys of a suite's own form: an object that has one of them is the answer
    itself.

    Raises :class:`Unreadable` for bytes that are not text, and for JSON that gives one key two values; everything else
    is a reply, if only one that says why it holds nothing.

    >>> import karat
    >>> karat.read_reply(b'{"choices": [{"message": {"role": "assistant", "content": "37 ships"}}]}').text
    '37 ships'
    """
    try:
        text = response.decode("utf-16" if response[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        shown = response.decode("utf-8", errors="replace")
        raise Unreadable(with_beginning(f"the response is not UTF-8 text: {error.reason}", shown)) from error
    try:
        found = _of_text(text, frozenset(own), DEEPEST)
    except Unreadable as error:
        raise Unreadable(with_beginning(str(error), text)) from error
    return found if found.shown else msgspec.structs.replace(found, shown=found.text or text)


def _of_text(text: str, own: frozenset[str], depth: int) -> Reply:
    if _WEB_PAGE.match(text):
        return Reply("a web page", text, failure="the response is a web page (a login page?), not an answer")
    if _XML.match(text):
        return Reply("XML", text, failure="the response is an XML document, not an answer")
    stream = merged(text) or merged_of_others(text)
    if stream is not None:
        return _of_stream(stream, own, depth)
    if is_stream(text):
        return Reply("a stream", body=text, failure=STREAM_UNKNOWN, shown=text)
    if text.strip() in ("null", "true", "false"):
        return _of_value(decoded(text), own, depth - 1)
    try:
        value = decoded(text) if text.lstrip()[:1] in ("{", "[", '"') else None
    except ValueError:
        value = None
    if isinstance(value, Mapping | list) or (isinstance(value, str) and depth > 0):
        return _of_value(value, own, depth - 1)
    said, failure = spoken(text)
    said, calls = written_calls(said)
    return Reply("text", said, calls=tuple(ToolCall(*call) for call in calls), body=text, failure=failure)


def _of_stream(stream: Merged, own: frozenset[str], depth: int) -> Reply:
    found = _of_value(stream.body, own, depth - 1)
    return found if stream.finished or found.cut else msgspec.structs.replace(found, cut=STREAM_CUT)


def _of_value(value: Json, own: frozenset[str], depth: int) -> Reply:
    if isinstance(value, str):
        return _of_text(value, own, depth) if depth > 0 else Reply("text", value, body=value)
    if isinstance(value, list):
        return _of_list(value, own, depth)
    if not isinstance(value, Mapping):
        kind = {bool: "a boolean", type(None): "null"}.get(type(value), "a number")
        return Reply(kind, structured=() if value is None else ((value, "the body"),), body=value)
    return _of_object(value, own, depth)


def _of_list(value: list[Json], own: frozenset[str], depth: int) -> Reply:
    stream = merged_list(value) or merged_of_others(value) if depth > 0 else None
    if stream is not None:
        return _of_stream(stream, own, depth)
    if (last := last_message(value)) is not None:
        return _other("a conversation", last, value)
    if (text := generated(value)) is not None:
        return _other("a generated text of Hugging Face", text, value)
    return Reply("a list", structured=((value, "the body"),), body=value)


def _of_object(body: JsonMapping, own: frozenset[str], depth: int) -> Reply:
    if own.isdisjoint(body):
        if "choices" in body:
            return _chat(body)
        if isinstance(body.get("output"), list) or body.get("object") == "response":
            return _responses_api(body)
        if isinstance(body.get("result"), Mapping) and ("jsonrpc" in body or _is_tool_result(body["result"])):
            return _of_value(body["result"], own, depth - 1) if depth > 0 else Reply("JSON", body=body)
        if (other := message_in(body)) is not None:
            return _other(*other, body)
        if _is_tool_result(body):
            return _tool_result(body)
        parts = isinstance(body.get("content"), list) and "stop_reason" in body
        if body.get("role") == "assistant" or parts or _list(body.get("tool_calls")):
            return _message(body, body, "an assistant message")
        if isinstance(body.get("message"), Mapping) and set(body["message"]).intersection(MESSAGE_KEYS):
            return _message(body["message"], body, "an assistant message")
        if "response" in body and depth > 0:
            return _of_value(body["response"], own, depth - 1)
        if body.get("error") and ("jsonrpc" in body or not {"turn", "repeat", "latency"} & set(body)):
            return Reply("an error", body=body, failure=f"the response is an error: {_error_text(body['error'])}")
    failure, cut = _ended(ending(body))
    if failure or cut:
        return Reply("JSON", body=body, failure=failure or f"the answer is not whole: {cut}")
    return Reply("JSON", structured=((body, "the body"),), body=body)


def _other(form: str, message: JsonMapping, body: Json) -> Reply:
    """A message of another vendor, or the last one of a conversation, which may be somebody else's."""
    role = message.get("role", "assistant")
    if role in ROLES and role != "assistant":
        return Reply(
            form, body=body, failure=f"{form} whose last message is not the assistant's, but of the role {role}"
        )
    return _message(message, message, form, body)


def _error_text(error: object) -> str:
    if isinstance(error, Mapping) and error.get("message"):
        return str(error["message"])
    return error if isinstance(error, str) else msgspec.json.encode(error).decode()


# -- chat completions -------------------------------------------------------------------------------------------------


def _chat(body: JsonMapping) -> Reply:
    form = "a chat completion"
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        if body.get("error"):
            return Reply(form, body=body, failure=f"the response is an error: {_error_text(body['error'])}")
        return Reply(form, body=body, failure="a chat completion without choices[0].message")
    message = choice.get("message")
    if not isinstance(message, Mapping):
        if not isinstance(choice.get("text"), str):
            return Reply(form, body=body, failure="a chat completion without choices[0].message")
        message = {"content": choice["text"]}
    return _message(message, choice, form, body)


def _message(message: JsonMapping, around: JsonMapping, form: str, body: Json = None) -> Reply:
    """An assistant message; ``around`` says how it ended."""
    parts = _Parts()
    parts.take(message.get("content"))
    for key in ("parsed", "json"):
        parts.structure(message.get(key), "the structured output")
    parts.refuse(message.get("refusal"))
    for call in _list(message.get("tool_calls")):
        parts.call(call)
    if isinstance(message.get("function_call"), Mapping):
        parts.call({"function": message["function_call"]})
    parts.custom(message.get("custom_content"))
    ended = "length" if around.get("done") is False else ending(around)  # Ollama says so of each piece but the last
    return parts.reply(form, around if body is None else body, ended)


def _responses_api(body: JsonMapping) -> Reply:
    form = RESPONSES_API
    parts = _Parts()
    for item in _list(body.get("output")):
        kind = item.get("type")
        if kind == "message" or (kind is None and "content" in item):
            parts.take(item.get("content"), after="\n")
        elif kind in ("function_call", "custom_tool_call"):
            parts.call(item)
    if not parts.texts and isinstance(body.get("output_text"), str):
        parts.take(body["output_text"])
    parts.structure(body.get("output_parsed"), "the structured output")
    if body.get("status") == "failed" or (body.get("error") and not parts.texts):
        said = _error_text(body.get("error") or "no reason was given")
        return Reply(form, body=body, failure=f"the response is an error: {said}")
    details = body.get("incomplete_details")
    reason = str(details.get("reason") or "") if isinstance(details, Mapping) else ""
    return parts.reply(form, body, reason or ("length" if body.get("status") == "incomplete" else ""))


# -- MCP tool results -------------------------------------------------------------------------------------------------


def _is_tool_result(body: JsonMapping) -> bool:
    if "structuredContent" in body or isinstance(body.get("isError"), bool):
        return True
    content = body.get("content")
    return isinstance(content, list) and "role" not in body and "stop_reason" not in body


def _tool_result(body: JsonMapping) -> Reply:
    parts = _Parts()
    parts.structure(body.get("structuredContent"), "structuredContent")
    for part in _list(body.get("content")):
        parts.take([part], after="\n")
    found = parts.reply("an MCP tool result", body, "")
    if body.get("isError") is True:
        said = found.text.strip()
        return msgspec.structs.replace(
            found, failure="the tool reported a failure" + (f": {said[:200]}" if said else "")
        )
    return found


# -- the parts of a message -------------------------------------------------------------------------------------------


class _Parts:
    """What the parts of a message hold, put together."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._refusals: list[str] = []
        self._calls: list[ToolCall] = []
        self._structured: list[tuple[Json, str]] = []
        self._attached: list[Block] = []
        self._custom: JsonMapping = {}

    def take(self, content: Json, after: str = "") -> None:
        """Content: a text, a JSON object, or a list of parts; ``after`` keeps it apart from what came before."""
        if after and self.texts:
            self.texts.append(after)
        if isinstance(content, str):
            self.texts.append(content)
        elif isinstance(content, Mapping):
            self.structure(content, "the content")
        elif isinstance(content, list):
            for part in content:
                self._part(part)

    def _part(self, part: object) -> None:
        if isinstance(part, str):
            self.texts.append(part)
        if not isinstance(part, Mapping):
            return
        kind, text = part.get("type"), part.get("text")
        if kind in ("tool_use", "function_call", "tool_call"):
            self.call(part)
        elif kind in ("thinking", "reasoning"):
            return
        elif isinstance(text, str):
            self.texts.append(text)
        elif isinstance(text, Mapping) and isinstance(text.get("value"), str):
            self.texts.append(text["value"])
        self.refuse(part.get("refusal"))
        for key in ("json", "parsed"):
            self.structure(part.get(key), "a part of the content")
        resource = part.get("resource")
        if isinstance(resource, Mapping) and isinstance(resource.get("text"), str):
            self._attached.append(Block(_language(resource.get("mimeType")), resource["text"]))

    def structure(self, value: Json, where: str) -> None:
        if isinstance(value, Mapping | list):
            self._structured.append((value, where))

    def refuse(self, refusal: object) -> None:
        if isinstance(refusal, str) and refusal.strip():
            self._refusals.append(refusal.strip())

    def call(self, call: object) -> None:
        """A tool call of a chat completion, the Responses API or a content part."""
        if not isinstance(call, Mapping):
            return
        inner = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), Mapping)), call)
        given = next((inner[key] for key in ("arguments", "input", "args") if inner.get(key) is not None), None)
        self._calls.append(ToolCall(str(inner.get("name") or ""), _arguments(given)))

    def custom(self, content: Json) -> None:
        """DIAL's ``custom_content``: its state, and what is attached."""
        if not isinstance(content, Mapping):
            return
        self._custom = content
        self.structure(content.get("state"), "custom_content.state")
        for item in _list(content.get("attachments")):
            data = item.get("data")
            if isinstance(data, str):
                self._attached.append(Block(_language(item.get("type")), data))
            else:
                self.structure(data, "an attachment")

    def reply(self, form: str, body: Json, ended: str) -> Reply:
        text, failure = spoken("".join(self.texts))
        text, written = written_calls(text)
        self._calls += [ToolCall(*call) for call in written]
        withheld, cut = _ended(ended)
        failure = withheld or ("" if cut else failure)
        return Reply(
            form,
            text,
            " ".join(self._refusals),
            tuple(self._calls),
            tuple(self._structured),
            self._custom,
            tuple(self._attached),
            body,
            failure,
            cut,
        )


def _ended(ended: str) -> tuple[str, str]:
    """Why there is no answer, and why its end may be missing, by how it says that it ended."""
    reason = ended.rpartition(".")[2].lower().replace("-", "_").replace(" ", "_")
    if reason in WITHHELD:
        return f'the answer was withheld by a content filter (it ended with "{ended}")', ""
    if reason in CUT:
        return "", f'it was cut off at the token limit (it ended with "{ended}").'
    return "", f'it did not end as it should (it ended with "{ended}").' if reason in BROKEN else ""


def spoken(text: str) -> tuple[str, str]:
    """The words after the reasoning that some models put before them, and what is wrong where only reasoning came."""
    rest = _THOUGHT.sub("", text)
    if rest == text and "</think>" in text.lower():  # some servers send no opening tag
        rest = _END_OF_THOUGHT.sub("", text)
    if _THINKING.match(rest):
        return "", "only the start of the assistant's reasoning was received, and no answer"
    return rest, ""


def _arguments(given: Json) -> Json:
    for _ in range(3):
        if not isinstance(given, str):
            return given
        try:
            given = decoded(given)
        except ValueError:
            return given
    return given


def _language(media_type: object) -> str:
    """The language of an attachment, from its media type: ``text/x-sql`` → ``sql``."""
    kind = str(media_type or "").partition(";")[0].strip().lower().rpartition("/")[2]
    return kind.removeprefix("x-").removesuffix("-script")


def _list(value: Json) -> list[JsonMapping]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
