"""Extras: the table says what pyproject.toml says, and hints name a command that works here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from karat.core.installed import extras
from karat.core.problems import UserError

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_table_says_what_the_project_file_says() -> None:
    declared = {name: packages for name, packages in PROJECT["optional-dependencies"].items() if name != "all"}
    assert set(declared) == set(extras.EXTRAS)
    for name, packages in declared.items():
        wanted = {_bare(text) for text in packages}
        assert set(extras.EXTRAS[name].packages.values()) == wanted, name


def _bare(text: str) -> str:
    requirement = Requirement(text)
    return f"{requirement.name}[{','.join(sorted(requirement.extras))}]" if requirement.extras else requirement.name


class Copy:
    def __init__(self, origin: object) -> None:
        self.origin = origin

    def read_text(self, _name: str) -> str | None:
        return None if self.origin is None else json.dumps(self.origin)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({"url": "file://{here}", "dir_info": {"editable": True}}, "pip install --editable '{here}[serve]'"),
        ({"url": "file://{here}", "dir_info": {}}, "pip install '{here}[serve]'"),
        ({"url": "file://{here}/karat-1.whl", "archive_info": {}}, "pip install 'karat[serve] @ "
                                                                   "file://{here}/karat-1.whl'"),
        ({"url": "file:///gone/away", "dir_info": {}}, "pip install fastapi uvicorn"),
        ({"url": "https://example.org/karat.git", "vcs_info": {}}, "pip install fastapi uvicorn"),
        (None, "pip install fastapi uvicorn"),
    ],
)  # fmt: skip
def test_the_command_is_for_how_karat_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: object, command: str
) -> None:
    (tmp_path / "karat-1.whl").touch()
    here = json.loads(json.dumps(origin).replace("{here}", str(tmp_path)))
    monkeypatch.setattr(extras, "distribution", lambda _name: Copy(here))
    assert extras.install_command("serve") == command.replace("{here}", str(tmp_path))


def test_what_is_missing_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "_installed", lambda module: module != "duckdb")
    monkeypatch.setattr(extras, "distribution", lambda _name: Copy(None))
    with pytest.raises(UserError, match="answers needs packages that are not installed: duckdb") as caught:
        extras.require(["answers", "sql"], "answers")
    assert caught.value.hint == "Install them: pip install duckdb"
    extras.require(["serve"], "the viewer")
    monkeypatch.setattr(extras, "_source", lambda: "'karat[] @ file:///karat.whl'")
    assert extras.install_command("answers", "sql") == "pip install 'karat[answers,sql] @ file:///karat.whl'"


def test_a_module_that_no_extra_has_is_a_bug() -> None:
    assert extras.why_missing(ModuleNotFoundError("no", name="polars.lazy")) is not None
    assert extras.why_missing(ModuleNotFoundError("no", name="karat.nothing")) is None
