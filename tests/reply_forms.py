"""One answer in every form a response may have: what the property tests hide an answer in, and what the loopback server
replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Forms = dict[str, bytes]


def body(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def chat(content: Any = None, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion."""
    said = {"role": "assistant", "content": content, **message}
    return {"id": "chatcmpl-1", "object": "chat.completion",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}]}  # fmt: skip


def tool_call(arguments: Any, name: str = "answer") -> dict[str, Any]:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": given}}


def chunks(text: str, size: int = 7) -> list[dict[str, Any]]:
    """The chunks of a streamed chat completion."""
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return streamed([{"role": "assistant", "content": ""}, *({"content": part} for part in parts)])


def streamed_call(arguments: str, size: int = 9) -> list[dict[str, Any]]:
    """The chunks of a tool call whose arguments come in pieces."""
    pieces = [arguments[start : start + size] for start in range(0, len(arguments), size)]
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "answer", "arguments": ""}}
    calls = [first, *({"index": 0, "function": {"arguments": piece}} for piece in pieces)]
    return streamed([{"role": "assistant", "content": None}, *({"tool_calls": [call]} for call in calls)], "tool_calls")


def streamed(deltas: list[dict[str, Any]], finish: str = "stop") -> list[dict[str, Any]]:
    """The chunks of a streamed chat completion, from what each adds to the message."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk"}
    said = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    return [*said, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}]


def events(items: list[dict[str, Any]], done: bool = True) -> bytes:
    """Server-sent events."""
    return b"".join(b"data: " + body(item) + b"\n\n" for item in items) + (b"data: [DONE]\n\n" if done else b"")


def responses_api(*items: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "status": "completed",
        "output": [{"type": "reasoning", "summary": []}, *items]}  # fmt: skip


def output_text(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def response_events(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The events by which the Responses API streams one item of its output."""
    said = item.get("arguments") or item["content"][0]["text"]
    kind = "function_call_arguments" if "arguments" in item else "output_text"
    return [
        {"type": "response.created", "response": {"object": "response", "output": []}},
        {"type": f"response.{kind}.delta", "delta": said},
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": responses_api(item)},
    ]


CHAT_TEXTS: Mapping[str, Callable[[str], Any]] = {
    "content": chat,
    "content parts": lambda text: chat([{"type": "text", "text": text}]),
    "after reasoning": lambda text: chat(f"<think>Perhaps {{}} or\n```sql\nSELECT 0\n```?</think>\n{text}"),
    "Responses API": lambda text: responses_api(output_text(text)),
}
"""Ways in which an OpenAI-compatible endpoint sends words."""


def text_forms(text: str) -> Forms:
    """Words in every form."""
    found = {name: body(make(text)) for name, make in CHAT_TEXTS.items()}
    return found | {
        "bare text": text.encode(),
        "with a byte order mark": b"\xef\xbb\xbf" + text.encode(),
        "JSON text": body(text),
        "bare message": body({"role": "assistant", "content": text}),
        "recorded text": body({"id": "a", "response": text}),
        "recorded completion": body({"id": "a", "turn": 0, "response": chat(text)}),
        "events": events(chunks(text)),
        "JSON lines of chunks": b"\n".join(map(body, chunks(text))),
        "list of chunks": body(chunks(text)),
        "recorded events": body({"id": "a", "response": events(chunks(text)).decode()}),
        "Responses API events": events(response_events(output_text(text)), done=False),
        "MCP text": body({"content": [{"type": "text", "text": text}], "isError": False}),
        "MCP in JSON-RPC": body({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}),
        "DIAL attachment": body(
            chat("Here.", custom_content={"attachments": [{"type": "text/markdown", "data": text}]})
        ),
    }


def json_texts(answer: Any) -> dict[str, str]:
    """An answer in JSON as words."""
    plain, wide = json.dumps(answer), json.dumps(answer, indent=2, ensure_ascii=False)
    return {
        "plain": plain,
        "indented": f"\n{wide}\n",
        "fenced": f"```json\n{wide}\n```",
        "fence without a language": f"```\n{plain}\n```",
        "fenced with words": f"Here you are [1] {{see below}}:\n\n```json\n{wide}\n```\n\nAsk me for more!",
        "inside words": f"The answer is {plain}, as asked {{so}}.",
        "twice the same": f"```json\n{wide}\n```\nIn short: {plain}",
        "open fence": f"Sure:\n```json\n{wide}",
    }


def given_as_json(answer: Any) -> Forms:
    """An answer that is given as JSON: tool arguments, structured output, a body of its own."""
    arguments = json.dumps(answer)
    call = {"type": "function_call", "name": "answer", "arguments": arguments}
    attachment = {"index": 0, "type": "application/json", "data": arguments}
    return {
        "body": body(answer),
        "recorded": body({"response": answer}),
        "tool call": body(chat(tool_calls=[tool_call(answer)], finish="tool_calls")),
        "after another tool call": body(chat(tool_calls=[tool_call({"q": "x"}, "look_up"), tool_call(answer)])),
        "function call": body(chat(function_call={"name": "answer", "arguments": arguments})),
        "arguments as an object": body(chat(tool_calls=[{"function": {"name": "answer", "arguments": answer}}])),
        "structured output": body(chat(arguments, parsed=answer)),
        "JSON part": body(chat([{"type": "json", "json": answer}])),
        "Responses API call": body(responses_api(call)),
        "MCP structuredContent": body({"content": [{"type": "text", "text": arguments}], "structuredContent": answer}),
        "DIAL state": body(chat("Here.", custom_content={"state": answer})),
        "DIAL JSON attachment": body(chat("Here.",
                custom_content={"attachments": [{"type": "application/json", "data": arguments}]})),
        "streamed tool call": events(streamed_call(arguments)),
        "streamed DIAL state": events(streamed([{"content": "Here."}, {"custom_content": {"state": answer}}])),
        "streamed DIAL attachment": events(streamed([{"content": "Here."},
                {"custom_content": {"attachments": [attachment]}}])),
        "Responses API call events": events(response_events(call), done=False),
    }  # fmt: skip


def json_forms(answer: Any) -> Forms:
    """An answer in JSON in every form."""
    found = {name: given for name, given in given_as_json(answer).items() if answer is not None}
    for text_name, text in json_texts(answer).items():
        for name, response in text_forms(text).items():
            found[f"{text_name} in {name}"] = response
    return found
