"""What is shipped: the wheel holds the example, the migrations and the types, and its metadata says how to start it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.quick_codegen import try_few_tables

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_has_all_that_the_package_needs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("karat-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for needed in (
        "karat/py.typed",
        "karat/examples/data_query/karat.yaml",
        "karat/examples/data_query/predictions.jsonl",
        "karat/store/migrations/env.py",
        "karat/sheet/text/grammar.lark",
    ):
        assert needed in names, needed
    assert not [name for name in names if "/.karat/" in name or name.endswith((".pyc", ".db"))]
    folder = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    shutil.copytree(folder / "karat" / "examples" / "codegen", tmp_path / "demo" / "codegen")
    try_few_tables(tmp_path / "demo" / "codegen")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import karat; print(karat.__file__); from karat.cli.main import main; main()",
            "demo",
            str(tmp_path / "demo"),
        ],
        env={"PYTHONPATH": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert str(folder) in done.stdout.splitlines()[0]
    assert (tmp_path / "demo" / "data_query" / "report.xlsx").is_file()
