"""The public API is typed: a program that uses it passes mypy --strict and pyright, and a wrong one does not."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any  # Any: pyright's own JSON

import pytest

import karat

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("public_api.py")
EVERY_NAME = Path(__file__).with_name("every_public_name.py")


def pyright(*words: str) -> dict[str, Any]:
    """What pyright says. It needs node, and its own files, which it fetches on first use."""
    if shutil.which("node") is None:
        pytest.skip("pyright needs node, which is not installed")
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        timeout=280,
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        pytest.skip(f"pyright cannot run here: {done.stderr.strip().splitlines()[-1:]}")
    return found


def test_pyright_finds_nothing_in_a_program_that_uses_the_public_api(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import karat\nkarat.gate(3)\nkarat.score(suite=1)\nx: int = karat.load_run('a').run.id\n")
    (tmp_path / "right.py").write_text(PROGRAM.read_text())  # pyright looks only below the folder of its settings
    (tmp_path / "also_right.py").write_text(EVERY_NAME.read_text())
    settings = {
        "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "strict",
        "venvPath": str(Path(sys.prefix).parent),
        "venv": Path(sys.prefix).name,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    said = pyright("--project", str(tmp_path / "pyrightconfig.json"))
    assert said["summary"]["filesAnalyzed"] == 3
    errors = [one for one in said["generalDiagnostics"] if one["severity"] == "error"]
    assert [one for one in errors if str(one["file"]).endswith("right.py")] == []
    assert len([one for one in errors if str(one["file"]).endswith("wrong.py")]) >= 3  # it does look at the types


def test_mypy_strict_finds_mistakes_that_a_user_makes(tmp_path: Path) -> None:
    """That the program itself is clean is checked with the rest of the tests, by ``make check``."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import karat\nkarat.gate(3)\nx: int = karat.load_run('a').run.id\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml", str(wrong)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=280,
    )
    assert done.stdout.count("error:") == 2, done.stdout


def test_a_typed_program_uses_every_public_name() -> None:
    used = set(re.findall(r"\b(?:karat|answers|engines|retrieval|sandbox|stats)\.(\w+)", EVERY_NAME.read_text()))
    modules = [value for name in karat.__all__ if inspect.ismodule(value := getattr(karat, name))]
    public = {name for module in modules for name in module.__all__} | set(karat.__all__)
    assert public - used - {module.__name__.rpartition(".")[2] for module in modules} == set()


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(karat.__file__).parent / "py.typed").is_file()
