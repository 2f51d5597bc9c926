"""YAML as it stands in the file, typed, with a place for every mistake, and no way to end the process."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from karat.core.json_types import TypedObject
from karat.core.problems import problem_text
from karat.core.yaml.structs import Findings, documents, load, read


class Inner(msgspec.Struct, frozen=True):
    id: str
    name: str = ""


class Thing(msgspec.Struct, frozen=True):
    title: str
    items: tuple[Inner, ...] = ()
    count: int = 0
    share: float | None = None
    on: bool = False
    mode: Literal["a", "b"] = "a"
    more: dict[str, int] = {}


def read_text(text: str) -> tuple[Thing | None, Findings]:
    findings = Findings("t.yaml")
    found = [read(Thing, node, findings) for node in documents(text.encode(), findings)]
    return (found[0] if found else None), findings


@pytest.mark.parametrize(
    "text", ["NO", "001", "1:30", "1e3", "null", "~", "0x1F", "2020-01-01", "yes", ".5", "1_000", "off"]
)
def test_text_stays_the_text_in_the_file(text: str) -> None:
    thing, findings = read_text(f"title: {text}\nitems: [{{id: {text}}}]")
    assert not findings.problems
    assert thing == Thing(text, (Inner(text),))


def test_all_mistakes_of_a_file_with_their_places() -> None:
    thing, findings = read_text(
        "titel: x\nitems:\n- {id: LP, name: Population, Persons}\n- id: A\n  id: B\ncount: many\nmode: c\nitems: "
        "3\nshare: .nan\n"
    )
    assert thing is None
    assert [(p.line, p.column, p.message) for p in findings.problems] == [
        (1, 1, 'unknown key "titel" in a thing'),
        (3, 30, 'unknown key "Persons" in an inner'),
        (5, 3, 'the key "id" appears twice in an inner'),
        (6, 8, 'expected a whole number here, found "many"'),
        (7, 7, 'expected one of a, b; found "c"'),
        (8, 1, 'the key "items" appears twice in a thing'),
        (8, 8, 'expected a list here, found "3"'),
        (9, 8, 'expected a number here, found ".nan"'),
        (1, 1, 'a thing without "title"'),
    ]
    assert findings.problems[0].hint == 'Did you mean "title"?'
    assert (
        findings.problems[1].hint
        == 'The comma ended the string before it. Quote the whole value: "Population, Persons".'
    )


def test_a_problem_shows_its_line_with_a_caret(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("title: x\nmore: {a: 1}\nnmae: y\n")
    _, findings, _ = load(Thing, file)
    assert problem_text(findings.problems[0]).splitlines()[1:3] == ["    3 | nmae: y", "      | ^^^^"]


def test_empty_where_a_list_or_object_belongs_is_none_of_it() -> None:
    thing, findings = read_text("title: ''\nitems:\nmore: ~\nshare:\n")
    assert (thing, findings.problems) == (Thing(""), [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: [", "not valid YAML"),
        ("title: a: b", "not valid YAML: mapping values are not allowed"),
        ("\ttitle: a", "not valid YAML: found character that cannot start any token"),
        ("title: a\x01b", r"a control character (\x01)"),
        ("- a", "expected a thing here, found a list"),
        ("{[a]: b, title: x}", 'unknown key "…"'),
        ("title: x\n<<: {a: b}", 'unknown key "<<"'),
    ],
)
def test_broken_yaml_is_a_problem(text: str, message: str) -> None:
    thing, findings = read_text(text)
    assert thing is None
    assert findings.problems[0].message.startswith(message)


def test_bytes_that_are_no_text() -> None:
    findings = Findings("t.yaml")
    assert list(documents(b"title: ok\nname: \xff\xfe", findings)) == []
    assert (findings.problems[0].line, findings.problems[0].column) == (2, 7)
    assert "not UTF-8 text" in findings.problems[0].message


def test_an_error_in_a_later_document_keeps_the_earlier_ones() -> None:
    findings = Findings("t.yaml")
    roots = list(documents(b"title: a\n---\ntitle: b\n---\ntitle: [\n", findings))
    assert len(roots) == 2
    assert len(findings.problems) == 1


@pytest.mark.parametrize("text", [b"[" * 100_000, b"{a: " * 100_000, b"- " * 100_000 + b"x", b"? " * 100_000 + b"x"])
def test_deep_nesting_is_refused_before_the_parser_sees_it(text: bytes) -> None:
    findings = Findings("t.yaml")
    assert list(documents(text, findings)) == []
    assert "nested more than" in findings.problems[0].message


def test_deep_indentation_is_refused() -> None:
    text = "\n".join(" " * depth + "a:" for depth in range(2_000))
    findings = Findings("t.yaml")
    assert list(documents(text.encode(), findings)) == []
    assert "nested more than" in findings.problems[0].message


def test_an_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + [
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)
    ]
    findings = Findings("t.yaml")
    assert list(documents("\n".join(lines).encode(), findings)) == []
    assert "aliases" in findings.problems[0].message


def test_an_alias_to_its_own_parent_is_refused() -> None:
    findings = Findings("t.yaml")
    assert list(documents(b"&a [*a]", findings)) == []
    assert "aliases" in findings.problems[0].message


def test_a_few_aliases_are_fine() -> None:
    thing, findings = read_text("title: &t x\nitems: [{id: *t}, {id: *t}]")
    assert (thing, findings.problems) == (Thing("x", (Inner("x"), Inner("x"))), [])


@given(
    st.dictionaries(
        st.text(max_size=8), st.one_of(st.text(max_size=20), st.lists(st.text(max_size=8), max_size=3)), max_size=4
    )
)
def test_any_text_written_by_yaml_reads_back_as_text(data: dict[str, object]) -> None:
    class Any_(msgspec.Struct):
        value: dict[str, str | list[str]]

    dumped = yaml.safe_dump({"value": data}, default_style='"')
    findings = Findings("t.yaml")
    found = [read(Any_, node, findings) for node in documents(dumped.encode(), findings)]
    assert not findings.problems
    assert found[0] is not None
    assert found[0].value == data


@given(st.binary(max_size=200))
def test_any_bytes_give_values_or_problems_never_an_exception(data: bytes) -> None:
    findings = Findings("t.yaml")
    for node in documents(data, findings):
        read(Thing, node, findings)


class Call(msgspec.Struct, frozen=True):
    """Something with values of any type."""

    arguments: TypedObject


def read_arguments(value: str) -> tuple[object, tuple[str, ...]]:
    findings = Findings("calls.yaml")
    nodes = list(documents(f"arguments: {{code: {value}}}".encode(), findings))
    found = read(Call, nodes[0], findings) if nodes else None
    messages = tuple(problem.message for problem in findings.problems)
    return (found.arguments["code"] if isinstance(found, Call) else None), messages


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("E10", "E10"),
        ("e5", "e5"),
        ("-e5", "-e5"),
        ("+E1", "+E1"),
        (".e5", ".e5"),
        ("1e5", 1e5),
        ("-2.5e-3", -2.5e-3),
        (".5", 0.5),
        ("1.", "1."),
        ("007", "007"),
        ("12", 12),
        ("1e-999", 0.0),
    ],
)
def test_values_have_the_types_that_they_look_like(text: str, value: object) -> None:
    """``E10``, an exponent without a number, was a bug in karat."""
    found, messages = read_arguments(text)
    assert (found, type(found), messages) == (value, type(value), ())


@pytest.mark.parametrize("text", ["1e999", "-9.9e400", "9" * 301 + ".5e200"])
def test_a_number_beyond_all_bounds_is_a_mistake(text: str) -> None:
    _, messages = read_arguments(text)
    assert [message.rpartition(" is ")[2] for message in messages] == ["beyond all numbers"]


@given(st.text(alphabet="0123456789eE+-._ \u0663", min_size=1, max_size=8))
@example("- ")
def test_no_text_of_signs_and_digits_is_an_exception(text: str) -> None:
    for value in (text, f"{text}x"):
        found, messages = read_arguments(value)
        assert found is not None or messages or not value.strip()
