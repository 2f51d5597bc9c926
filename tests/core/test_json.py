"""JSON of strangers: equal keys, depth, digits and bytes are reported with line and column; honest JSON reads as it
always did."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.files.json import BadJson, decode, decode_as


def refused(text: bytes | str) -> BadJson:
    with pytest.raises(BadJson) as caught:
        decode(text if isinstance(text, bytes) else text.encode())
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a":1,"a":1}',
        '{"x": [{"y": {"a": {}, "b": 2, "a": []}}]}',
        '{"a" : 1, "a": 2}',
        '{"a"\t:1,"a"\r\n:2}',
        '{"a": 1, "\\u0061": 2}',
        '{"a": "\\u0022:", "a": 1}',
        '{"a": "\\"\\u003a", "a": 1}',
        '{"a": "\\":\\":\\":", "a": 1}',
        '{"a": 1, "b": "\\" :", "a": "x :"}',
        '{"é": 1, "\\u00e9": 1}',
        '{"": 1, "": 2}',
    ],
)
def test_a_key_that_stands_twice_is_found(text: str) -> None:
    assert "appears twice in one object" in refused(text).message


def test_where_a_second_key_stands_is_told() -> None:
    found = refused('{"a": 1,\n "é": {"x": 0},\n  "b": 3, "a": 4}')
    assert (found.line, found.column) == (3, 11)
    assert found.message == 'the key "a" appears twice in one object, first in line 1'
    told = refused('{"é": 1, "é": 2}').problem("f.jsonl", 7)
    assert (told.file, told.line, told.column) == ("f.jsonl", 7, 10)


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}, {"a": 1}]',
        '{"a": {"a": {"a": 1}}}',
        '{"a": "\\"a\\": 1, \\"a\\": 2", "b" : ":"}',
        '{"a": "\\u0022a\\u0022:", "b": "\\u003a"}',
        '{"a" : 1, "b" : {"a" : "x \\" : y"}}',
        '"\\\\\\":"',
        "[[]]",
        "1",
    ],
)
def test_keys_of_different_objects_and_texts_are_no_matter(text: str) -> None:
    assert decode(text.encode()) == json.loads(text)


def test_depth_digits_and_bytes_are_bounded() -> None:
    for depth in (201, 900, 3_000, 100_000):
        found = refused(b'{"a":\n' + b"[" * depth + b"]" * depth + b"}")
        assert (found.message, found.line, found.column) == ("nested more than 200 levels deep", 2, 200)
    assert decode(b"[" * 200 + b"]" * 200)
    assert decode(b'["' + b"[" * 5_000 + b'"]') == ["[" * 5_000]
    found = refused(b'{"id": 1,\n "n": -' + b"7" * 5_000 + b"}")
    assert (found.message[:30], found.line, found.column) == ("a whole number of 5,000 digits", 2, 7)
    assert refused(b"7" * 5_000).message.startswith("a whole number of 5,000 digits")
    found = refused(b'{"a": "ok",\n "\xc3\xa9": "\xff"}')
    assert (found.message, found.line, found.column) == ("it is not UTF-8 text", 2, 8)


def test_limits_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_DEPTH", "500")
    assert decode(b"[" * 500 + b"]" * 500)
    assert "500 levels deep" in refused(b"[" * 501 + b"]" * 501).message


class Head(msgspec.Struct):
    id: str


def test_keys_that_a_type_does_not_know_are_looked_at_too() -> None:
    decoder = msgspec.json.Decoder(Head)
    assert decode_as(b'{"id": "a", "x": [1]}', decoder) == Head("a")
    for text in (
        b'{"id": "a", "x": {"y": 1, "y": 2}}',
        b'{"id": "a", "x": "\xff"}',
        b'{"id": "a", "x": ' + b"1" * 5_000,
    ):
        with pytest.raises(BadJson):
            decode_as(text, decoder)
    with pytest.raises(BadJson, match=r"missing required field `id`"):
        decode_as(b"{}", decoder)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(':"\\ {}[]aé\n', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a:"\\ é', max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" , ", " :\t")]))
def test_what_has_no_equal_keys_reads_as_it_is(value: Any, ascii_only: bool, separators: tuple[str, str]) -> None:
    assert decode(json.dumps(value, ensure_ascii=ascii_only, separators=separators).encode()) == value


@given(st.dictionaries(st.text('a:"\\ é', max_size=3), VALUES, min_size=1, max_size=3), st.booleans(), VALUES)
def test_a_key_written_twice_anywhere_is_found(held: dict[str, Any], ascii_only: bool, beside: Any) -> None:
    pairs = ",".join(
        f"{json.dumps(key, ensure_ascii=ascii_only)} :{json.dumps(value, ensure_ascii=ascii_only)}"
        for key, value in (*held.items(), *list(held.items())[:1])
    )
    text = f'[{json.dumps(beside)}, {{"x": {{{pairs}}}}}]'
    assert "appears twice" in refused(text).message


@pytest.mark.parametrize("text", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_not_called_bad_json(text: bytes) -> None:
    assert refused(text).problem("given.json").message == "the file is empty"
