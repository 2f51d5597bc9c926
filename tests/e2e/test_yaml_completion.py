"""An editor completes keys and marks typos in the files of a new project, with a real YAML language server, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.verbs.setup.init import start_project
from tests.e2e.yaml_language_server import SETTINGS, Server, installed


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    program, why = installed()
    if program is None:
        pytest.skip(why)
    running = Server(program)
    running.ask(
        "initialize", {"processId": None, "rootUri": None, "capabilities": {"workspace": {"configuration": True}}}
    )
    running.tell("initialized", {})
    running.tell("workspace/didChangeConfiguration", {"settings": SETTINGS})
    yield running
    running.close()


def opened(server: Server, file: Path, text: str) -> str:
    file.write_text(text)
    uri = file.as_uri()
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    server.tell("textDocument/didOpen", {"textDocument": document})
    return uri


def completions(server: Server, uri: str, line: int, character: int) -> list[str]:
    where = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    found: Any = server.ask("textDocument/completion", where)
    return [item["label"] for item in (found or {}).get("items", [])]


@pytest.mark.timeout(300)
def test_keys_are_completed_and_typos_marked(server: Server, tmp_path: Path) -> None:
    start_project(tmp_path)
    note = (tmp_path / "karat.yaml").read_text().splitlines()[0]
    good = opened(server, tmp_path / "karat.yaml", (tmp_path / "karat.yaml").read_text())
    assert server.diagnostics(good) == []
    text = f"{note}\nsuites:\n  - suite: data_query\n    cases: cases/\n    pre\n"
    uri = opened(server, tmp_path / "completed.yaml", text)
    assert "predictions" in completions(server, uri, 4, 7)
    text = f"{note}\nsuites:\n  - suite: data_query\n    cases: cases/\n    options:\n      ignore_defalts: yes\n"
    uri = opened(server, tmp_path / "typo.yaml", text)
    assert any("ignore_defalts" in one for one in server.diagnostics(uri))
    case = tmp_path / "cases" / "population_chile.yaml"
    uri = opened(server, case, case.read_text())
    assert server.diagnostics(uri) == []
