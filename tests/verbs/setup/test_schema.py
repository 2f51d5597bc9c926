"""Schemas for editors: every file that Karat reads is valid, and a typo is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from karat.core import plugins
from karat.core.problems import UserError
from karat.runs.project_file.project import load_project
from karat.verbs.setup.init import start_project
from karat.verbs.setup.schema import SHIPPED, schemas, written

EXAMPLES = Path(__file__).parents[3] / "examples"
SUITES = ("answers", "codegen", "data_query", "retrieval")
ALL = schemas(own=True)


class Core(yaml.SafeLoader):
    """YAML 1.2 as editors read it: yes and no are texts, and so are dates."""


Core.yaml_implicit_resolvers = {}
Core.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
Core.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
Core.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("^[-+]?[0-9]+$"), list("-+0123456789"))
FLOAT = re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")
Core.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+.0123456789"))


def documents(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=Core))


def errors(name: str, value: Any) -> list[str]:
    return [error.message for error in jsonschema.Draft7Validator(ALL[name]).iter_errors(value)]


def test_the_shipped_schemas_are_those_of_the_structs() -> None:
    assert {file.name: file.read_bytes() for file in SHIPPED.glob("*.json")} == {
        f"{name}.schema.json": written(schema) for name, schema in ALL.items()
    }, "make schema writes them again"


@pytest.mark.parametrize("name", ALL)
def test_every_schema_is_one(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(ALL[name])


@pytest.mark.parametrize("suite", SUITES)
def test_the_examples_are_valid(suite: str, tmp_path: Path) -> None:
    start_project(tmp_path, suite)
    assert errors("karat", documents((tmp_path / "karat.yaml").read_text())[0]) == []
    for file in tmp_path.rglob("*.yaml"):
        if file.name != "karat.yaml" and ".karat" not in file.parts:
            for document in documents(file.read_text()):
                assert errors(f"{suite}.cases", document) == [], file
    for file in tmp_path.rglob("*.jsonl"):
        name = f"{suite}.cases" if "gold" in file.name else f"{suite}.predictions"
        for line in file.read_text().splitlines():
            if not line.endswith("%}"):  # a loose line of the example, which is no JSON
                assert errors(name, json.loads(line)) == [], (file, line)


@pytest.mark.parametrize("kind", ["function", "command", "openai", "http"])
def test_new_projects_are_valid_and_name_their_schema(kind: Any, tmp_path: Path) -> None:
    start_project(tmp_path, kind=kind, base_url="http://localhost:1" if kind in ("openai", "http") else None)
    text = (tmp_path / "karat.yaml").read_text()
    assert errors("karat", documents(text)[0]) == []
    for file in (tmp_path / "karat.yaml", tmp_path / "cases" / "population_chile.yaml"):
        first = file.read_text().splitlines()[0]
        assert first.startswith("# yaml-language-server: $schema=")
        assert (file.parent / first.partition("=")[2]).resolve().is_file()


PROJECTS = """
suites: [{suite: data_query, cases: cases, predictions: p.jsonl}]
---
suites: [{suite: answers, questions: q.yaml, databases: dbs, predictions: p.jsonl, options: {rel_tol: "1e-3"}}]
---
suites: [{suite: codegen, cases: t.yaml, system: a, options: {perturb: quick, scales: [1, "4"], performance: no}}]
systems: {a: {type: openai, base_url: http://x, model: 4, retries: "2", prices: {default: {input: 1, output: 2.5}}}}
---
suites: [{suite: retrieval, cases: s.sheet, options: {max_n: ~, models: [bm25]}}]
---
name: 12
suites:
run: {repeats: 3, tags: [a, 1], order: file, grace: 1_0}
---
gates: [{metric: data_query.macro_recall, at_least: 0.5}, {no_new_failures: {tag: critical}}]
suites: [{suite: data_query, cases: cases, predictions: p.jsonl}]
---
systems:
  c: {type: command, command: [a, b]}
  d: {type: command, command: a b, env: ~}
  f: {type: function, function: "m:f"}
"""
BROKEN = """
suites: [{suite: data_query, cases: cases, predicitons: p.jsonl}]
---
suites: [{suite: data_qeury, cases: cases}]
---
suites: [{suite: data_query, questions: q.yaml}]
---
suites: [{suite: data_query}]
---
suites: [{suite: data_query, cases: cases, options: {rel_tol: 1}}]
---
suites: [{suite: answers, cases: a, questions: b}]
---
suites: [{suite: codegen, cases: t.yaml, options: {perturb: quik}}]
---
suites: [{suite: codegen, cases: t.yaml, options: {scales: one}}]
---
systems: {a: {type: openai, base_url: http://x, model: m, temprature: 1}}
---
systems: {a: {type: opneai, base_url: http://x}}
---
systems: {a: {base_url: http://x}}
---
systems: {a: {type: openai, base_url: http://x, model: m, retries: many}}
---
run: {repeats: often}
---
run: {order: radnom}
---
gates: {metric: data_query.macro_recall}
---
gate: []
"""


@pytest.mark.parametrize("text", PROJECTS.split("---\n"))
def test_a_project_that_karat_reads_is_valid(text: str, tmp_path: Path) -> None:
    file = tmp_path / "karat.yaml"
    file.write_text(text)
    load_project(file)
    assert errors("karat", documents(text)[0]) == []


@pytest.mark.parametrize("text", BROKEN.split("---\n"))
def test_a_project_with_a_typo_is_not_valid_in_either(text: str, tmp_path: Path) -> None:
    file = tmp_path / "karat.yaml"
    file.write_text(text)
    with pytest.raises(UserError):
        load_project(file)
    assert errors("karat", documents(text)[0]) != []


CASES = {
    "data_query": """
id: 12
name: Peru
tags:
conversation:
- {role: user, content: "How many?", target: {indicator_selection: [{dataset_id: A:B, dimensions:
    [{dimension_name: C, values: [{id: 001, name: NO}], is_default: no}], period: {start: 2010}}], outcome: [answer]}}
""",
    "codegen": """
id: total
question: What is the total?
tables: {t: {a: [1, 2]}}
reference: result = t.a.sum()
expected: 3
timeout: "5"
status: draft
""",
}


def renamed(value: Any, at: list[int]) -> Any:
    """The value with one key spelled wrongly: the n-th of all its keys."""
    if isinstance(value, dict):
        found = {}
        for key, part in value.items():
            at[0] -= 1
            name = f"{key}x" if at[0] == 0 else key
            found[name] = renamed(part, at)
        return found
    return [renamed(part, at) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("suite", CASES)
def test_every_key_of_a_case_with_a_typo_is_wrong_in_both(suite: str, tmp_path: Path) -> None:
    chosen = plugins.load_suite(suite)
    (case,) = documents(CASES[suite])
    file = tmp_path / "case.yaml"
    file.write_text(CASES[suite])
    assert not chosen.load_cases(file).problems
    assert errors(f"{suite}.cases", case) == []
    assert errors(f"{suite}.cases", [case, case]) == []
    number, disagree = 1, []
    while (changed := renamed(case, [number])) != case:
        file.write_text(json.dumps(changed))
        try:
            accepted = not chosen.load_cases(file).problems
        except UserError:
            accepted = False
        valid = errors(f"{suite}.cases", changed) == []
        if accepted != valid:
            disagree.append((number, changed, accepted))
        number += 1
    assert number > 5
    assert disagree == []
