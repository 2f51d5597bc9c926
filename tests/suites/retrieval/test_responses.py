"""What a live system may return: results in every form, and responses that say nothing."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.suite import Unreadable
from karat.suites.retrieval.predictions import read_response
from karat.suites.retrieval.records import Ranked, Retrieved
from tests.reply_forms import body, chat, json_forms, text_forms, tool_call

FIELDS = {"fields": {"documents": {"keys": ["d1", "d{2}"], "scores": [0.5, 0.25]}}}
RESULTS = {"results": ["d1", "d2"]}


@pytest.mark.parametrize("form", json_forms(FIELDS))
def test_fields_are_found_in_every_form(form: str) -> None:
    assert read_response(json_forms(FIELDS)[form]).fields == {"documents": Ranked(["d1", "d{2}"], [0.5, 0.25])}


@pytest.mark.parametrize("form", json_forms(RESULTS))
def test_results_are_found_in_every_form(form: str) -> None:
    assert read_response(json_forms(RESULTS)[form]).fields == {"documents": Ranked(["d1", "d2"])}


@pytest.mark.parametrize("form", text_forms("See d1 and d2 [1]."))
def test_words_without_results_are_an_error(form: str) -> None:
    with pytest.raises(Unreadable, match="no results in the response"):
        read_response(text_forms("See d1 and d2 [1].")[form])


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (chat('{"results": ["d1"', finish="length"), "cut off"),
        (chat('{"results": ["d1"]} or {"results": ["d2"]}'), "2 different lists of results"),
        (chat('{"results": ["d1"]}', tool_calls=[tool_call({"results": ["d2"]})]), "2 different"),
        (chat('{"result": ["d1"]}'), "its keys are: result"),
        (chat(None), "whose message is empty"),
        (chat('{"results": ["d1"]}', finish="content_filter"), "content filter"),
        (chat('{"results": 5}'), "no results"),
    ],
)
def test_what_cannot_be_read_is_an_error(response: Any, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_response(body(response))


def test_nothing_retrieved_is_read_where_the_response_says_so() -> None:
    assert read_response(body(chat('{"results": []}'))).fields == {"documents": Ranked([])}
    assert read_response(body(chat(None, refusal="I may not."))) == Retrieved({})


@given(st.binary(max_size=200) | st.recursive(st.none() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["choices", "message", "content",
                "fields", "results", "keys", "key", "score", "scores", "response"]), inner, max_size=4),
    max_leaves=10).map(body))  # fmt: skip
def test_any_bytes_are_results_or_unreadable(response: bytes) -> None:
    with suppress(Unreadable):
        assert isinstance(read_response(response), Retrieved)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["d1", "d2"], Ranked(["d1", "d2"])),
        ([{"id": "d1", "score": 0.9, "text": "…"}, {"id": 7, "score": 0.5}], Ranked(["d1", "7"], [0.9, 0.5])),
        ([{"_id": "d1", "_score": 2.0}], Ranked(["d1"], [2.0])),
        ([], Ranked([])),
        (chat('Found:\n```json\n["d1"]\n```'), Ranked(["d1"])),
        ({"results": [{"doc_id": "d1"}]}, Ranked(["d1"])),
    ],
)
def test_a_list_by_itself_is_the_ranking(given: Any, read: Ranked) -> None:
    assert read_response(body(given)).fields == {"documents": read}


@pytest.mark.parametrize("given", [[{"title": "d1"}], [["d1"]], chat('["d1"] in words'), [1, 2]])
def test_a_list_of_something_else_is_no_ranking(given: Any) -> None:
    with pytest.raises(Unreadable, match="no results in the response"):
        read_response(body(given))


def test_results_that_are_given_twice_and_differ_are_an_error() -> None:
    for twice in (
        '{"fields": {"documents": {"keys": ["a"]}}, "fields": {"documents": {"keys": ["b"]}}}',
        '{"fields": {"documents": {"keys": ["a"]}, "documents" : {"keys": ["b"]}}}',
        '{"fields": {"documents": {"keys": ["a"], "keys": ["b"]}}}',
        '{"fields": {"documents": {"keys": ["a:1"], "scores": [1], "scores": [2]}}}',
        '{"results": ["a"], "results": ["b"]}',
    ):
        for response in (twice.encode(), body(chat(twice))):
            with pytest.raises(Unreadable, match="appears twice in one object of the response, with different values"):
                read_response(response)
    ids = b'{"fields": {"documents": {"keys": ["doc:1", "doc:2"], "scores": [2, 1]}}}'
    assert read_response(ids).fields["documents"].keys == ["doc:1", "doc:2"]
