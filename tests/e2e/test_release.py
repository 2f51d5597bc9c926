"""The release: its workflow calls targets that exist, and the archives that it publishes are built and tried."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.e2e.plain_environment import plain_python

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CHECK = [sys.executable, str(ROOT / "tools" / "release_check.py")]


def make(*words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """``make`` with this environment. Its stamp is a new file: with an older one, make would install everything into
    ``.venv`` again while other tests use it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    with NamedTemporaryFile() as stamp:
        command = ["make", *words, f"BIN={Path(sys.executable).parent}", f"STAMP={stamp.name}"]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=280)


def listed() -> set[str]:
    return {line.split()[0] for line in make("-s", "help").stdout.splitlines()}


def test_a_target_that_a_test_calls_installs_nothing_into_the_environment_of_the_tests(tmp_path: Path) -> None:
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()  # newer than any interpreter
    shutil.copy(ROOT / "Makefile", tmp_path)
    planned = make("-n", "archives-check", folder=tmp_path)
    assert planned.returncode == 0 and "hatchling build" in planned.stdout
    assert "-m venv" not in planned.stdout and "pip install" not in planned.stdout


def steps(file: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_every_target_that_a_workflow_calls_exists(file: Path) -> None:
    targets = re.findall(r"\bmake ([a-z-]+)", "\n".join(step.get("run", "") for step in steps(file)))
    assert targets and set(targets) <= listed()


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_can_only_read_and_puts_no_expression_into_a_script(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert all("${{" not in step.get("run", "") for step in steps(file))  # a tag or a branch can hold shell code
    assert all(re.search(r"@v\d+$", step["uses"]) for step in steps(file) if "uses" in step)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make release-check`` leaves, built with an environment that holds the dependencies already: no network."""
    folder = tmp_path_factory.mktemp("release")
    plain_python(folder / "environment")
    for wheel in (folder / "environment").glob("*.whl"):
        wheel.unlink()
    done = make("archives-check", f"DIST={folder / 'dist'}", f"RELEASE_ENVIRONMENT={folder / 'environment' / 'plain'}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the wheel built from the sdist is the same" in done.stdout
    assert "karat demo works in a clean environment" in done.stdout
    return folder


def test_the_archives_are_built_and_the_wheel_runs_in_a_clean_environment(built: Path) -> None:
    (sdist,) = (built / "dist").glob("karat-*.tar.gz")
    (wheel,) = (built / "dist").glob("karat-*.whl")
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"src/karat/py.typed", "Makefile", "requirements.lock", "tools/release_check.py", "zensical.toml"} <= names
    assert wheel.stat().st_size > 100_000


def test_the_list_of_packages_names_karat_and_what_it_needs(built: Path) -> None:
    if not (ROOT / ".venv-tools" / ".installed").exists():
        pytest.skip("the release tools are not installed: make sbom")
    done = make("sbom", f"DIST={built / 'dist'}", f"LISTED={built / 'environment' / 'plain' / 'bin'}")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (built / "dist" / "sbom.json").read_text(encoding="utf-8")
    assert '"numpy"' in text and '"msgspec"' in text and '"mypy"' not in text


def checked(dist: Path, *words: str) -> str:
    done = subprocess.run(
        [*CHECK, str(dist), "--environment", str(dist / "none"), *words], capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout
    return done.stderr


def test_a_wrong_tag_and_a_changelog_without_a_date_are_found(tmp_path: Path) -> None:
    assert "the tag v9.9.9 is not v" in checked(tmp_path, "--tag", "v9.9.9")
    if "0.1.0, unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        assert "CHANGELOG.md has no dated entry for 0.1.0" in checked(tmp_path, "--tag", "v0.1.0")


def test_archives_that_must_not_be_published_are_found(built: Path, tmp_path: Path) -> None:
    assert "holds no archive" in checked(tmp_path)
    for file in (built / "dist").glob("karat-*"):
        shutil.copy(file, tmp_path)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(tmp_path / "open", filter="data")
    (source,) = (tmp_path / "open").iterdir()

    def pack() -> None:
        with tarfile.open(sdist, "w:gz") as packed:
            packed.add(source, source.name)

    (source / "src" / "karat" / "only_in_the_sdist.py").write_text("x = 1\n")
    pack()
    assert "the wheel built from the sdist differs in" in checked(tmp_path)
    (source / ".karat").mkdir()
    (source / ".karat" / "karat.db").write_text("a store")
    pack()
    assert "files that must not be published, such as .karat/karat.db" in checked(tmp_path)


def test_the_templates_ask_for_what_helps() -> None:
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) == 4
    for file in forms:
        form = yaml.safe_load(file.read_text(encoding="utf-8"))
        if file.name != "config.yml":
            assert form["name"] and form["description"] and all("id" in part for part in form["body"])
    asked = (ROOT / ".github" / "pull_request_template.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z-]+)`", asked)) <= listed()
