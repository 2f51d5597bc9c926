"""make test ends with one line over all its parts, fails when a part fails, and says once why tests were skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import closing_summary
from tests.conftest import ROOT

RIGHT = "def test_right():\n    pass\n"
FIXTURE = "import pytest\n@pytest.fixture\ndef broken():\n    raise OSError\ndef test_x(broken):\n    pass\n"
SKIPPED = (
    "import pytest\n@pytest.mark.parametrize('n', range(3))\ndef test_s(n):\n    pytest.skip('no  such\\nserver')\n"
)
MODULE = "import pytest\npytest.skip('no such server', allow_module_level=True)\n"


def made(folder: Path, name: str, text: str, *also: str) -> Path:
    """Run these tests with the plug-in; the file that it wrote."""
    folder.mkdir(exist_ok=True)
    (folder / f"test_{name}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.closing_summary", "-p", "no:cacheprovider"]
    command += ["--rootdir", str(folder), "-c", os.devnull, "--summary-to", f"{name}.json", f"test_{name}.py", *also]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120)
    return folder / f"{name}.json"


def test_parts_are_added_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_whole_module.py").write_text(MODULE)
    files = [made(tmp_path, "a", RIGHT, "test_whole_module.py"), made(tmp_path, "b", SKIPPED)]
    assert closing_summary.main(*map(str, files)) == 0
    assert capsys.readouterr().out.splitlines() == ["4 skipped: no such server", "1 passed, 0 failed, 4 skipped"]


def test_a_broken_fixture_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [made(tmp_path, "a", RIGHT), made(tmp_path, "b", FIXTURE)]
    assert closing_summary.main(*map(str, files)) == 1
    assert capsys.readouterr().out.splitlines() == ["failed: test_b.py::test_x", "1 passed, 1 failed, 0 skipped"]


def test_a_part_that_cannot_be_collected_or_never_started_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [made(tmp_path, "a", RIGHT), made(tmp_path, "b", "import nowhere_at_all\n"), tmp_path / "never.json"]
    assert closing_summary.main(*map(str, files)) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("b.json: the tests of this part ended early, with exit code 2")
    assert said[1].endswith("never.json: not written. Did the tests of this part start?")
    assert said[-1] == "1 passed, 1 failed, 0 skipped"


def test_the_files_that_took_most_are_named() -> None:
    parts = [
        closing_summary.Part(0, 2, [], 0, {}, {"tests/a.py": 61.4, "tests/b.py": 0.2}),
        closing_summary.Part(0, 1, [], 0, {}, {"tests/c.py": 70.0}),
    ]
    assert closing_summary.lines(parts) == [
        "    70 s CPU  tests/c.py",
        "    61 s CPU  tests/a.py",
        "   132 s CPU  in all files together",
        "3 passed, 0 failed, 0 skipped",
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The Makefile over five small parts, with the environment of these tests."""
    for part in ("docs", "e2e", "web", "sandbox", "core"):
        folder = tmp_path / "tests" / part
        folder.mkdir(parents=True)
        (folder / f"test_{part}.py").write_text(RIGHT)
    for name in ("closing_summary.py", "line_coverage.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    (tmp_path / "src" / "karat").mkdir(parents=True)
    (tmp_path / "src" / "karat" / "one.py").write_text("a = 1\n")
    for name in ("requirements.lock", "pyproject.toml", "stamp"):
        (tmp_path / name).touch()
    shutil.copy(ROOT / "Makefile", tmp_path)
    return tmp_path


def make_test(project: Path, *settings: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "test", f"BIN={Path(sys.executable).parent}", "STAMP=stamp", "SERVERS=tests/web"]
    command += ["BOXED=tests/sandbox", "AFTER_DOCS=", *settings]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=240)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_test_closes_with_one_line_and_the_right_exit_code(project: Path) -> None:
    (project / "tests" / "web" / "test_web.py").write_text(SKIPPED)
    good = make_test(project, "FLOOR=0")
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.splitlines()[-2:] == ["3 skipped: no such server", "4 passed, 0 failed, 3 skipped"]
    (project / "tests" / "e2e" / "test_e2e.py").write_text("def test_wrong():\n    assert False\n")
    bad = make_test(project, "FLOOR=0")
    assert bad.returncode != 0
    assert bad.stdout.splitlines()[-1] == "3 passed, 1 failed, 3 skipped"
    assert "failed: tests/e2e/test_e2e.py::test_wrong" in bad.stdout.splitlines()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_test_fails_when_too_few_lines_are_run(project: Path) -> None:
    low = make_test(project, "FLOOR=99")
    assert low.returncode != 0 and "failed: too few lines were run" in low.stdout
    assert low.stdout.splitlines()[-1] == "5 passed, 0 failed, 0 skipped"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_help_lists_every_target(tmp_path: Path) -> None:
    said = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = {line.split()[0] for line in said.splitlines()}
    text = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    targets = {line.partition(":")[0] for line in text if line[:1].islower() and ":" in line and ":=" not in line}
    targets -= {line for line in targets if " " in line}
    assert listed == targets and "test" in listed
    assert all(len(line.split()) >= 3 for line in said.splitlines())
