"""Misspelt keys of recorded lines: told with the nearest key in every suite, and never read as another answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core import plugins
from karat.core.case_files.line_keys import misspelt_key
from karat.core.case_files.loaded import all_predictions
from karat.core.problems import Problem, slip_of
from karat.core.results.usage import USAGE

USAGE_BY_NAME = {metric.name: metric for metric in USAGE}
SELECTION: dict[str, Any] = {"indicator_selection": []}
ANSWERS: dict[str, dict[str, Any]] = {
    "data_query": SELECTION,
    "data_query, MCP": {"structuredContent": {"queries": []}},
    "data_query, response": {"response": SELECTION},
    "retrieval": {"results": ["d1"]},
    "codegen": {"code": "result = 1"},
    "answers": {"answer": "37"},
}


def recorded(suite: str, path: Path, *lines: dict[str, Any]) -> karat.LoadedPredictions:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    chosen = plugins.load_suite(suite)
    if chosen.stream_predictions is None:
        return chosen.read_predictions(path)
    return all_predictions(chosen.stream_predictions(path))


def told(loaded: karat.LoadedPredictions) -> list[tuple[int, str, str]]:
    return [(problem.line, problem.severity, problem.hint) for problem in loaded.problems]


@pytest.mark.parametrize("form", ANSWERS)
def test_what_an_answer_took_is_warned_of_once_and_the_answer_counts(form: str, tmp_path: Path) -> None:
    lines = [{"id": f"q{number}", **ANSWERS[form], "latncy": 1.5} for number in range(3)]
    loaded = recorded(form.partition(",")[0], tmp_path / "p.jsonl", *lines)
    assert told(loaded) == [(1, "warning", 'Did you mean "latency"?')]
    assert [one.case_id for one in loaded.predictions] == ["q0", "q1", "q2"]


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize(
    ("key", "meant"), [("tun", "turn"), ("trun", "turn"), ("repaet", "repeat"), ("Repeat", "repeat")]
)
def test_an_answer_at_a_misspelt_place_is_no_answer_to_another(form: str, key: str, meant: str, tmp_path: Path) -> None:
    """It was read as the answer to turn 0, and the right answer to turn 0 was refused as a second one."""
    lines = [{"id": "q", **ANSWERS[form], key: 1}, {"id": "q", **ANSWERS[form], meant: 0}]
    loaded = recorded(form.partition(",")[0], tmp_path / "p.jsonl", *lines)
    assert told(loaded) == [(1, "error", f'Did you mean "{meant}"?')]
    assert len(loaded.predictions) == 1


@pytest.mark.parametrize("form", ANSWERS)
def test_other_keys_are_left_alone(form: str, tmp_path: Path) -> None:
    notes = {"model": "m", "host": "h", "time": 3, "usage": {}, "explanation": "e", "total": 3}
    loaded = recorded(form.partition(",")[0], tmp_path / "p.jsonl", {"id": "q", **ANSWERS[form], **notes})
    assert (loaded.problems, len(loaded.predictions)) == ((), 1)


def test_a_number_of_turns_is_a_note() -> None:
    problem = misspelt_key(b'{"id": "q", "turns": 3}', ("id",), "p.jsonl", 1, set())
    assert isinstance(problem, Problem) and problem.severity == "warning"


@pytest.mark.parametrize("line", [b"", b"[1]", b"\xff", b'{"a":' * 3000, b"null"])
def test_what_is_no_object_is_for_its_reader(line: bytes) -> None:
    assert misspelt_key(line, ("id",), "p.jsonl", 1, set()) is None


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("latncy", "latency"),
        ("ltaency", "latency"),
        ("latency", ""),
        ("tun", "turn"),
        ("trun", "turn"),
        ("Turn", "turn"),
        ("return", ""),
        ("host", ""),
        ("turning", ""),
    ],
)
def test_slips(word: str, meant: str) -> None:
    assert slip_of(word, ("turn", "latency", "cost")) == meant


@pytest.mark.parametrize("form", ANSWERS)
def test_what_an_answer_cannot_have_taken_is_warned_of_and_not_counted(form: str, tmp_path: Path) -> None:
    """A latency of -5 lowered the mean of all others, and 1e308 twice was more than a number holds."""
    suite = form.partition(",")[0]
    wrong: list[dict[str, Any]] = [{"latency": -5}, {"cost": -0.1}, {"latency": 1e308}]
    wrong += [] if suite == "retrieval" else [{"tokens": "many"}, {"tokens": -3}, {"tokens": {"total_tokens": "x"}}]
    for number, measures in enumerate(wrong):
        (key,) = measures
        good = {"latency": 2.0, "tokens": {"total_tokens": 3}, "cost": 0} if suite != "retrieval" else {"latency": 2.0}
        lines = [{"id": name, **ANSWERS[form], **measures} for name in "ab"] + [{"id": "c", **ANSWERS[form], **good}]
        loaded = recorded(suite, tmp_path / f"{number}.jsonl", *lines)
        assert [(one.line, one.severity) for one in loaded.problems] == [(1, "warning")], loaded.problems
        assert loaded.problems[0].message.startswith(f'"{key}" cannot be ')
        values = [USAGE_BY_NAME[key].score(one).value for one in loaded.predictions]
        assert values[:2] == [None, None], (measures, values)
        assert USAGE_BY_NAME["latency"].score(loaded.predictions[2]).value == 2.0
