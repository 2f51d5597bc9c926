"""Tool calls that a model wrote into its text: no answer, whatever stands beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from karat.core.replies import read_reply
from karat.core.suite import Unreadable
from karat.suites.answers.responses import read_answer
from tests.reply_forms import body, chat, tool_call

CALL = '{"name": "get", "arguments": {"n": 42}}'
WRITTEN = [
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"Let me check.\n<tool_call>\n{CALL}\n</tool_call>",
    f"[TOOL_CALLS][{CALL}]",
    '<function=get>{"n": 42}</function>',
    '<|channel|>commentary to=functions.get <|message|>{"n": 42}',
    'Thought: I need it.\nAction: get\nAction Input: {"n": 42}',
    f"```tool_call\n{CALL}\n```",
]
OTHER = [
    '{"name": "get", "parameters": {"n": 42}}',
    "<|python_tag|>get(n=42)",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>get 42",
    '<function_calls><invoke name="get"><parameter name="n">42</parameter></invoke></function_calls>',
    "<tool_code>print(get(42))</tool_code>",
    "Action: get[42]",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_written_call_is_a_call(text: str) -> None:
    for response in (text.encode(), body(chat(text))):
        reply = read_reply(response)
        assert [(call.name, call.arguments) for call in reply.calls] == [("get", {"n": 42})]
        assert "42" not in reply.text


@pytest.mark.parametrize("text", [*WRITTEN, *OTHER])
def test_a_written_call_is_no_answer(text: str) -> None:
    with pytest.raises(Unreadable):
        read_answer(body(chat(text)))


@pytest.mark.parametrize(
    "response",
    [
        chat("I think 42", tool_calls=[tool_call({"table": "x"}, "query")]),
        {
            "role": "assistant",
            "stop_reason": "tool_use",
            "content": [{"type": "text", "text": "42?"}, {"type": "tool_use", "name": "query", "input": {"q": 1}}],
        },
    ],
)
def test_words_beside_a_call_are_not_the_answer_yet(response: Any) -> None:
    with pytest.raises(Unreadable, match=r"calls a tool \(query\) and does not answer"):
        read_answer(json.dumps(response).encode())


def test_code_without_its_result_is_no_answer() -> None:
    with pytest.raises(Unreadable, match=r"only code \(python\)"):
        read_answer(body(chat("```python\nprint(42)\n```")))
    assert read_answer(body(chat("```python\nprint(6*7)\n```\nOutput: 42"))).kind == "answer"


@pytest.mark.parametrize(
    "text",
    [
        "Action: calculator\nAction Input: 41\nObservation: 42\nFinal Answer: 42",
        "The tool was called with 41, and the action: none. 42",
        'The object is {"name": "x"}.',
        "Action: Finish[42]",
    ],
)
def test_text_that_only_looks_like_a_call_stays_text(text: str) -> None:
    reply = read_reply(text.encode())
    assert (reply.text, reply.calls) == (text, ())
