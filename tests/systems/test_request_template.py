from __future__ import annotations

from typing import Any

import pytest

from karat.core.problems import UserError
from karat.core.system import Request
from karat.systems.history import assistant_message, question_of
from karat.systems.json_path import PathNotFound, part_at
from karat.systems.request_template import DEFAULT, fill, read_template, typed

MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": "first"},
    {"role": "assistant", "content": "yes"},
    {"role": "user", "content": 'the {turn} "last"'},
)
REQUEST = Request("case/1", 1, 2, MESSAGES)


@pytest.mark.parametrize(
    ("template", "sent"),
    [
        ("{question}", 'the {turn} "last"'),  # filled in once: the {turn} of the question stays
        ("{messages}", list(MESSAGES)),
        ({"a": ["{turn}", "{repeat}", "{case_id}"]}, {"a": [1, 2, "case/1"]}),
        ({"text": "{case_id}#{turn}.{repeat}: {question}"}, {"text": 'case/1#1.2: the {turn} "last"'}),
        ({"{question}": "{other} {}"}, {"{question}": "{other} {}"}),  # keys, and what is no placeholder, stay
        ({"n": 5, "none": None, "yes": True}, {"n": 5, "none": None, "yes": True}),
    ],
)
def test_filling_in(template: Any, sent: Any) -> None:
    assert fill(template, REQUEST) == sent


def test_messages_within_a_text_are_json() -> None:
    asked = Request("c", 0, 0, ({"role": "user", "content": "é"},))
    assert fill("talk: {messages}", asked) == 'talk: [{"role":"user","content":"é"}]'


def test_scalars_of_a_file_are_typed_and_json_text_is_kept() -> None:
    given = {
        "top_k": "5",
        "temperature": "0.2",
        "stream": "false",
        "stop": "null",
        "country": "NO",
        "code": "001",
        "time": "1:30",
    }
    assert typed(given, "x") == {
        "top_k": 5,
        "temperature": 0.2,
        "stream": False,
        "stop": None,
        "country": "NO",
        "code": "001",
        "time": "1:30",
    }
    assert read_template('{"q": "{question}", "n": "5"}', "x") == {"q": "{question}", "n": "5"}
    assert read_template("{question}", "x") == "{question}"


def test_left_out() -> None:
    assert read_template(None, "x") == DEFAULT
    assert read_template("", "x") == DEFAULT


def test_a_close_miss_is_a_mistake_and_another_word_is_not() -> None:
    with pytest.raises(UserError, match="caseid"):
        read_template({"a": "{caseid}", "q": "{question}"}, "x")
    assert read_template({"prompt": "Dear {customer}, {question}"}, "x") == {"prompt": "Dear {customer}, {question}"}


def test_the_question_is_the_last_user_message() -> None:
    assert question_of(MESSAGES) == 'the {turn} "last"'
    assert question_of(MESSAGES[:2]) == "first"
    assert question_of([]) == ""


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        (b'{"a": {"text": "hello"}}', "a.text", {"role": "assistant", "content": "hello"}),
        (b'{"a": {"text": "hello"}}', "a", {"role": "assistant", "content": '{"text": "hello"}'}),
        (b'{"a": 1}', "b", {"role": "assistant", "content": '{"a": 1}'}),
        (b'"a text"', "", {"role": "assistant", "content": "a text"}),
        (b"plain words", "", {"role": "assistant", "content": "plain words"}),
        (b"\xff", "", {"role": "assistant", "content": "\ufffd"}),
        (b'{"role": "assistant", "content": "hi", "x": 1}', "", {"role": "assistant", "content": "hi"}),
        (b'{"choices": []}', "", {"role": "assistant", "content": '{"choices": []}'}),
        (
            b'{"choices": [{"message": {"content": "hi", "reasoning_content": "hm", "custom_content": {"state": {"a": '
            b"1}}}}]}",
            "",
            {"role": "assistant", "content": "hi", "custom_content": {"state": {"a": 1}}},
        ),
        (
            b'{"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [{"id": "t"}]}}]}',
            "",
            {"role": "assistant", "content": None, "tool_calls": [{"id": "t"}]},
        ),
    ],
)
def test_the_assistant_message_of_an_answer(body: bytes, path: str, message: dict[str, Any]) -> None:
    assert assistant_message(body, path) == message


def test_a_number_is_a_key_where_there_is_an_object() -> None:
    assert part_at(b' {"0": [1, 2 ]} ', "0.1") == b"2"
    with pytest.raises(PathNotFound, match="not JSON"):
        part_at(b"{oops", "a")
    with pytest.raises(PathNotFound, match=r'at the top; the keys there: "k0", .* and 8 more'):
        part_at(("{" + ",".join(f'"k{n}": 1' for n in range(20)) + "}").encode(), "x")
