"""``karat init``: asks at a terminal, takes flags otherwise, and writes projects that run at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from karat.cli.main import app
from karat.cli.setup import init
from karat.core.problems import UserError
from karat.runs.project_file.project import load_project
from karat.verbs.setup.init import start_project
from karat.verbs.setup.new_project import Kind


def test_at_a_terminal_it_asks_for_suite_system_and_ci(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "asks_here", lambda: True)
    run = CliRunner().invoke(app, ["init", str(tmp_path / "p")], input="nothing\n2\nfunction\ngithub\n")
    assert run.exit_code == 0, run.output
    assert "Please answer 1 to" in run.output
    text = (tmp_path / "p" / "karat.yaml").read_text()
    assert "suite: codegen" in text
    assert "type: function" in text
    assert (tmp_path / "p" / "assistant.py").is_file()
    workflow = (tmp_path / "p" / ".github" / "workflows" / "karat.yml").read_text()
    assert yaml.safe_load(workflow)["jobs"] and "$schema" not in workflow  # it is no file of cases


@pytest.mark.parametrize("suite", ["codegen", "retrieval"])
def test_ci_installs_the_copy_of_the_repository_and_lets_karat_gate_decide(suite: str, tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["init", str(tmp_path / "a"), "--suite", suite, "--ci", "github"])
    assert run.exit_code == 0, run.output
    start_project(tmp_path / "b", suite, ci="gitlab")
    steps = yaml.safe_load((tmp_path / "a/.github/workflows/karat.yml").read_text())["jobs"]["karat"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    assert [step["with"]["path"] for step in steps if "repository" in step.get("with", {})] == ["karat"]
    script = yaml.safe_load((tmp_path / "b/.gitlab-ci.yml").read_text())["karat"]["script"]
    for line in (*lines, *script):
        assert "pip install" not in line or "./karat[" in line, line
        for code in (0, 1, 2, 3) if "karat run" in line else ():  # the next step runs where only gates or calls failed
            shell = line.replace("karat run --html report.html", f"(exit {code})")
            assert bool(subprocess.run(["sh", "-ec", shell], check=False).returncode) == (code == 2), (line, code)


@pytest.mark.parametrize("suite", ["answers", "codegen", "data_query", "retrieval"])
@pytest.mark.parametrize("kind", ["recorded", "function", "command"])
def test_a_project_for_ci_has_a_gate_that_ci_can_check(suite: str, kind: Kind, tmp_path: Path) -> None:
    start_project(tmp_path, suite, kind=kind, ci="github")
    gates = yaml.safe_load((tmp_path / "karat.yaml").read_text())["gates"]
    if kind == "recorded":
        assert gates
    else:
        assert gates == [{"metric": f"{suite}.errors", "at_most": 0.1}]
    assert load_project(tmp_path / "karat.yaml").gates


def test_with_a_flag_or_without_a_terminal_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = CliRunner().invoke(app, ["init", str(tmp_path / "a")], input="")
    assert run.exit_code == 0
    monkeypatch.setattr(init, "asks_here", lambda: True)
    run = CliRunner().invoke(app, ["init", str(tmp_path / "b"), "--suite", "retrieval"], input="")
    assert run.exit_code == 0


@pytest.mark.parametrize("kind", ["function", "command"])
def test_a_live_project_runs_at_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "assistant", raising=False)
    start_project(tmp_path, kind=kind)  # type: ignore[arg-type]  # one of the kinds
    run = CliRunner().invoke(app, ["run", "-q"])
    assert run.exit_code == 0, run.output
    monkeypatch.delitem(sys.modules, "assistant", raising=False)


def test_nothing_is_overwritten_and_an_endpoint_needs_an_address(tmp_path: Path) -> None:
    (tmp_path / ".gitlab-ci.yml").write_text("mine")
    with pytest.raises(UserError):
        start_project(tmp_path, ci="gitlab")
    assert [file.name for file in tmp_path.iterdir()] == [".gitlab-ci.yml"]
    with pytest.raises(UserError) as error:
        start_project(tmp_path, kind="http")
    assert "--base-url" in error.value.hint
