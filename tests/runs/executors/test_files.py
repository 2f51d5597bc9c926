"""Which files a case needs, and what a worker says of one that it does not have or has otherwise."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import Case, Prediction
from karat.runs.executors.files import needed_files, with_files_here
from karat.runs.scores.scoring import Tries, group
from karat.suites.answers.options import Engine, Options
from tests.conftest import ROOT


def answers(folder: Path) -> list[tuple[Case, Tries]]:  # type: ignore[type-arg]  # cases of a suite found by name
    suite = load_suite("answers")
    cases = suite.load_cases(folder / "gold").cases
    found, _ = group(cases, suite.read_predictions(folder / "submission").predictions, 1)
    return [(case, found.get(case.id, {})) for case in cases]


def test_gold_and_submitted_files_are_needed() -> None:
    folder = ROOT / "examples" / "answers"
    needed = {Path(file.path) for file in needed_files(load_suite("answers"), answers(folder), Options())}
    assert any(path.is_relative_to(folder / "gold") for path in needed)
    assert any(path.is_relative_to(folder / "submission") for path in needed)


def test_the_database_of_each_instance_is_needed(tmp_path: Path) -> None:
    work = answers(ROOT / "examples" / "answers")
    first = work[0][0].id
    (tmp_path / f"{first}.sqlite").write_bytes(b"x")
    engines = {"": Engine(engine="sqlite", database=str(tmp_path / "{id}.sqlite"))}
    needed = [file.path for file in needed_files(load_suite("answers"), work, Options(engines=engines))]
    assert str(tmp_path / f"{first}.sqlite") in needed


def test_what_a_model_says_names_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    case = answers(ROOT / "examples" / "answers")[0][0]
    said = b'{"instance_id": "x", "kind": "file", "paths": ["%s"]}' % str(tmp_path / "secret.csv").encode()
    live = Prediction(case.id, response=said, latency=1.0)
    needed = needed_files(load_suite("answers"), [(case, {0: {0: live}})], Options())
    assert str(tmp_path / "secret.csv") not in [file.path for file in needed]


def test_a_file_of_another_content_is_another_file(tmp_path: Path) -> None:
    suite = load_suite("data_query")
    file = tmp_path / "codes.csv"
    file.write_text("id,name\na,b\n")
    options = suite.options(structures=(str(file),))
    case = suite.load_cases(ROOT / "examples" / "data_query" / "cases").cases[0]
    needed = needed_files(suite, [(case, {})], options)
    assert with_files_here(suite, [(case, {})], options, needed) == ([(case, {})], options)
    file.write_text("id,name\na,c\n")
    with pytest.raises(UserError) as caught:
        with_files_here(suite, [(case, {})], options, needed)
    assert caught.value.message == f"the worker on {socket.gethostname()} has another file {file} than this machine"
    file.unlink()
    with pytest.raises(UserError, match="does not have the file"):
        with_files_here(suite, [(case, {})], options, needed)
