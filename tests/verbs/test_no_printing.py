"""Verbs return data. They never print, never end the program and know nothing of the command line; and every command
calls one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import karat

PACKAGE = Path(karat.__file__).parent
VERBS = sorted((PACKAGE / "verbs").rglob("*.py"))
NOT_FOR_VERBS = ("typer", "rich", "sys.exit", "karat.cli")


def imported(tree: ast.AST) -> list[str]:
    plain = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return plain + [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


@pytest.mark.parametrize("file", VERBS, ids=[str(file.relative_to(PACKAGE)) for file in VERBS])
def test_a_verb_prints_nothing_and_never_exits(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    used = [name for name in imported(tree) if name.startswith(NOT_FOR_VERBS)]
    calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    used += [call for call in calls if call in ("print", "input", "exit", "quit", "sys.exit", "os._exit")]
    used += [call for call in calls if call.startswith(("sys.stdout.", "sys.stderr.", "sys.stdin."))]
    assert used == []


COMMANDS = [
    file
    for folder in ("setup", "measure", "stored_runs")
    for file in sorted((PACKAGE / "cli" / folder).glob("*.py"))
    if file.name not in ("__init__.py", "models.py")  # karat models only lists what the search package knows
]


@pytest.mark.parametrize("file", COMMANDS, ids=[file.stem for file in COMMANDS])
def test_a_command_calls_a_verb(file: Path) -> None:
    names = imported(ast.parse(file.read_text(encoding="utf-8")))
    assert any(name.startswith("karat.verbs") for name in names)
    assert [
        name for name in names if name.startswith(("karat.suites.codegen", "karat.suites.retrieval", "karat.tables"))
    ] == []


def test_folders_stay_small() -> None:
    for folder in (PACKAGE / "cli", *(PACKAGE / "cli").glob("*/"), PACKAGE / "verbs", *(PACKAGE / "verbs").glob("*/")):
        files = [file for file in folder.glob("*.py") if file.name != "__init__.py"]
        assert len(files) <= 16, folder
