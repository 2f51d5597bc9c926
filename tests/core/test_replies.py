"""Responses in every form, read once for all suites."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.replies import Block, ToolCall, excerpt, only_one, read_reply
from karat.core.suite import Unreadable
from tests.reply_forms import body, chat, chunks, events, json_forms, responses_api, text_forms, tool_call

ANSWER = {"wanted": [{"a": "x\ny", "b": 'quoted "{" and ```'}, 1.5], "more": None}


def wanted(value: Any) -> bool:
    return "wanted" in value


def test_tool_calls_without_a_message_around_them_are_a_message() -> None:
    (candidate,) = read_reply(body({"tool_calls": [tool_call(ANSWER)]})).json_candidates(wanted)
    assert candidate.value == ANSWER


@pytest.mark.parametrize("form", json_forms(ANSWER))
def test_json_is_found_in_every_form(form: str) -> None:
    (candidate,) = read_reply(json_forms(ANSWER)[form]).json_candidates(wanted)
    assert candidate.value == ANSWER


WORDS = "Use this:\n```sql\nSELECT 1\n```\nor better\n~~~ SQL\nSELECT 2\n~~~\nDone."


@pytest.mark.parametrize("form", text_forms(WORDS))
def test_blocks_are_found_in_every_form(form: str) -> None:
    blocks = read_reply(text_forms(WORDS)[form]).blocks({"sql"})
    assert [block.text for block in blocks] == ["SELECT 1", "SELECT 2"]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("```py\nx = 1\n```", [Block("py", "x = 1")]),
        ("Run ```sql\nSELECT 1```", [Block("sql", "SELECT 1")]),
        ("```sql SELECT 1```", [Block("sql", "SELECT 1")]),
        ("````md\n```sql\nSELECT 1\n```\n````", [Block("md", "```sql\nSELECT 1\n```")]),
        ("```{.python}\r\nx\r\n```", [Block("python", "x")]),
        ("   ```python\n   x\n   ```", [Block("python", "   x")]),
        ("```sql\nSELECT 1", [Block("sql", "SELECT 1", closed=False)]),
        ("no ``code`` here, `a` and ``b``", []),
    ],
)
def test_fences_as_models_write_them(text: str, blocks: list[Block]) -> None:
    assert read_reply(text.encode()).blocks({"py", "sql", "md", "python"}) == blocks


def test_json_in_a_block_of_another_language_is_no_candidate() -> None:
    text = 'Try\n```python\nanswer = {"wanted": 1}\n```\nand print it.'
    assert read_reply(body(chat(text))).json_candidates(wanted) == []


@pytest.mark.parametrize("language", ["yaml", "yml", "text", "plaintext", "txt"])
def test_json_in_a_block_that_names_no_programming_language_is_a_candidate(language: str) -> None:
    (candidate,) = read_reply(f'Here:\n```{language}\n{{"wanted": 1}}\n```'.encode()).json_candidates(wanted)
    assert candidate.value == {"wanted": 1}


def test_two_different_candidates_are_an_error_and_equal_ones_are_one() -> None:
    reply = read_reply(body(chat('First {"wanted": 1, "b": 2}, then {"b": 2, "wanted": 1}.')))
    assert only_one(reply.json_candidates(wanted), lambda value: value["wanted"], "answer") == 1
    reply = read_reply(body(chat('{"wanted": 1} or', tool_calls=[tool_call({"wanted": 2}, "send")])))
    with pytest.raises(Unreadable, match=r"2 different answers .* the arguments of the tool call send and in the text"):
        only_one(reply.json_candidates(wanted), lambda value: value["wanted"], "answer")


def test_refusals_and_calls() -> None:
    assert read_reply(body(chat(None, refusal="I cannot."))).refusal == "I cannot."
    part = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    assert read_reply(body(responses_api(part))).refusal == "No."
    calls = read_reply(
        body(chat(tool_calls=[tool_call("not JSON", "say"), tool_call('"{\\"a\\": 1}"', "twice")]))
    ).calls
    assert calls == (ToolCall("say", "not JSON"), ToolCall("twice", {"a": 1}))


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (b"", "the response is empty"),
        (b"  \n", "the response is empty"),
        (body(chat("")), "a chat completion whose message is empty"),
        (body(chat(None)), "a chat completion whose message is empty"),
        (body(chat("Hello there.")), "no thing in the response: it is text without JSON"),
        (body(chat('{"wanted": [1, 2', finish="length")), r'cut off at the token limit \(it ended with "length"\)'),
        (body(chat('Draft {"wanted": 1}, and so {"wan', finish="length")), "cut off at the token limit"),
        (body(chat('{"wanted": [1, 2')), "it starts like JSON but is not valid JSON"),
        (body(chat('{"wanted": 1}', finish="content_filter")), "withheld by a content filter"),
        (body(responses_api() | {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
         "token limit"),
        (body(responses_api() | {"status": "failed", "error": {"code": "x", "message": "Overloaded"}}), "Overloaded"),
        (events(chunks('Well, {"wanted": 1}')[:-1], done=False), "the stream ended in the middle of the answer"),
        (body({"choices": []}), "without choices"),
        (body({"choices": [], "error": {"message": "quota"}}), "quota"),
        (body({"isError": True, "content": [{"type": "text", "text": "no database"}]}), "the tool reported a failure: "
                                                                                        "no database"),
        (body({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no tool"}}), "an error: no tool"),
        (b"<!DOCTYPE html><html>Sign in</html>", "a web page"),
        (body(chat("<think>I wonder")), "only the start of the assistant's reasoning"),
        (body(chat(tool_calls=[tool_call("{oops", "send")])), "the arguments of the tool call send are not JSON"),
        (body({"other": 1, "key": 2}), "its keys are: other, key"),
        (body([1, 2]), "it is a list, not a JSON object"),
    ],
)  # fmt: skip
def test_why_there_is_nothing_in_a_response(response: bytes, reason: str) -> None:
    reply = read_reply(response)
    if not reply.failure:
        assert reply.json_candidates(wanted) == []
    with pytest.raises(Unreadable, match=reason):
        raise reply.nothing("thing")


def test_json_that_is_whole_counts_although_the_limit_was_reached() -> None:
    (candidate,) = read_reply(body(chat('{"wanted": 1}', finish="length"))).json_candidates(wanted)
    assert candidate.value == {"wanted": 1}


def test_the_first_200_characters_are_shown_on_one_line() -> None:
    assert excerpt("a\n\x00\x1b[31m\tb") == "a\\n\\x00\\x1b[31m\\tb"
    assert excerpt("x" * 201) == "x" * 200 + "…"
    reply = read_reply(body(chat("Sorry,\nno.")))
    assert str(reply.explained(Unreadable("why."))) == "why. The response begins: Sorry,\\nno."
    assert excerpt("\ud800x") == "\\ud800x"


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(Unreadable, match="not UTF-8 text"):
        read_reply(b'{"wanted": "\xff"}')
    assert read_reply('{"wanted": 1}'.encode("utf-16")).json_candidates(wanted)


KEYS = ["choices", "message", "delta", "content", "text", "type", "tool_calls", "function", "arguments", "output",
    "response", "result", "jsonrpc", "custom_content", "state", "attachments", "structuredContent", "role",
    "finish_reason", "object", "wanted"]  # fmt: skip
VALUES = st.none() | st.booleans() | st.integers() | st.sampled_from(["{", "[1,", "data: {}", "```json\n{}",
        "chat.completion.chunk"])  # fmt: skip
ANY_JSON = st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS),
        inner, max_size=4), max_leaves=15)  # fmt: skip


@given(st.binary(max_size=200) | ANY_JSON.map(body) | st.lists(ANY_JSON,
        max_size=3).map(lambda items: b"".join(b"data: " + body(item) + b"\n\n" for item in items)))  # fmt: skip
def test_no_response_crashes_the_reader(response: bytes) -> None:
    with suppress(Unreadable):
        reply = read_reply(response)
        reply.json_candidates(wanted)
        reply.blocks({"", "json"})
        assert str(reply.nothing("thing"))


def test_hostile_texts_are_read_in_reasonable_time() -> None:
    for text in ("[" * 200_000, '{"a":' * 50_000, "{" * 200_000, "`" * 100_000, "```\n" * 50_000, "<think>" * 50_000):
        reply = read_reply(body(chat(text)))
        assert reply.json_candidates(wanted) == []
        reply.blocks({"sql"})
    deep: Any = json.loads('{"response":' * 50 + "1" + "}" * 50)
    assert read_reply(body(deep)).json_candidates(wanted) == []


TWICE = '{"answer": 1, "sql": "SELECT 1", "answer": 2}'
TWO_VALUES = 'the key "answer" appears twice in one object of the response, with different values'


@pytest.mark.parametrize(
    "response",
    [
        TWICE.encode(),
        TWICE.replace('"answer": 2', '"\\u0061nswer" : 2').encode(),
        b"\xef\xbb\xbf" + TWICE.encode(),
        body(chat(TWICE)),
        body(chat(f"Here:\n```json\n{TWICE}\n```\nDone.")),
        body(chat(f"It is {TWICE}, I think.")),
        body(chat(tool_calls=[tool_call(TWICE)])),
        body(responses_api({"type": "function_call", "name": "answer", "arguments": TWICE})),
        body(chat("Here.", custom_content={"attachments": [{"type": "application/json", "data": TWICE}]})),
        body(chat("x")).replace(
            b'"content": "x"', b'"content": "' + TWICE.replace('"', '\\"').encode() + b'", "name": "n"'
        ),
        events(chunks(TWICE)),
        body({"response": TWICE}),
        b'{"response": ' + TWICE.encode() + b"}",
        events(chunks("x")).replace(b'"content": "x"', b'"answer": "y", "answer": "x"'),
        b'{"instance_id": "a", "kind": "answer", "answer": 1, "answer": 2}',
    ],
)
def test_one_key_with_two_values_is_an_error_that_names_it(response: bytes) -> None:
    from karat.suites.answers.responses import read_answer

    with pytest.raises(Unreadable, match=re.escape(TWO_VALUES)) as caught:
        read_answer(response, live=True)
    assert "The response begins: " in str(caught.value) or response.startswith(b'{"instance_id"')


def test_one_key_with_the_same_value_twice_is_no_matter() -> None:
    from karat.suites.answers.responses import read_answer

    for twice in ('{"answer": 1, "answer": 1}', '{"answer": 1, "x": {"b": 1, "c": 2}, "x": {"c":2, "b":1}}'):
        for response in (twice.encode(), body(chat(twice)), body(chat(f"So: {twice}."))):
            assert read_answer(response).text == "1"
    with pytest.raises(Unreadable, match='the key "answer" appears twice'):
        read_answer(b'{"answer": 1, "answer": true}')  # equal in Python, and in no other sense
