"""A plain install, without extras: what it can do works, and what it cannot is said before anything runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.plain_environment import ROOT, base_packages, plain_python

MEGABYTES = 150


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_python(tmp_path_factory.mktemp("plain"))


def karat(python: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(folder), "COLUMNS": "120", "PATH": "/usr/bin:/bin"}
    command = [str(python), "-m", "karat", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_it_is_light() -> None:
    """Measured on disk, as pip leaves it, Karat itself left out."""
    sizes: dict[str, int] = {}
    for name, own in base_packages().items():
        files = [Path(str(own.locate_file(file))) for file in own.files or ()]
        sizes[name] = sum(file.stat().st_size for file in files if file.is_file())
    assert "numpy" in sizes and not {"scipy", "pandas", "duckdb", "wordllama", "tokenizers"} & set(sizes)
    assert sum(sizes.values()) < MEGABYTES * 2**20, {name: size for name, size in sizes.items() if size > 2**22}


def test_the_demo_runs_what_it_can_and_skips_the_rest(python: Path, tmp_path: Path) -> None:
    done = karat(python, tmp_path, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "13 scored · 1 error" in done.stdout
    for suite in ("answers", "codegen", "retrieval"):
        assert f"{suite}: skipped. {suite} needs packages that are not installed: " in done.stdout
    assert "internal error" not in done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"karat-demo"}


@pytest.mark.parametrize("suite", ["answers", "codegen", "retrieval"])
def test_what_cannot_run_is_said_first(python: Path, tmp_path: Path, suite: str) -> None:
    assert karat(python, tmp_path, "init", "--suite", suite, "project").returncode == 0
    done = karat(python, tmp_path / "project", "run")
    assert done.returncode == 2
    assert (
        f"karat: {suite} needs packages that are not installed: " in done.stderr
        and "Install them: pip install " in done.stderr
    )
    assert "internal error" not in done.stderr and not (tmp_path / "project" / ".karat" / "karat.db").exists()


def test_init_run_score_and_report_of_the_plain_suite(python: Path, tmp_path: Path) -> None:
    assert karat(python, tmp_path, "init", "--suite", "data_query", "project").returncode == 0
    project = tmp_path / "project"
    for words in (
        ("run",),
        ("run",),
        ("report", "latest", "--xlsx", "report.xlsx", "--html", "report.html"),
        ("score", "--json", "result.json"),
        ("compare", "r-0001", "r-0002"),
        ("runs", "list"),
    ):
        done = karat(python, project, *words)
        assert done.returncode in (0, 3), f"{words}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
    assert (project / "report.xlsx").is_file() and (project / "report.html").is_file()


def test_check_tells_what_it_cannot_check_from_mistakes(python: Path, tmp_path: Path) -> None:
    karat(python, tmp_path, "init", "--suite", "answers", "project")
    done = karat(python, tmp_path / "project", "check")
    assert (done.returncode, done.stderr) == (3, "")
    assert 'ferries.duckdb is not checked: it needs the extra "answers"' in done.stdout
    assert "Install it: pip install " in done.stdout
    assert done.stdout.rstrip().endswith(" · no mistakes · 1 not checked (missing extra: answers)")
    (tmp_path / "team.yaml").write_text(
        "- {id: q1, question: How many?, sql: SELECT 1}\n- {id: q1, question: Who?, sql: SELECT 2}\n"
    )
    done = karat(python, tmp_path, "check", "--questions", "team.yaml", "--databases", "none.sqlite")
    assert done.returncode == 1, "a mistake that needs no extra is found all the same"
    assert done.stdout.rstrip().endswith(" · 1 mistake · 1 not checked (missing extra: sql)")


def test_the_viewer_says_what_it_needs(python: Path, tmp_path: Path) -> None:
    done = karat(python, tmp_path, "serve")
    assert done.returncode == 2 and "pip install fastapi uvicorn" in done.stderr


def test_texts_and_numbers_of_answers_need_nothing(python: Path, tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "gold.jsonl").write_text(
        '{"id": "q1", "question": "How many?", "evaluation": {"func": "number_match", "parameters": {"gold": '
        '3}}}\n'.replace('"id"', '"instance_id"')
    )  # fmt: skip
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "results_metadata.jsonl").write_text(
        '{"instance_id": "q1", "answer_type": "answer", "answer_or_path": "3"}\n'
    )
    done = karat(python, tmp_path, "answers", "--result_dir", "answers", "--gold_dir", "gold")
    assert done.returncode == 0, done.stdout + done.stderr


def test_doctor_lists_every_extra_with_what_it_enables(python: Path, tmp_path: Path) -> None:
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    said = karat(python, tmp_path, "doctor").stdout
    for name in extras:
        assert name == "all" or f"· extra {name} " in said, name
