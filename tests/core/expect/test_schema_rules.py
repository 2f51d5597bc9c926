"""The editor schema accepts what the reader accepts, and refuses what it refuses."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from karat.core.plugins import load_suite
from karat.verbs.setup.schema import cases_schema

GOOD = (
    "{tools: {called: [a, {tool: b, arguments: {x: {matches: '^a'}, y: {one_of: [1]}, z: 1}, at_most: 0}]}}",
    "{tools: {only: []}}",
    "{tools: {never: [a]}, answer: refusal}",
    "{tools: {called: [{tool: a, arguments: {s: {exactly: {matches: 1}}, t: {between: [1, 2]}, u: {any: true}}}]}}",
    "{tables: {only: []}}",
    "{tables: {used: [a]}, datasets: {never: [b]}}",
    "{sources: {at_least: 0}}",
    "{limits: {seconds: 0, cost: 0.5}}",
    "{limits: {tokens: '12'}}",
)
BAD = (
    "{}",
    "{answer: refuse}",
    "{toolz: {}}",
    "{tools: {}}",
    "{tools: {called: []}}",
    "{tools: {called: ['']}}",
    "{tools: {called: a}}",
    "{tools: {called: [{arguments: {}}]}}",
    "{tools: {called: [{tool: a, at_least: -1}]}}",
    "{tools: {called: [{tool: a, exactly: 1, at_most: 2}]}}",
    "{tools: {called: [{tool: a, arguments: {s: {matches: a, any: true}}}]}}",
    "{tools: {called: [{tool: a, arguments: {s: {between: [1]}}}]}}",
    "{tools: {called: [{tool: a, arguments: {s: {any: false}}}]}}",
    "{tools: {called: [{tool: a, arguments: {s: {one_of: x}}}]}}",
    "{tools: {called: [{tool: a, arguments: {s: {sql_tables: t}}}]}}",
    "{tables: {}}",
    "{tables: {usd: [a]}}",
    "{sources: {}}",
    "{sources: {at_least: -2}}",
    "{limits: {}}",
    "{limits: {seconds: -3}}",
    "{limits: {seconds: '-3'}}",
)


@pytest.mark.parametrize(("expect", "good"), [*((one, True) for one in GOOD), *((one, False) for one in BAD)])
def test_schema_and_reader_agree(expect: str, good: bool, tmp_path: Path) -> None:
    text = f"id: a\nconversation:\n- role: user\n  content: Q\n  expect: {expect}\n"
    (tmp_path / "a.yaml").write_text(text)
    suite = load_suite("data_query")
    assert (not suite.load_cases(tmp_path / "a.yaml").problems) is good
    assert jsonschema.Draft7Validator(cases_schema(suite)).is_valid(yaml.safe_load(text)) is good
