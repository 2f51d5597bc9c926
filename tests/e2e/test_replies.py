"""A new user's assistant behind a loopback OpenAI-compatible server gets its true figure, whatever form its replies
have.

For each suite, in an empty folder and a clean environment that holds a plain install and only the extras that the suite
needs: all right is 1.000, all wrong is 0.000, and what cannot be read is an error, with at most 12 lines of
configuration. The server answers each case in another of the forms.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from karat.cli.main import app, main
from tests.e2e.assistants import PROJECTS, UNREADABLE, Project, selection, served
from tests.e2e.plain_environment import plain_python
from tests.reply_forms import body, chat

Install = Callable[[tuple[str, ...]], Path]


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """The interpreter of a clean environment with these extras, made once."""

    @cache
    def made(extras: tuple[str, ...]) -> Path:
        return plain_python(tmp_path_factory.mktemp("plain"), extras)

    return made


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def figure(python: Path, folder: Path, project: Project, url: str, forms: Mapping[str, bytes]) -> Any:
    """The result of ``karat run`` in an environment of its own."""
    project.config(folder, url, forms)
    command = [str(python), "-m", "karat", "run", "--json", "result.json"]
    environment = {"HOME": str(folder), "COLUMNS": "120", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode in (0, 3), done.stdout + done.stderr
    return json.loads((folder / "result.json").read_text(encoding="utf-8"))


def mean_of(result: Any, metric: str) -> float | None:
    (found,) = [item for item in result["summary"] if item["metric"] == metric]
    mean: float | None = found["mean"]
    return mean


@pytest.mark.parametrize("suite", PROJECTS)
def test_every_form_of_a_reply_gets_its_true_figure(install: Install, tmp_path: Path, suite: str) -> None:
    project = PROJECTS[suite]
    python = install(project.extras)
    with served() as (assistant, url):
        for forms, mean in ((project.right, 1.0), (project.wrong, 0.0)):
            assistant.replies = forms
            result = figure(python, tmp_path, project, url, forms)
            names = dict(zip((case["id"] for case in result["cases"]), forms, strict=True))
            failed = {names[case["id"]]: case["error"] for case in result["cases"] if case["status"] != "scored"}
            assert not failed
            assert len(names) == len(forms) and mean_of(result, project.metric) == mean
        assistant.replies = UNREADABLE
        result = figure(python, tmp_path, project, url, UNREADABLE)
        assert [case["id"] for case in result["cases"] if case["status"] != "error" or not case["error"]] == []
        assert len(result["cases"]) == len(UNREADABLE) and mean_of(result, project.metric) is None


def test_a_case_without_a_question_is_never_asked(here: Path) -> None:
    cases = [
        {"id": "mute", "conversation": [{"role": "user", "content": "  ", "target": selection("a")}]},
        {"id": "c", "conversation": [{"role": "user", "content": "What of a? #x", "target": selection("a")}]},
    ]
    with served() as (assistant, url):
        assistant.replies = {"x": body(chat(json.dumps(selection("a"))))}
        PROJECTS["data_query"].config(here, url, {"x": b""})
        (here / "cases.yaml").write_text(json.dumps(cases), encoding="utf-8")
        assert CliRunner().invoke(app, ["run", "--json", "result.json"]).exit_code == 3
        result = json.loads((here / "result.json").read_text(encoding="utf-8"))
        assert [case["status"] for case in result["cases"]] == ["error", "scored"]
        assert mean_of(result, "macro_recall") == 1.0
        assert assistant.asked == ["What of a? #x"]
        checked = CliRunner().invoke(app, ["check"])
        assert checked.exit_code == 1
        assert 'case "mute" has no question to send to mine' in checked.output
        assert "has no question" not in CliRunner().invoke(app,
            ["check", "cases.yaml", "--suite", "data_query", "--config", "none.yaml"]).output  # fmt: skip


@pytest.mark.parametrize(
    ("suite", "response", "words"),
    [
        ("data_query", chat(json.dumps(selection("a"))), ["a chat completion", '"dataset_id": "X:D"']),
        ("data_query", chat(None, refusal="No."), ["outcome:", "out_of_scope", "refusal"]),
        ("answers", chat("```sql\nSELECT 0\n```\n```sql\nSELECT 1\n```"), ["sql:", "SELECT 1", "spider2", "SELECT 0"]),
        ("retrieval", {"results": ["d1"]}, ["fields:", '"d1"']),
        ("codegen", chat("```python\nresult = 1\n```"), ["code:", "result = 1"]),
    ],
)
def test_check_response_prints_what_karat_understands(here: Path, suite: str, response: Any, words: list[str]) -> None:
    (here / "reply.json").write_bytes(body(response))
    done = CliRunner().invoke(app, ["check", "--response", "reply.json", "--suite", suite])
    assert done.exit_code == 0, done.output
    assert all(word in done.output for word in words), done.output
    piped = CliRunner().invoke(app, ["check", "--response", "-", "--suite", suite, "--json", "-"], input=body(response))
    assert json.loads(piped.output)["suite"] == suite


@pytest.mark.parametrize("suite", PROJECTS)
def test_check_response_ends_with_0_or_2(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], suite: str
) -> None:
    def checked(response: bytes) -> tuple[int, str]:
        (here / "reply.json").write_bytes(response)
        monkeypatch.setattr("sys.argv", ["karat", "check", "--response", "reply.json", "--suite", suite])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), capsys.readouterr().err

    words = {"words", "other JSON"} if suite == "answers" else set()  # which are answers, where gold is a text
    for name, response in {**PROJECTS[suite].right, **PROJECTS[suite].wrong}.items():
        assert checked(response)[0] == 0, name
    for name, response in UNREADABLE.items():
        code, said = checked(response)
        assert code == (0 if name in words else 2), (name, said)
        assert (f"karat: {suite} cannot read this response: " in said) == (code == 2), (name, said)
    code, said = checked(body(chat("x" * 150 + "y" * 100, finish="length")))
    assert code == 2 and "The response begins: " + "x" * 150 + "y" * 50 + "…" in said
