"""Responses of other vendors and frameworks as one assistant message, in the shape of OpenAI's and Anthropic's.

Gemini, Bedrock (Converse, and the models of InvokeModel), LangChain and LangGraph, Ollama's completions, Cohere,
Hugging Face, the Vercel AI SDK, pydantic-ai. How the message ended is put under ``finish_reason``. Of a conversation
the answer is the last message, if it is the assistant's. Code and searches that the vendor ran are steps, not answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.roles import ROLE_NAMES, ROLES, unwrapped
from karat.core.trace.values import mapping, mappings

SAID = ("content", "parts", "tool_calls", "function_call")
"""What makes an object with a role a message."""
_ENDINGS = ("finish_reason", "stop_reason", "done_reason", "finishReason", "stopReason", "completionReason")
_CALLS = ("functionCall", "function_call", "toolUse")
_CONVERSATIONS = ("messages", "contents")


def ending(*places: JsonMapping) -> str:
    """How an answer says that it ended; empty where it does not say."""
    return next((one[key] for one in places for key in _ENDINGS if isinstance(one.get(key), str)), "")


def message_in(body: JsonMapping) -> tuple[str, JsonObject] | None:
    """The form of a response in words, and the message that it holds; None where it is in none of these forms."""
    for form, read in _FORMS:
        found = read(body)
        if found is not None:
            return form, found
    return None


def last_message(value: Json) -> JsonObject | None:
    """The last message of a conversation; None where a list is not one."""
    if not isinstance(value, list) or not value:
        return None
    said = [_said(one) for one in value]
    if any(one is None for one in said):
        return None
    roles = [one["role"] for one in said if one is not None]
    return said[-1] if "assistant" in roles or "user" in roles else None


def _said(value: Json) -> JsonObject | None:
    given = unwrapped(mapping(value))
    kind = str(given.get("role") or given.get("type") or "").lower()
    role = ROLE_NAMES.get(kind, kind)
    if role not in ROLES or not any(key in given for key in SAID):
        return None
    return _message(given, ending(given, mapping(given.get("response_metadata")))) | {"role": role}


def _message(given: JsonMapping, ended: str = "") -> JsonObject:
    """A message whose parts are in one shape; calls that LangChain keeps beside it are taken in."""
    listed = given.get("content") if isinstance(given.get("content"), list) else given.get("parts")
    content = _parts(listed) if isinstance(listed, list) else given.get("content")
    beside = mapping(given.get("additional_kwargs"))
    calls = given.get("tool_calls") or beside.get("tool_calls")
    return {
        **given,
        "content": content,
        "tool_calls": calls,
        "refusal": given.get("refusal") or beside.get("refusal"),
        "finish_reason": ended,
    }


def _parts(given: Sequence[Json]) -> list[Json]:
    return [part for one in given if (part := _part(one)) is not None]


def _part(given: Json) -> Json:
    """One part, a call as ``tool_use``; None for a thought and for a call that has its result already."""
    if not isinstance(given, dict):
        return given
    kind = str(given.get("type") or given.get("part_kind") or "")
    called = next((given[key] for key in _CALLS if mapping(given.get(key))), None)
    if called is None and kind in ("tool-call", "dynamic-tool"):
        called = given
    if given.get("thought") is True or kind in ("thinking", "reasoning") or _ran(given, kind):
        return None
    if called is not None:
        name, given_arguments = called.get("name", called.get("toolName", called.get("tool_name"))), _arguments(called)
        return {"type": "tool_use", "name": name, "input": given_arguments}
    if kind == "text" and isinstance(given.get("content"), str):
        return {"type": "text", "text": given["content"]}
    return given


def _ran(part: JsonMapping, kind: str) -> bool:
    return (kind == "dynamic-tool" or kind.startswith("tool-")) and ("output" in part or "errorText" in part)


def _arguments(call: JsonMapping) -> Json:
    return next((call[key] for key in ("args", "input", "arguments") if call.get(key) is not None), None)


# -- the forms --------------------------------------------------------------------------------------------------------


def _gemini(body: JsonMapping) -> JsonObject | None:
    feedback = mapping(body.get("promptFeedback")) or mapping(body.get("prompt_feedback"))
    first = next(iter(mappings(body.get("candidates"))), None)
    if first is None:
        blocked = feedback.get("blockReason", feedback.get("block_reason"))
        return {"content": "", "finish_reason": "content_filter"} if blocked else None
    content, ended = mapping(first.get("content")), ending(first)
    if "parts" not in content and not ended:
        return None
    return _message({"content": content.get("parts") or []}, ended)


def _converse(body: JsonMapping) -> JsonObject | None:
    said = mapping(mapping(body.get("output")).get("message"))
    return _message(said, ending(body)) if said else None


def _invoked(body: JsonMapping) -> JsonObject | None:
    """The models of Bedrock that answer with a text of their own: Llama, Mistral, Titan."""
    if isinstance(body.get("generation"), str) and "stop_reason" in body:
        return {"content": body["generation"], "finish_reason": ending(body)}
    for key, text in (("outputs", "text"), ("results", "outputText")):
        first = next(iter(mappings(body.get(key))), {})
        if isinstance(first.get(text), str) and ending(first):
            return {"content": first[text], "finish_reason": ending(first)}
    return None


def _langchain(body: JsonMapping) -> JsonObject | None:
    given = unwrapped(body)
    kind = str(given.get("type") or "").lower()
    marked = given is not body or "additional_kwargs" in given or "response_metadata" in given
    if ROLE_NAMES.get(kind) != "assistant" or "content" not in given or not marked:
        return None
    return _said(body)


def _agent(body: JsonMapping) -> JsonObject | None:
    """What an agent of LangChain returns: its input, and its output beside it."""
    return {"content": body["output"]} if "input" in body and isinstance(body.get("output"), str) else None


def _ollama(body: JsonMapping) -> JsonObject | None:
    if not isinstance(body.get("done"), bool) or not isinstance(body.get("response"), str):
        return None
    return {"content": body["response"], "finish_reason": ending(body) if body["done"] else "length"}


def _cohere(body: JsonMapping) -> JsonObject | None:
    if "generation_id" not in body or not isinstance(body.get("text"), str):
        return None
    calls = [{"name": one.get("name"), "arguments": one.get("parameters")} for one in mappings(body.get("tool_calls"))]
    return {"content": body["text"], "tool_calls": calls, "finish_reason": ending(body)}


def generated(value: Json) -> JsonObject | None:
    """What Hugging Face's endpoints and pipelines give, of several texts the first."""
    first = next(iter(mappings(value)), {}) if isinstance(value, list) else mapping(value)
    text = first.get("generated_text")
    if isinstance(text, list):
        return last_message(text)
    if not isinstance(text, str):
        return None
    return {"content": text, "finish_reason": ending(first, mapping(first.get("details")))}


def _vercel(body: JsonMapping) -> JsonObject | None:
    if not isinstance(body.get("text"), str) or not {"finishReason", "toolCalls"} & set(body):
        return None
    ran = {str(one.get("toolCallId")) for one in mappings(body.get("toolResults"))}
    open_calls = [one for one in mappings(body.get("toolCalls")) if str(one.get("toolCallId")) not in ran]
    calls = [{"name": one.get("toolName"), "arguments": _arguments(one)} for one in open_calls]
    return {"content": body["text"], "tool_calls": calls, "finish_reason": ending(body)}


def _pydantic_ai(body: JsonMapping) -> JsonObject | None:
    return _message(body, ending(body)) if body.get("kind") == "response" and mappings(body.get("parts")) else None


def _with_parts(body: JsonMapping) -> JsonObject | None:
    """A message for a user interface, of the Vercel AI SDK or Gemini."""
    alone = body.get("role") in ("assistant", "model") and "content" not in body and mappings(body.get("parts"))
    return _message(body, ending(body)) if alone else None


def _conversation(body: JsonMapping) -> JsonObject | None:
    found = (last_message(body.get(key)) for key in _CONVERSATIONS)
    return next((one for one in found if one is not None), None)


_FORMS: tuple[tuple[str, Callable[[JsonMapping], JsonObject | None]], ...] = (
    ("a response of Gemini", _gemini),
    ("a response of Bedrock", _converse),
    ("a response of Bedrock", _invoked),
    ("a message of LangChain", _langchain),
    ("a result of LangChain", _agent),
    ("a completion of Ollama", _ollama),
    ("a response of Cohere", _cohere),
    ("a generated text of Hugging Face", generated),
    ("a result of the Vercel AI SDK", _vercel),
    ("a response of pydantic-ai", _pydantic_ai),
    ("an assistant message", _with_parts),
    ("a conversation", _conversation),
)
