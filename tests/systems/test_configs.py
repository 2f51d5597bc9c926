"""Every system's configuration as it stands in a project file."""

from __future__ import annotations

from typing import Any

import pytest

from karat.core.plugins import load, names
from karat.core.system import Price, SystemConfig, SystemType
from karat.core.yaml import structs as yaml

FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "replay": ("{type: replay, predictions: answers.jsonl}", {"predictions": "answers.jsonl"}),
    "http": (
        '{type: http, url: "http://h/", headers: {A: "${B}"}, request: {q: "{question}", n: 5}, requests_per_minute: '
        "30}",
        {
            "headers": {"A": "${B}"},
            "request": {"q": "{question}", "n": "5"},
            "requests_per_minute": 30.0,
        },
    ),
    "openai": (
        '{type: openai, base_url: "http://h/v1", model: m, api_key_env: "", stream: true, prices: {m: {input: 1, '
        "output: 2}}}",
        {"api_key_env": "", "stream": True, "prices": {"m": Price(1.0, 2.0)}, "temperature": None},
    ),
    "command": (
        "{type: command, command: [python, bot.py], env: [HOME]}",
        {"command": ["python", "bot.py"], "env": ["HOME"]},
    ),
    "function": (
        "{type: function, function: 'bot:answer', concurrency: 2}",
        {"function": "bot:answer", "concurrency": 2},
    ),
}


def read(name: str, text: str) -> tuple[SystemConfig | None, list[str]]:
    findings = yaml.Findings("karat.yaml")
    (node,) = yaml.documents(text.encode(), findings)
    found = yaml.read(load("karat.systems", name).config, node, findings)
    return found, [f"{problem.message} {problem.hint}" for problem in findings.problems]


def test_every_system_is_here() -> None:
    assert set(FILES) <= set(names("karat.systems"))


@pytest.mark.parametrize("name", FILES)
def test_a_configuration_is_read(name: str) -> None:
    text, expected = FILES[name]
    found, problems = read(name, text)
    assert problems == []
    values: dict[str, Any] = {key: getattr(found, key) for key in expected}
    assert values == expected


@pytest.mark.parametrize("name", FILES)
def test_an_unknown_key_is_a_mistake_with_the_nearest_known_one(name: str) -> None:
    found, problems = read(name, FILES[name][0].replace("{type:", "{concurency: 3, type:"))
    (problem,) = problems
    assert found is None
    assert 'unknown key "concurency"' in problem
    assert 'Did you mean "concurrency"?' in problem


@pytest.mark.parametrize("name", FILES)
def test_each_system_says_what_it_is(name: str) -> None:
    found = load("karat.systems", name)
    assert isinstance(found, SystemType)
    assert (found.name, bool(found.summary)) == (name, True)


def test_a_command_may_be_one_line() -> None:
    found, _ = read("command", "{type: command, command: python bot.py --x}")
    assert getattr(found, "command", None) == "python bot.py --x"
