"""The tutorial with the structures of a real agency: its commands run as printed, and give what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.warm import warm_path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "tutorial_sdmx.md"


@pytest.mark.shared_data
def test_the_tutorial_runs_as_printed(shared: Path, tmp_path: Path) -> None:
    shutil.copy(shared / "data/sdmx2/real/ECB_EXR/ng-structure-full.xml", tmp_path / "exr.xml")
    excerpt, *blocks = re.findall(r"^```console\n(\$ .*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert "cat > exr.xml" in excerpt  # the real file takes its place here; tests/docs runs the page with the excerpt
    parts = [re.sub(r"^\$ ", "", block, flags=re.M) for block in blocks]
    parts = [re.sub(r"  # exit code \d.*$", ' || echo "exit code $?"', part, flags=re.M) for part in parts]
    assert len(parts) >= 6  # those after the sixth need no structures: tests/docs runs them with the rest of the page
    script = "\n".join((*parts[:5], "cp result.json right.json", parts[5]))
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": warm_path()},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    case = (tmp_path / "cases/rates.yaml").read_text()
    assert "{id: USD, name: United States dollar}" in case and "{id: EUR, name: Euro}" in case
    result = json.loads((tmp_path / "right.json").read_text())
    assert [one["scores"]["fully_right"] for one in result["cases"]] == [1.0, 1.0, 1.0]
    assert result["figures"]["outcomes"]["confusion"] == {
        "answer": {"answer": 1}, "clarification": {"clarification": 1}, "out_of_scope": {"out_of_scope": 1},
    }  # fmt: skip
    assert json.loads((tmp_path / "structures.json").read_text())["files"][0]["status"] == "read"
    wrong = json.loads((tmp_path / "result.json").read_text())
    assert [one["scores"]["fully_right"] for one in wrong["cases"]] == [0.0, 1.0, 1.0]
    assert wrong["cases"][0]["details"]["main_reason"] == "wrong_term"
    assert "exit code 1" in done.stdout
