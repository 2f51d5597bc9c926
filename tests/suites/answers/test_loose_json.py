"""JSONL, and the contract's own samples as they are printed there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.files.reading import FileRefused
from karat.suites.answers.gold import loose_json
from karat.suites.answers.gold.loose_json import MAX_DEPTH, member_text, read_file, read_objects

SAMPLE = """{
    "instance_id": "one",
    "answer_type": "answer",
    "answer_or_path": 17.5056918%
},
{
    "instance_id": "two",
    "evaluation": {"parameters": {"gold": ["a",], "percentage": true,}}
},
{

}
"""


def values(text: str) -> list[Any]:
    found, problems = read_objects(text.encode(), "f")
    assert problems == []
    return [item.value for item in found]


def test_clean_jsonl_with_blank_lines_and_a_mark_at_the_start() -> None:
    found, problems = read_objects(b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": "\xc3\xa9"}', "f")
    assert [(item.value, item.line) for item in found] == [({"a": 1}, 1), ({"a": "é"}, 3)]
    assert problems == []


def test_the_contracts_sample_form() -> None:
    found, problems = read_objects(SAMPLE.encode(), "f")
    assert problems == []
    assert [(item.value, item.line) for item in found] == [
        ({"instance_id": "one", "answer_type": "answer", "answer_or_path": "17.5056918%"}, 1),
        ({"instance_id": "two", "evaluation": {"parameters": {"gold": ["a"], "percentage": True}}}, 6),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}, {"b": 2}]',
        '[\n  {"a": 1},\n  {"b": 2},\n]',
        '{"a": 1}{"b": 2}',
        '{"a": 1,}\n,\n{"b": 2}',
        '{}\n{"a":1},{"b":2}',
    ],
)
def test_lists_commas_and_empty_objects(text: str) -> None:
    assert values(text) == [{"a": 1}, {"b": 2}]


def test_utf16_is_read() -> None:
    found, _ = read_objects('{"a": "é"}'.encode("utf-16"), "f")
    assert found[0].value == {"a": "é"}


def test_a_number_is_pythons_and_its_text_is_kept() -> None:
    found, _ = read_objects(b'{"a": 17.50, "b": 1e3, "c": -0.0, "d": 123456789012345678901, "e": "x"}', "f")
    assert [str(value) for value in found[0].value.values()] == ["17.5", "1000.0", "-0.0", "123456789012345678901", "x"]
    assert [member_text(found[0].raw, key) for key in "abcdez"] == [
        "17.50",
        "1e3",
        "-0.0",
        "123456789012345678901",
        '"x"',
        "",
    ]
    loose, _ = read_objects(b'{"a": 17.50,\n "b": 5%}', "f")
    assert (member_text(loose[0].raw, "a"), member_text(loose[0].raw, "b")) == ("17.50", "5%")


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ('{"a": 1}\n{"a" 2}\n{"a": 3}\n', 2, 6, 'expected ":" after the key "a"'),
        ('{"a": 1}\n{"a": twelve}\n{"a": 3}\n', 2, 7, 'found "twelve"'),
        ('{"a": 1}\n{"a": "open}\n{"a": 3}\n', 2, 7, "cannot be read"),
        ('{"a": 1}\n{"a": 2\n{"a": 3}\n', 3, 1, 'expected "," or "}"'),
        ('{"a": 1}\nnonsense\n{"a": 3}\n', 2, 1, "expected an object"),
        ('{"a": 1}\n}\n{"a": 3}\n', 2, 1, "expected an object"),
        ('{"a": 1}\n"text"\n{"a": 3}\n', 2, 1, "expected an object"),
        ('{"a": 1}\n{"a": "\\ud800"}\n{"a": 3}\n', 2, 7, "not UTF-8"),
    ],
)
def test_a_bad_row_is_named_by_line_and_column_and_the_others_load(
    text: str, line: int, column: int, said: str
) -> None:
    found, problems = read_objects(text.encode(), "f")
    assert [item.value["a"] for item in found] == [1, 3]
    assert [(p.line, p.column) for p in problems] == [(line, column)]
    assert said in problems[0].message


def test_bytes_that_are_not_utf8_cost_their_own_row() -> None:
    found, problems = read_objects(b'{"a": 1}\n{"a": "caf\xe9"}\n{"a": 3}', "f")
    assert [item.value["a"] for item in found] == [1, 3]
    assert (problems[0].line, problems[0].column) == (2, 7)


def test_a_broken_object_over_several_lines_does_not_give_its_inner_objects() -> None:
    text = '{\n  "id": 1,\n  "list": [\n    {"id": "inner"},\n    {"id": oops}\n  ]\n},\n{\n  "id": 2\n}\n'
    found, problems = read_objects(text.encode(), "f")
    assert [(item.value, item.line) for item in found] == [({"id": 2}, 8)]
    assert (problems[0].line, problems[0].column) == (5, 12)


def test_an_emoji_written_as_escapes_is_read_beside_a_bad_row() -> None:
    found, _ = read_objects(b'{"a": "\\ud83d\\ude00 C:\\\\udir"}\nbad\n', "f")
    assert found[0].value == {"a": "😀 C:\\udir"}


def test_depth_and_size_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nested(levels: int) -> bytes:
        return b'{"a": ' + b"[" * levels + b"]" * levels + b"}"

    found, problems = read_objects(nested(MAX_DEPTH - 2) + b"\n" + nested(100_000) + b'\n{"a": 1}', "f")
    assert len(found) == 2
    assert (problems[0].line, "deep" in problems[0].message) == (2, True)
    assert len(read_objects(b'{"a": %s}' % (b"9" * 10_000), "f")[1]) == 1
    monkeypatch.setenv("KARAT_MAX_FILE_MB", "1")
    file = tmp_path / "f"
    file.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(FileRefused, match="larger than 1 MiB"):
        read_file(file)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": 17%, "a": 2}', '{"b": {"a": 1, "a": 2},}'])
def test_a_key_that_stands_twice_costs_its_object(text: str) -> None:
    found, problems = read_objects(f'{{"z": 1}}\n{text}\n{{"a": 1}}'.encode(), "f")
    assert [one.value for one in found] == [{"z": 1}, {"a": 1}]
    assert [(one.line, "appears twice" in one.message) for one in problems] == [(2, True)]


def test_the_list_of_problems_ends() -> None:
    _, problems = read_objects(b"{\n" * 5_000, "f")
    assert len(problems) == loose_json.MAX_PROBLEMS + 1


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.lists(st.dictionaries(st.text(), plain, min_size=1, max_size=3), max_size=4)


@given(objects, st.booleans(), st.sampled_from(["\n", ",\n", " "]), st.sampled_from([None, 1, 4]))
def test_whatever_json_writes_is_read_back(rows: list[Any], ascii_only: bool, between: str, indent: int | None) -> None:
    texts = [json.dumps(row, ensure_ascii=ascii_only, indent=indent) for row in rows]
    assert values(between.join(texts)) == rows
    assert values(json.dumps(rows, ensure_ascii=ascii_only, indent=indent)) == rows


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    read_objects(data, "f")
    read_objects(b'{"a": ' + data, "f")
