"""What an endpoint is told about the form of its answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import Case, Turn
from karat.suites.retrieval.records import Truths
from karat.systems.response_format import as_text_format, whole_format

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"]}


def made(given: Any, suite: str = "data_query", folder: Path | None = None, **options: Any) -> Any:
    loaded = load_suite(suite)
    return whole_format(given, loaded, loaded.options(**options), folder)


def test_nothing_a_word_or_a_whole_object() -> None:
    assert made(None) is made("") is None
    assert made("json_object") == {"type": "json_object"}
    whole = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    assert made(whole) == whole
    assert made(made("suite")) == made("suite")


def test_a_schema_is_wrapped_and_strict_only_where_endpoints_take_that() -> None:
    assert made(SCHEMA) == {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
    closed = SCHEMA | {"additionalProperties": False}
    assert made(closed)["json_schema"]["strict"] is True
    open_inside = {**closed, "properties": {"n": {"type": "object"}}}
    assert "strict" not in made(open_inside)["json_schema"]


def test_a_schema_from_yaml_has_typed_scalars_and_one_from_a_file_is_as_it_is(tmp_path: Path) -> None:
    as_texts = {"type": "object", "properties": {"n": {"minimum": "0"}}, "additionalProperties": "false"}
    assert made(as_texts)["json_schema"]["schema"]["properties"] == {"n": {"minimum": 0}}
    assert made(as_texts)["json_schema"]["schema"]["additionalProperties"] is False
    texts = {"type": ["string", "null"], "enum": ["1", "null"], "maxLength": "5"}
    assert made(texts)["json_schema"]["schema"] == {"type": ["string", "null"], "enum": ["1", "null"], "maxLength": 5}
    numbers = {"type": "integer", "enum": ["1", "2"]}
    assert made(numbers)["json_schema"]["schema"]["enum"] == [1, 2]
    enum = SCHEMA | {"enum": ["1", "2"]}
    (tmp_path / "answer.json").write_text(json.dumps(enum))
    assert made("answer.json", folder=tmp_path)["json_schema"]["schema"] == enum


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match='"json_objekt"') as caught:
        made("json_objekt")
    assert 'Did you mean "json_object"?' in caught.value.hint
    with pytest.raises(UserError, match=r"no file shcema\.json"):
        made("shcema.json")
    with pytest.raises(UserError, match="not valid JSON"):
        made("{no json")
    with pytest.raises(UserError, match="a string or an object"):
        made([1])


def test_every_suite_has_a_schema_of_its_own() -> None:
    assert set(made("suite")["json_schema"]["schema"]["properties"]) >= {"indicator_selection", "is_out_of_scope"}
    assert made("suite")["json_schema"]["strict"] is True
    assert list(made("suite", "answers")["json_schema"]["schema"]["properties"]) == ["answer"]
    from karat.suites.answers.options import Engine

    with_database = made("suite", "answers", engines={"": Engine(engine="sqlite", database="x.db")})
    assert list(with_database["json_schema"]["schema"]["properties"]) == ["sql"]
    assert list(made("suite", "codegen")["json_schema"]["schema"]["properties"]) == ["code"]
    assert list(made("suite", "retrieval")["json_schema"]["schema"]["properties"]["fields"]["properties"]) == [
        "documents"
    ]
    assert all(made("suite", name)["json_schema"]["strict"] is True for name in ("answers", "codegen", "retrieval"))


def test_fields_that_only_some_cases_have_are_not_required() -> None:
    suite = load_suite("retrieval")
    cases = [
        Case(str(number), (Turn("user", "Which?", Truths({name: {"k": 1} for name in names})),))
        for number, names in enumerate((("a", "b"), ("b",)))
    ]
    given = whole_format("suite", suite, suite.options(), cases=cases)
    assert given is not None
    fields = given["json_schema"]["schema"]["properties"]["fields"]
    assert (list(fields["properties"]), fields["required"]) == (["a", "b"], ["b"])
    assert "strict" not in given["json_schema"]


def test_the_responses_api_takes_the_schema_unwrapped() -> None:
    assert as_text_format(made("json_object")) == {"type": "json_object"}
    closed = SCHEMA | {"additionalProperties": False}
    assert as_text_format(made(closed)) == {"type": "json_schema", "name": "answer", "strict": True, "schema": closed}
