"""Prompts from the command line: checked with file and line, shown by init, stored and compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner, Result

from karat.cli.main import app
from karat.core.plugins import load_suite
from tests.systems.hostile_server import Exchange, HostileServer, serve

CASE = """\
id: mexico
conversation:
- role: user
  content: How many people live in Mexico?
  target:
    indicator_selection:
    - dataset_id: X:D
      dimensions:
      - {dimension_name: A, values: [{id: a, name: Alpha}]}
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for started in serve(monkeypatch):
        started.add("/v1/chat/completions", selects)
        yield started


async def selects(exchange: Exchange) -> None:
    values = [{"id": "a", "name": "Alpha"}]
    answer = {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}
    message = {"role": "assistant", "content": json.dumps(answer)}
    await exchange.send("200 OK", json.dumps({"choices": [{"message": message}]}).encode())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "mexico.yaml").write_text(CASE)
    return tmp_path


def project(folder: Path, *settings: str, url: str = "http://127.0.0.1:9") -> None:
    lines = ["systems:", "  bot:", "    type: openai", f"    base_url: {url}/v1", "    model: m", *settings]
    lines += ["suites:", "- {suite: data_query, cases: cases/, system: bot}", ""]
    (folder / "karat.yaml").write_text("\n".join(lines))


def karat(*words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == code, done.output
    return done


def failed(*words: str) -> str:
    """What a command says that ends with a mistake of the user, on either output."""
    done = CliRunner().invoke(app, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return str(done.exception)
    assert done.exit_code in (1, 2), done.output
    return done.output


@pytest.mark.parametrize("verb", ["check", "run"])
def test_a_mistake_in_a_block_is_told_at_its_line_of_the_project_file(folder: Path, verb: str) -> None:
    project(folder, "    prompt: |", "      Dear model,", "      {{ qestion }}")
    said = failed(verb)
    assert "karat.yaml:8: unknown variable" in said
    assert 'Did you mean "question"?' in said


@pytest.mark.parametrize("verb", ["check", "run"])
def test_a_mistake_in_a_file_is_told_at_its_line_there(folder: Path, verb: str) -> None:
    (folder / "prompts").mkdir()
    (folder / "prompts" / "ask.j2").write_text("one\n{% if question %}\n{{ question }}\n{% endfor %}\n")
    project(folder, "    prompt: prompts/ask.j2")
    assert "ask.j2:4: the prompt is not a valid template" in failed(verb)
    (folder / "prompts" / "ask.j2").write_text("one\n{{ question }}\n{{ question.words }}\n")
    said = failed(verb)
    assert "ask.j2:3: " in said
    assert "words" in said
    assert "mexico" in said


def test_a_missing_file_and_braces_that_were_not_quoted_are_told(folder: Path) -> None:
    (folder / "ask.j2").write_text("{{ question }}")
    project(folder, "    prompt: akk.j2")
    said = failed("check")
    assert "karat.yaml:6" in said
    assert 'Did you mean "ask.j2"?' in said
    project(folder, "    prompt: {{ question }}")
    assert "karat.yaml:6" in failed("check")
    project(folder, "    examples: [{user: only}]")
    assert "user and assistant" in failed("check")
    project(folder, "    promt: x")
    assert 'Did you mean "prompt"?' in failed("check")


def test_the_prompt_file_is_found_from_the_project_and_its_hash_is_shown(folder: Path, server: HostileServer) -> None:
    (folder / "ask.j2").write_text("Think. {{ question }}")
    project(folder, "    prompt: ask.j2", "    examples:", "    - {user: u, assistant: a}", url=server.url())
    (folder / "deep").mkdir()
    config = ["--config", str(folder / "karat.yaml")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "deep")
        CliRunner().invoke(app, ["run", *config])
    asked = server.seen[0].json()["messages"]
    assert [m["content"] for m in asked] == ["u", "a", "Think. How many people live in Mexico?"]
    (folder / "ask.j2").write_text("Think twice. {{ question }}")
    CliRunner().invoke(app, ["run"])
    hashes = [json.loads(karat("runs", "show", run, "--json").output)["run"]["prompt"] for run in ("1", "2")]
    assert len({*hashes}) == 2
    assert f"prompt {hashes[0]}" in karat("runs", "show", "1").output
    said = karat("compare", "1", "2", "--xlsx", "c.xlsx").output
    assert f"The prompts differ: A {hashes[0]}, B {hashes[1]}." in said
    karat("report", "2", "--xlsx", "r.xlsx", "--html", "r.html")
    about = [row[1].value for row in openpyxl.load_workbook("r.xlsx")["About"].iter_rows() if row[0].value == "prompt"]
    assert about == [hashes[1]]
    assert f"prompt {hashes[1]}" in Path("r.html").read_text(encoding="utf-8")
    CliRunner().invoke(app, ["run"])
    assert f"prompt {hashes[1]} in both" in karat("compare", "2", "3").output


def test_a_prompt_may_hold_words_that_look_like_a_secret(folder: Path, server: HostileServer) -> None:
    project(folder, '    prompt: "Give basic information: {{ question }}"', url=server.url())
    CliRunner().invoke(app, ["run"])
    assert server.seen[0].json()["messages"][0]["content"].startswith("Give basic information: How many")


def test_init_prints_the_default_prompt_and_writes_nothing(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    for name in ("answers", "codegen", "data_query", "retrieval"):
        assert karat("init", "--show-prompt", "--suite", name).output == load_suite(name).prompting.default
    every = karat("init", "--show-prompt").output
    assert all(f"{{# {name} #}}" in every for name in ("answers", "codegen", "data_query", "retrieval"))
    assert sorted(folder.rglob("*")) == before
    assert 'Did you mean "answers"?' in failed("init", "--show-prompt", "--suite", "answer")


@pytest.mark.parametrize("suite", ["answers", "codegen", "data_query", "retrieval"])
def test_init_for_a_live_endpoint_asks_it_with_the_default_prompt(
    tmp_path: Path, server: HostileServer, suite: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        karat("init", "new", "--suite", suite, "--base-url", server.url("/v1"), "--model", 'a "model"')
        patch.chdir(tmp_path / "new")
        assert "prompt: default" in Path("karat.yaml").read_text()
        karat("check")
        CliRunner().invoke(
            app,
            ["run", "--limit", "1", "--option", "performance=no", "--option", "perturb=no"]
            if suite == "codegen"
            else ["run", "--limit", "1"],
        )
    body = server.seen[0].json()
    assert body["model"] == 'a "model"'
    form = {
        "answers": "answer alone",
        "codegen": "```python",
        "data_query": '"indicator_selection"',
        "retrieval": '"fields"',
    }
    assert form[suite] in body["messages"][-1]["content"]
