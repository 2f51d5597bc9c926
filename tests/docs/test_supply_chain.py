"""``make audit`` never takes "could not look" for "nothing found", and ``make sbom`` lists what is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def audited(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    program = folder / "pip-audit"
    program.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    program.chmod(0o755)
    command = [sys.executable, str(ROOT / "tools" / "audit.py"), str(program), "requirements.lock"]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


@pytest.mark.parametrize("body", ["sys.exit('no route to host')", "print('<html>')", "raise OSError('x')"])
def test_no_data_is_not_a_clean_result(tmp_path: Path, body: str) -> None:
    done = audited(tmp_path, body)
    assert done.returncode == 3 and "NOT CHECKED" in done.stdout
    missing = subprocess.run(
        [sys.executable, ROOT / "tools" / "audit.py", "/nowhere", "x"], capture_output=True, text=True
    )
    assert missing.returncode == 3 and "NOT CHECKED" in missing.stdout


@pytest.mark.parametrize(
    ("package", "code", "word"),
    [
        ({"name": "a", "version": "1", "vulns": []}, 0, "1 packages checked, 0 with"),
        ({"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}, 1, "a 1: CVE-1, fixed in 2"),
        ({"name": "a", "skip_reason": "not found"}, 3, "NOT CHECKED"),
    ],
)
def test_what_is_found_decides_the_exit_code(tmp_path: Path, package: dict[str, object], code: int, word: str) -> None:
    found = json.dumps({"dependencies": [package]})
    done = audited(tmp_path, f"print({found!r})")
    assert done.returncode == code and word in done.stdout


def test_one_package_without_data_is_named(tmp_path: Path) -> None:
    packages = [{"name": "a", "skip_reason": "not found"}, {"name": "b", "version": "1", "vulns": []}]
    done = audited(tmp_path, f"print({json.dumps({'dependencies': packages})!r})")
    assert done.returncode == 3 and "a was not checked" in done.stdout and "1 packages checked" in done.stdout


def test_the_tools_are_locked_apart_from_the_product() -> None:
    tools = (ROOT / "tools" / "requirements.lock").read_text()
    for name in ("cyclonedx-bom==", "pip-audit==", "pip-licenses=="):
        assert name in tools and name not in (ROOT / "requirements.lock").read_text()
    assert tools.count("--hash=sha256:") >= tools.count("==")
