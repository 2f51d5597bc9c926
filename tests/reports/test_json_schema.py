"""The shipped JSON Schemas: up to date with the structs, true to what is written, and strict enough to notice a
change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import karat
from karat.core import plugins
from karat.reports.json import result_json
from karat.reports.json_schema import RESULT_FILE, details_schema, result_schema, written
from karat.verbs.setup.init import copy_example
from tests.reports.reviewed_sample import REVIEWED, TRIED
from tests.reports.sample_results import RESULT
from tests.reports.schema_check import own_file, validated

SUITES = ("answers", "codegen", "data_query", "retrieval")
DEMOS: dict[str, list[dict[str, Any]]] = {
    "answers": [{"cases": "gold", "predictions": "submission"}],
    "codegen": [
        {"cases": "tasks.yaml", "predictions": "hasty.jsonl", "limit": 3, "options": {"scales": [1]}},
    ],
    "data_query": [
        {"cases": "cases", "predictions": "predictions.jsonl"},
        {"cases": "cases", "predictions": "predictions.jsonl", "repeats": 2},
    ],
    "retrieval": [{"cases": "shop.sheet", "options": {"models": ["bm25"]}}],
}


@pytest.mark.parametrize("name", SUITES)
def test_the_shipped_details_are_up_to_date(name: str) -> None:
    suite = plugins.load_suite(name)
    schema = details_schema(suite)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert own_file(suite).read_bytes() == written(schema), "run: make schema"


def test_the_shipped_result_is_up_to_date() -> None:
    jsonschema.Draft202012Validator.check_schema(result_schema())
    assert RESULT_FILE.read_bytes() == written(result_schema()), "run: make schema"


@pytest.mark.parametrize("name", SUITES)
def test_the_examples_validate(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_example(name, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    for words in DEMOS[name]:
        found = validated(result_json(karat.run(suite=name, **words, store=tmp_path / "karat.db")))
        assert sum(bool(case["details"]) for case in found["cases"]) >= 3


def test_reviewed_and_repeated_results_validate() -> None:
    for result in (REVIEWED, TRIED):
        jsonschema.validate(json.loads(result_json(result)), result_schema())


def test_a_key_that_is_new_or_gone_does_not_validate() -> None:
    found = json.loads(result_json(RESULT))
    for change in ({"extra": 1}, {"summary": None}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**found, **change}, result_schema())
    found["cases"][0].pop("reasons")
    with pytest.raises(jsonschema.ValidationError, match="'reasons' is a required property"):
        jsonschema.validate(found, result_schema())


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("retrieval", {"fields": []}),
        ("data_query", {"dimensions": [], "label_drift": [], "datasets": [], "cluster": "c"}),
    ],
)
def test_details_that_are_new_or_gone_do_not_validate(name: str, good: dict[str, Any]) -> None:
    details = jsonschema.Draft202012Validator(details_schema(plugins.load_suite(name)))
    for right in (good, {}, {"cluster": "c"}):
        details.validate(right)
    wrong = [{**good, "other": 1}, *({k: v for k, v in good.items() if k != key} | {"x": 0} for key in good)]
    assert not any(details.is_valid(one) for one in wrong)


def test_a_suite_with_plain_details_allows_any_object() -> None:
    def plain(_turns: object) -> dict[str, Any]:
        return {}

    class Plain:
        name = "plain"
        details = staticmethod(plain)

    schema = details_schema(Plain)  # type: ignore[arg-type]  # only these two are read
    assert schema["type"] == "object"
    assert "properties" not in schema
