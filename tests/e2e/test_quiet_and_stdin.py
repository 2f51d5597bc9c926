"""``--predictions -`` reads standard input, and ``--quiet`` and ``--verbose`` are options of every verb."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import typer.main

from karat.cli.main import app
from tests.warm import warm_karat

CASE = """id: {name}
conversation:
- role: user
  content: How many?
  target:
    indicator_selection:
    - {{dataset_id: A:B, dimensions: [{{dimension_name: C, values: [{{id: D, name: E}}]}}]}}
"""
RIGHT = (
    '"indicator_selection": [{"dataset_id": "A:B", "dimensions": [{"dimension_name": "C", "values": '
    '[{"id": "D", "name": "E"}]}]}]'
)
WRONG = '"indicator_selection": []'


def karat(folder: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(warm_karat(*words), cwd=folder, input=given, capture_output=True, text=True, timeout=120)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    for number in range(8):
        (tmp_path / "cases" / f"c{number}.yaml").write_text(CASE.format(name=f"c{number}"))
    return tmp_path


def lines(right: int, count: int = 8) -> str:
    return "".join(f'{{"id": "c{n}", {RIGHT if n < right else WRONG}}}\n' for n in range(count))


SCORE = ("score", "--suite", "data_query", "--cases", "cases", "--predictions", "-")


def test_predictions_come_through_standard_input(folder: Path) -> None:
    done = karat(folder, *SCORE, "--json", "-", given=lines(6))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["run"]["system"] == "standard input"
    assert {item["metric"]: item["mean"] for item in result["summary"]}["macro_recall"] == 0.75


def test_a_stored_run_takes_standard_input_too(folder: Path) -> None:
    given = ("--suite", "data_query", "--cases", "cases", "--predictions", "-", "--json", "-")
    done = karat(folder, "run", *given, given=lines(8))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"]["id"] == "r-0001"


def test_a_run_from_standard_input_can_be_resumed(folder: Path) -> None:
    given = ("--suite", "data_query", "--cases", "cases", "--predictions", "-")
    done = karat(folder, "run", *given, given=lines(8, count=5))
    assert "r-0001" in done.stdout + done.stderr and "inputs" not in done.stdout + done.stderr
    (kept,) = (folder / ".karat" / "inputs").glob("*/predictions")
    assert kept.read_text() == lines(8, count=5) and kept.stat().st_mode & 0o077 == 0
    resumed = karat(folder, "run", "--resume", "latest", "--json", "-")
    assert resumed.returncode == done.returncode, resumed.stderr
    assert [case["status"] for case in json.loads(resumed.stdout)["cases"]] == ["scored"] * 5 + ["missing"] * 3
    kept.write_text(lines(8))  # what was missing has come
    resumed = karat(folder, "run", "--resume", "latest", "--json", "-")
    assert [case["status"] for case in json.loads(resumed.stdout)["cases"]] == ["scored"] * 8


@pytest.mark.parametrize(
    ("suite", "case", "answer"),
    [
        ("retrieval", "q1 0 d1 1\n", '{"id": "q1", "results": ["d1"]}\n'),
        ("retrieval", "q1 0 d1 1\n", "q1 Q0 d1 1 0.5 mine\n"),
        ("retrieval", "q1 0 d1 1\n", '{"q1": {"d1": 0.5}}'),
        (
            "answers",
            '{"instance_id": "q1", "evaluation": {"func": "number_match", "parameters": {"gold": 3}}}\n',
            '{"instance_id": "q1", "answer_type": "answer", "answer_or_path": "3"}\n',
        ),
        ("codegen", '{"id": "q1", "question": "Three?", "expected": 3}\n', '{"id": "q1", "code": "result = 3"}\n'),
    ],
)
def test_every_suite_reads_standard_input(suite: str, case: str, answer: str, tmp_path: Path) -> None:
    (tmp_path / "karat_gold.jsonl").write_text(case)
    words = ("--suite", suite, "--cases", "karat_gold.jsonl", "--predictions", "-", "--json", "-")
    done = karat(tmp_path, "score", *words, given=answer)
    assert done.returncode == 0, done.stderr
    assert [case["status"] for case in json.loads(done.stdout)["cases"]] == ["scored"]


def test_a_bad_line_is_named_and_an_empty_input_is_an_error(folder: Path) -> None:
    done = karat(folder, *SCORE, given="not json\n" + lines(8))
    assert done.returncode == 3
    assert "standard input:1" in done.stderr and "/tmp" not in done.stderr
    empty = karat(folder, *SCORE)
    assert (empty.returncode, "standard input is empty" in empty.stderr) == (2, True)


def test_quiet_prints_figures_and_errors_only(folder: Path) -> None:
    usual, quiet = karat(folder, *SCORE, given=lines(2)), karat(folder, *SCORE, "--quiet", given=lines(2))
    assert "worst cases" in usual.stdout
    assert "worst cases" not in quiet.stdout and quiet.stderr == ""
    assert "macro recall          0.250" in quiet.stdout
    before = karat(folder, "--quiet", *SCORE, given=lines(2))
    assert before.stdout == quiet.stdout
    warned = karat(folder, *SCORE, "-q", given=lines(8) + '{"id": "stranger", "indicator_selection": []}\n')
    assert (warned.returncode, warned.stderr) == (0, "")
    wrong = karat(folder, *SCORE, "--quiet", given="not json\n" + lines(8))
    assert wrong.returncode == 3 and "standard input:1" in wrong.stderr


def test_quiet_init_and_export_say_nothing(folder: Path) -> None:
    assert karat(folder, "init", "project", "--quiet").stdout == ""
    run = karat(folder / "project", "run", "--quiet")
    assert run.returncode == 3 and run.stderr == "" and "saved" not in run.stdout
    done = karat(folder / "project", "export", "latest", "--scores", "scores.csv", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_verbose_names_every_case_that_is_not_right(folder: Path) -> None:
    given = lines(1, 7)
    usual, verbose = karat(folder, *SCORE, given=given), karat(folder, *SCORE, "--verbose", given=given)
    for number in range(1, 7):
        assert f"c{number}  0.00" in verbose.stdout.replace("   ", "  ")
    assert "c6  0.00" not in usual.stdout.replace("   ", "  ")
    assert "c7" in verbose.stdout  # without a prediction
    for step in ("cases read", "predictions read", "scored"):
        assert f" s  {step}" in verbose.stderr and step not in usual.stderr


def test_both_at_once_are_refused(folder: Path) -> None:
    for words in (("--quiet", "--verbose"), ("-q", "-v")):
        done = karat(folder, *SCORE, *words, given=lines(8))
        assert done.returncode == 2 and "cannot be combined" in done.stderr
    assert karat(folder, "--quiet", *SCORE, "--verbose", given=lines(8)).returncode == 2


def test_every_verb_has_both() -> None:
    group = typer.main.get_group(app)
    for command in group.commands.values():
        for leaf in getattr(command, "commands", {"": command}).values():
            names = {name for parameter in leaf.params for name in parameter.opts}
            assert {"--quiet", "--verbose", "-q", "-v"} <= names, leaf.name
