from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from karat.core.replies.stream import Completion, Events


def test_events_of_every_shape() -> None:
    data = b": hello\n\ndata: one\n\nevent: x\ndata:two\ndata: lines\r\n\r\n\n\nid: 3\n\ndata: last"
    events = Events()
    assert [*events.feed(data), *events.end()] == [b"one", b"two\nlines", b"last"]


@given(st.lists(st.text().filter(lambda text: "\n" not in text and "\r" not in text), min_size=1), st.data())
def test_borders_of_chunks_do_not_matter(texts: list[str], data: st.DataObject) -> None:
    whole = b"".join(b"data: " + text.encode() + b"\n\n" for text in texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    events = Events()
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += list(events.feed(whole[start:end]))
    assert [*found, *events.end()] == [text.encode() for text in texts]


@given(st.lists(st.text(), min_size=1))
def test_texts_are_joined_in_their_order(parts: list[str]) -> None:
    completion = Completion()
    for part in parts:
        completion.add({"choices": [{"index": 0, "delta": {"content": part}}]})
    before = completion.finished
    completion.add({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    assert (before, completion.finished) == (False, True)
    assert json.loads(completion.body())["choices"][0]["message"]["content"] == "".join(parts)


def test_two_choices_are_finished_when_both_are() -> None:
    completion = Completion()
    assert completion.empty
    completion.add({"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]})
    completion.add({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    before = completion.finished
    completion.add({"choices": [{"index": 1, "delta": {}, "finish_reason": "length"}]})
    assert (before, completion.finished) == (False, True)
    choices = json.loads(completion.body())["choices"]
    assert [(c["index"], c["message"]["content"], c["finish_reason"]) for c in choices] == [
        (0, "a", "stop"),
        (1, "b", "length"),
    ]


def test_a_state_in_two_parts_is_merged() -> None:
    completion = Completion()
    for state in ({"a": {"x": "1"}, "l": [1]}, {"a": {"y": "2"}, "l": [2], "n": 3}):
        completion.add({"choices": [{"index": 0, "delta": {"custom_content": {"state": state}}}]})
    message = json.loads(completion.body())["choices"][0]["message"]
    assert message["custom_content"]["state"] == {"a": {"x": "1", "y": "2"}, "l": [1, 2], "n": 3}


def test_the_last_usage_counts() -> None:
    completion = Completion()
    completion.add({"choices": [], "usage": {"prompt_tokens": 1, "old": 1}})
    completion.add({"choices": None, "usage": {"prompt_tokens": 5}})
    completion.add({"usage": None})
    assert json.loads(completion.body())["usage"] == {"prompt_tokens": 5}
