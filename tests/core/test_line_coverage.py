"""The lines that tests run are counted, and too few of them are an error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import line_coverage

ROOT = Path(__file__).parents[2]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three modules: of one all lines are run, of one some, one is never imported."""
    folder = tmp_path / "karat"
    folder.mkdir()
    (folder / "whole.py").write_text("a = 1\nb = 2\n")
    (folder / "half.py").write_text("def f():\n    return 1\n\n\ndef g():\n    return 2\n")
    (folder / "never.py").write_text("x = 1\ny = 2\nz = 3\n")
    monkeypatch.setattr(line_coverage, "SOURCE", folder)
    return folder


def parts(folder: Path) -> list[str]:
    """What two parts of the tests ran: together all of ``whole`` and three of four lines of ``half``."""
    found = [
        {"whole.py": [[1], [2]], "half.py": [[1, 5], [2, 6]]},
        {"whole.py": [[2], [1]], "half.py": [[1, 2, 5], [6]]},
    ]
    files = [folder / f"part{number}.json" for number in range(len(found))]
    for file, lines in zip(files, found, strict=True):
        file.write_text(json.dumps(lines))
    return [str(file) for file in files]


def test_parts_are_added_up_and_modules_that_nobody_imports_count(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = parts(tmp_path)
    assert line_coverage.main("55.5", *files) == 0  # 5 of 9
    said = capsys.readouterr().out
    assert "55.6 % of 9 lines" in said
    assert "3 lines not run  never.py" in said
    assert line_coverage.main("55.6", *files) == 1


def test_a_part_that_left_no_figures_is_an_error(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert line_coverage.main("0", *parts(tmp_path), str(tmp_path / "part9.json")) == 1
    assert "part9.json: not written" in capsys.readouterr().out


def test_the_lines_that_a_test_runs_are_found(tmp_path: Path) -> None:
    test = tmp_path / "test_one.py"
    test.write_text(
        "from karat.core.problems import count_of\n\n\ndef test_one():\n    assert count_of(2, 'file') == '2 files'\n"
    )
    out = tmp_path / "lines.json"
    plugins = ["-p", "no:karat", "-p", "tests.line_coverage"]
    command = [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", *plugins, str(test)]
    done = subprocess.run([*command, "--lines-to", str(out)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    executed, missing = json.loads(out.read_text())["core/problems.py"]
    source = (ROOT / "src/karat/core/problems.py").read_text().splitlines()
    begin = next(number for number, line in enumerate(source, 1) if line.startswith("def count_of"))
    assert any(begin < line < begin + 12 for line in executed), "its body was run"
    assert missing, "other functions were not"
