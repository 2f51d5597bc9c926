"""``karat demo`` writes into its folder and nowhere else, may be run again, and its JSON has the published layout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import karat
from tests.quick_codegen import try_few_tables
from tests.reports.schema_check import validated
from tests.warm import warm_karat

EXAMPLE = Path(__file__).parents[2] / "examples" / "codegen"


def tree(folder: Path) -> dict[str, int]:
    """Every file and folder below, with the time of its last change; without what Python and numba compile."""
    found = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.lstat().st_mtime_ns if path.is_file() else 0 for path in found}


def test_the_demo_shows_where_to_look_writes_nothing_outside_its_folder_and_can_be_run_again(tmp_path: Path) -> None:
    home, work, scratch = (tmp_path / name for name in ("home", "work", "scratch"))
    for folder in (home, work, scratch):
        folder.mkdir()
    home.chmod(0o555)
    package = Path(karat.__file__).parent
    before = tree(package)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NUMBA_", "MPLCONFIG"))}
    shutil.copytree(EXAMPLE, work / "out" / "demo" / "codegen")
    try_few_tables(work / "out" / "demo" / "codegen")
    for _ in range(2):
        done = subprocess.run(
            warm_karat("demo", "out/demo"),
            cwd=work,
            env={**kept, "HOME": str(home), "TMPDIR": str(scratch)},
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "out/demo" in done.stdout
    home.chmod(0o755)
    demo = work / "out" / "demo"
    assert (demo / "retrieval" / ".karat" / "vectors").is_dir()
    assert {path.name for path in work.iterdir()} == {"out"}
    assert {path.name for path in (work / "out").iterdir()} == {"demo"}
    assert tree(home) == {}
    assert tree(scratch) == {}
    assert tree(package) == before
    for suite in ("answers", "codegen", "data_query", "retrieval"):
        assert all((demo / suite / name).is_file() for name in ("report.xlsx", "report.html"))
        assert validated(said(demo / suite, "report", "latest", "--json", "-"))["run"]["suite"] == suite
    runs = json.loads(said(demo / "data_query", "runs", "list", "--json", "-"))
    assert [row["run"] for row in runs] == ["r-0002", "r-0001"]


def said(folder: Path, *words: str) -> bytes:
    """What a command prints."""
    command = warm_karat(*words)
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=True).stdout
