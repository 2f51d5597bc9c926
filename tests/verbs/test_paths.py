"""Paths that verbs are given: the same from Python as from the command line, and outputs that do not replace one
another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.core.files.reading import FileRefused, open_bytes

CASES = "id: a\nconversation:\n- role: user\n  content: Which?\n  target: {indicator_selection: []}\n"
NUL = "contains a NUL character"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.yaml").write_text(CASES)
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "response": {"indicator_selection": []}}\n')
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize("prefix", ["", "./", "folder/../", ".//"])
def test_a_path_is_called_the_same_by_both(here: Path, prefix: str) -> None:
    cases, answers = f"{prefix}cases.yaml", f"{prefix}answers.jsonl"
    done = CliRunner().invoke(app, ["score", "-s", "data_query", "-c", cases, "-p", answers, "--json", "-"])
    said = json.loads(done.stdout)["run"]
    assert karat.score("data_query", cases, answers).run.system == said["system"]
    with pytest.raises(karat.UserError) as called:
        karat.score("data_query", f"{prefix}nowhere.yaml", answers)
    failed = CliRunner().invoke(app, ["score", "-s", "data_query", "-c", f"{prefix}nowhere.yaml", "-p", answers])
    assert isinstance(failed.exception, karat.UserError)
    assert called.value.message == failed.exception.message


@pytest.mark.parametrize(("cases", "answers"), [("a\0b", "answers.jsonl"), ("cases.yaml", "a\0b")])
def test_no_path_has_a_nul_character(here: Path, cases: str, answers: str) -> None:
    with pytest.raises(karat.UserError, match=NUL):
        karat.score("data_query", cases, answers)
    with pytest.raises(karat.UserError, match=NUL):
        karat.run("data_query", cases, predictions=answers, store="runs.db")


@pytest.mark.parametrize(
    "entry",
    [
        r'cases: "data\01.yaml", predictions: answers.jsonl',
        r'cases: cases.yaml, predictions: "data\01.jsonl"',
        r'cases: cases.yaml, predictions: answers.jsonl, options: {structures: ["data\01.csv"]}',
    ],
)
def test_a_backslash_in_double_quotes_is_reported(here: Path, entry: str) -> None:
    """YAML reads ``\\0`` there as a NUL character, which no file has in its name."""
    (here / "karat.yaml").write_text(f"suites: [{{suite: data_query, {entry}}}]\n")
    done = CliRunner().invoke(app, ["run"])
    assert isinstance(done.exception, karat.UserError)
    problems = " ".join(str(one) for one in done.exception.problems)
    assert NUL in done.exception.message + problems or r"data\x001.csv" in done.exception.message + problems


def test_a_file_with_such_a_name_is_refused(here: Path) -> None:
    with pytest.raises(FileRefused, match="NUL"):
        open_bytes("a\0b")


SCORE = ["score", "-s", "data_query", "-c", "cases.yaml", "-p", "answers.jsonl"]


@pytest.mark.parametrize(
    "words",
    [
        [*SCORE, "--xlsx", "same", "--html", "same"],
        [*SCORE, "--xlsx", "same", "--html", "folder/../same"],
        [*SCORE, "--json", "./same", "--html", "same"],
        ["compare", "1", "2", "--xlsx", "same", "--markdown", "same"],
        ["gate", "1", "--json", "same", "--junit", "same"],
        ["export", "1", "--scores", "same", "--reviews", "./same"],
        ["report", "1", "--xlsx", "same", "--html", "same"],
    ],
    ids=lambda words: words[0],
)
def test_no_output_replaces_another(here: Path, words: list[str]) -> None:
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, karat.UserError)
    assert done.exception.message == "two outputs have the same destination"
    assert not (here / "same").exists()


def test_a_device_takes_two_outputs(here: Path) -> None:
    assert CliRunner().invoke(app, [*SCORE, "--xlsx", "/dev/null", "--html", "/dev/null"]).exit_code == 0


@pytest.mark.parametrize(
    ("outputs", "why"),
    [
        ({"xlsx": "same", "html": "./same"}, "two outputs have the same destination"),
        ({"xlsx": "folder"}, "folder is a folder; give a file name"),
        ({"html": "cases.yaml/a.html"}, "cases.yaml is a file, not a folder; choose another path"),
        ({"json": "a\0b"}, "the name of the file contains a NUL character; choose another name"),
    ],
)
def test_python_says_the_same_of_an_output(here: Path, outputs: dict[str, str], why: str) -> None:
    result = karat.score("data_query", "cases.yaml", "answers.jsonl")
    with pytest.raises(karat.UserError) as found:
        karat.report(result, **outputs)
    assert found.value.message == why
    assert not (here / "same").exists()


def test_python_exports_to_files_of_their_own(here: Path) -> None:
    karat.run("data_query", "cases.yaml", predictions="answers.jsonl", store="runs.db")
    with pytest.raises(karat.UserError, match="two outputs have the same destination"):
        karat.export(scores="same", reviews="./same", store="runs.db")
    with pytest.raises(karat.UserError, match="folder is a folder"):
        karat.export(scores="folder", store="runs.db")
