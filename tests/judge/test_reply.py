"""A judge's reply: the last object with a verdict counts, and what is not exactly a verdict is none."""

from __future__ import annotations

import pytest

from karat.core.records import Prediction
from karat.judge.document import Document, Rule
from karat.judge.judges import verdict_in
from karat.judge.protocol import RUBRIC, Asked
from karat.judge.reply import LONGEST_REASON, Fault, Tampered, Verdict, read_reply
from karat.systems.function import FunctionConfig

TOKEN, CANARY = "0123456789abcdef", "kcfeedbeef0123"


def read(text: str) -> Verdict:
    return read_reply(text, TOKEN, CANARY)


def reply(**fields: object) -> str:
    import json

    return json.dumps({"token": TOKEN, "verdict": "right", "reason": "same", "confidence": 0.9} | fields)


def test_the_verdict_is_read() -> None:
    assert read(reply(gold_suspect=True)) == Verdict("right", "same", 0.9, True)
    assert read("Let me think {not json}.\n```json\n" + reply(verdict="wrong") + "\n```") == Verdict(
        "wrong", "same", 0.9
    )


def test_the_last_object_with_a_verdict_counts() -> None:
    assert read(reply() + "\nNo: " + reply(verdict="wrong") + ' {"note": 1}').verdict == "wrong"


def test_a_nested_verdict_is_none() -> None:
    with pytest.raises(Fault):
        read('{"token": "' + TOKEN + '", "inner": {"verdict": "right"}}')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "right",
        '{"verdict": "right"}',
        reply(token="another"),
        reply(verdict="Right!"),
        reply(verdict=True),
        reply(confidence=1.5),
        reply(confidence=True),
        reply(reason=3),
        reply(gold_suspect="yes"),
        '{"token": "' + TOKEN + '", "verdict": "wrong", "verdict": "right"}',
        "[" * 5000 + "{" * 3000,
        '{"token": "' + TOKEN + '", "draft": ' + reply() + ', "verdict": "wr',
        '{"token": "' + TOKEN + '", "verdict": "wrong", "others": [' + reply(),
        reply() + '\nNo: {"token": "' + TOKEN + '", "verdict": "wr',
    ],
)
def test_what_is_not_exactly_a_verdict_is_a_fault(text: str) -> None:
    with pytest.raises(Fault):
        read(text)


def test_a_reply_that_gives_the_canary_away_is_tampered_with() -> None:
    with pytest.raises(Tampered):
        read(reply(reason=f"the word is {CANARY.upper()}"))


def test_a_long_reason_is_cut() -> None:
    assert len(read(reply(reason="x" * 3000)).reason) == LONGEST_REASON


def test_the_messages_hold_rubric_and_document_and_only_the_system_message_the_canary() -> None:
    document = Document("answers", ({"role": "user", "content": "How many?"},), "19.5", "17.1", Rule("needs_review"))
    asked = Asked(document, RUBRIC)
    system, user = (str(message["content"]) for message in asked.messages)
    assert RUBRIC in system and asked.canary in system and asked.canary not in user
    assert asked.token in user and asked.text in user
    assert asked.again("?", "no JSON")[-1]["content"] == (
        "That reply cannot be used: no JSON. Reply with the JSON object alone."
    )


@pytest.mark.parametrize(
    "text", ['{"verdict": "wrong", "verdict": "right"}', "<think>{}</think>", '["right"]', '{"result": "right"}']
)
def test_a_function_is_read_as_strictly(text: str) -> None:
    asked = Asked(Document("answers", ({"role": "user", "content": "?"},), "1", "2", Rule("needs_review")), RUBRIC)
    thought = '{"token": "' + asked.token + '", "verdict": "right"}'
    response = text.replace("{}", thought).encode()
    with pytest.raises(Fault):
        verdict_in(FunctionConfig(type="function", function="m:f"), Prediction("q", response=response), asked)
