"""What a new user gets wrong, and what the command line says to it: what, where, and a way out. Never a traceback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from karat.cli import main
from tests.warm import warm_karat

CASE = """id: one
conversation:
- role: user
  content: How many?
  target: {indicator_selection: [{dataset_id: A:B, dimensions: [{dimension_name: C, values: [{id: D, name: E}]}]}]}
"""
NOT_UTF8 = b"\xff\xfe\x00bad\x80"


def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str, code: int = 2) -> str:
    """Everything a command line prints, on one line."""
    monkeypatch.setattr(sys, "argv", ["karat", *words])
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as stopped:
        main.main()
    printed = capsys.readouterr()
    text = " ".join(f"{printed.out} {printed.err}".split())
    assert stopped.value.code == code, (words, text)
    return text


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that can be named wrongly."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("empty.yaml", "empty.jsonl", "empty.sheet"):
        (tmp_path / name).touch()
    (tmp_path / "open.yaml").write_text("systems:\n  a: {type: openai\nsuites:\n  - suite: retrieval\n")
    for name in ("bad.yaml", "bad.jsonl", "bad.sheet"):
        (tmp_path / name).write_bytes(NOT_UTF8)
    (tmp_path / "plain.sheet").write_text("table T\n    [a] = 1\n")
    (tmp_path / "one.yaml").write_text(CASE)
    return tmp_path


SCORE = ("score", "--suite", "data_query", "--cases", "one.yaml", "--predictions")

IN_AN_EMPTY_FOLDER = [
    (("run",), "there is no karat.yaml here", "karat run --suite data_query --cases cases/ --system"),
    (("score",), "there is no karat.yaml here", "karat score --suite data_query --cases cases/ --predictions"),
    (("check",), "there is no karat.yaml here", "Without a project: karat check cases/"),
    (("runs", "list"), "there is no store at", "Nothing has been run here yet"),
    (("report",), "there is no store at", "give --store"),
    (("compare", "a"), "compare needs two runs", "karat compare r-0001 latest"),
    (("compare", "a", "b"), "there is no store at", "give --store"),
    (("gate",), "there are no gates to check", 'Put them under "gates:" in karat.yaml'),
    (("run", "--config", "nope.yaml"), "there is no project file nope.yaml", "karat init"),
    (("run", "--config", "empty.yaml"), "the file is empty", "karat init FOLDER writes one"),
    (("run", "--config", "open.yaml"), "open.yaml:3:7: not valid YAML", 'close the "{" of line 2, column 6.'),
    (("run", "--config", "bad.yaml"), "bad.yaml:1:1: not UTF-8", "Save the file as UTF-8"),
    (("run", "--retry-errors"), "--retry-errors needs --resume", "karat run --resume latest"),
    (("score", "--suite", "data_qery", "--cases", "one.yaml", "--predictions", "x"), "no suite", '"data_query"?'),
    (("score", "--suite", "data_query", "--cases", "nope", "--predictions", "x"), "no cases at nope", "YAML file"),
    (("score", "--suite", "data_query", "--cases", "empty.yaml", "--predictions", "x"), "no cases in", "karat init"),
    (("score", "--suite", "data_query", "--cases", "folder", "--predictions", "x"), "no case files in folder", ".yaml"),
    (("score", "--suite", "data_query", "--cases", "bad.yaml", "--predictions", "x"), "bad.yaml:1:1:", "as UTF-8"),
    ((*SCORE, "nope.jsonl"), "there are no predictions at nope.jsonl", "Give a JSONL file"),
    ((*SCORE, "folder"), "there are no predictions in folder", "<case id>.json"),
    ((*SCORE, "empty.jsonl"), "there are no predictions in empty.jsonl", "karat init --suite data_query"),
    ((*SCORE, "bad.jsonl"), "bad.jsonl:1:1: not a prediction", "Each line is a JSON object"),
    ((*SCORE, "x", "-o", "erors=zero"), 'unknown option "erors"', '"errors"?'),
    ((*SCORE, "x", "-o", "errors=maybe"), 'option errors: expected one of leave_out, zero; found "maybe"', "zero"),
    ((*SCORE, "x", "-o", "errors"), "--option expects KEY=VALUE", "--option errors=…"),
    ((*SCORE, "x", "--gate", "data_query.macro_recal>=1"), "does not name a metric of data_query", '"macro_recall"?'),
    ((*SCORE, "x", "--gate", "macro_recall"), "is not a gate", "Write data_query.macro_recall>=0.85"),
    (("check", "on.yaml"), "there are no cases at on.yaml", 'Did you mean "one.yaml"?'),
    (("check", "folder"), "cannot tell which suite the cases in folder are for", "--suite answers | codegen"),
    (
        ("check", "one.yaml", "--table", "A=a.csv"),
        "--table can be used only with a sheet",
        "karat check kitchen.sheet --table",
    ),
    (("check", "plain.sheet", "--table", "A"), "is not NAME=FILE", "--table Ingredients=ingredients.csv"),
    (("tune", "plan.sheet"), "plan.sheet cannot be read", 'Did you mean "plain.sheet"?'),
    (("tune", "folder"), "there are no cases in folder: no qrels/*.tsv", "A BEIR folder contains queries.jsonl"),
    (("tune", "bad.sheet"), "bad.sheet:1:1: the byte 0xff is not UTF-8", "Save the file as UTF-8"),
    (("tune", "plain.sheet"), "no table marked !evaluation()", "Put !evaluation() above"),
    (("tune", "plain.sheet", "--models", ","), "--models is empty", "karat models lists them"),
    (("tune", "plain.sheet", "--budget-tokens", "0"), "'--budget-tokens'", "greater than or equal to 1"),
    (("sheet", "plain.sheet", "--only", "X"), "--only X: there is no such table", "Available: T."),
    (("answers", "--result_dir", "folder", "--gold_dir", "nope"), "no gold at nope", "Give the gold folder"),
    (
        ("answers", "--result_dir", "folder", "--gold_dir", "empty.jsonl"),
        "there is no gold in empty.jsonl",
        "karat init",
    ),
    (("init", "--suite", "answer"), 'there is no suite "answer"', 'Did you mean "answers"?'),
    (("demo", "one.yaml"), "one.yaml/answers: Not a directory", "choose another path"),
    (("models", "--cache", "nope"), "there is no folder nope", "first run"),
    (("chek",), "No such command 'chek'", "'check'"),
]


@pytest.mark.parametrize(
    ("words", "said", "way_out"), IN_AN_EMPTY_FOLDER, ids=[" ".join(m[0]) for m in IN_AN_EMPTY_FOLDER]
)
def test_in_a_folder_without_a_project(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
    way_out: str,
) -> None:
    text = say(capsys, monkeypatch, *words)
    assert said in text
    assert way_out in text
    assert not (here / ".karat").exists(), "a mistake leaves nothing behind"


IN_A_PROJECT = [
    (("run", "--suite", "answers"), 'this project has no suite "answers"', "Or give --cases."),
    (("run", "--suite", "data_qery"), "there is no suite", 'Did you mean "data_query"?'),
    (("run", "--system", "openia"), 'there is no system "openia"', 'Did you mean "openai"?'),
    (("run", "--system", "openai"), "base_url and model must be given", "--system-option base_url=…"),
    (
        ("run", "--system", "openai", "--system-option", "modl=x"),
        'unknown system setting "modl"',
        'Did you mean "model"?',
    ),
    (("run", "--system", "function", "--system-option", "function=nope:ask"), 'no module "nope"', "installed"),
    (("run", "--case", "nope"), 'there is no case "nope"', "There are 14 cases, such as debt_italy_greece."),
    (("run", "--tag", "critcal"), 'no case has the tag "critcal"', 'Did you mean "critical"?'),
    (("run", "--gate", "data_query.macro_recal>=1"), "does not name a metric", 'Did you mean "macro_recall"?'),
    (
        ("run", "--resume", "latest", "--tag", "x", "--limit", "3"),
        "--limit and --tag cannot be combined with",
        "started with",
    ),
    (("run", "--resume", "r-0099"), "there is no run r-0099", "The newest run is r-0001"),
    (("run", "--store", "cases"), "is a folder", "Name a file in it"),
    (("run", "--store", "mysql://x"), '"mysql" is not a kind of store', "sqlite:///FILE"),
    (("score", "latest", "--limit", "3"), "--limit cannot be combined with a RUN", "karat score latest"),
    (("score", "latest", "--suite", "answers"), "r-0001 is a run of data_query, not of answers", "Leave --suite out"),
    (("score", "latest", "--cases", "nope"), "there are no cases at nope", "Give a YAML file"),
    (("runs", "list", "--suite", "data_qery"), "there is no suite", 'Did you mean "data_query"?'),
    (("runs", "show", "recorded"), 'there is no run "recorded" in the store', "r-0012 or 12, or latest"),
    (("compare", "latest", "1"), "is given twice", "karat runs list"),
    (("report", "r-0099"), "there is no run r-0099", "karat runs list shows all"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for verb in ("init", "run"):
        subprocess.run(warm_karat(verb), cwd=folder, capture_output=True, timeout=60, check=False)
    return folder


@pytest.mark.parametrize(("words", "said", "way_out"), IN_A_PROJECT, ids=[" ".join(m[0]) for m in IN_A_PROJECT])
def test_in_a_project(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
    way_out: str,
) -> None:
    monkeypatch.chdir(project)
    text = say(capsys, monkeypatch, *words)
    assert said in text
    assert way_out in text


def test_a_run_without_scores_and_a_suite_without_runs(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert "no runs of answers yet" in say(capsys, monkeypatch, "runs", "list", "--suite", "answers", code=0)
    (tmp_path / "slow.py").write_text("import time\ndef ask(request):\n    time.sleep(60)\n")
    store = str(tmp_path / "other.db")
    words = ["run", "--store", store, "--system", "function", "--system-option", "function=slow:ask"]
    killed = subprocess.Popen(
        [sys.executable, "-m", "karat", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert killed.stderr is not None
    assert any("calls to make" in line for line in killed.stderr)
    killed.kill()
    killed.wait()
    killed.stderr.close()
    for verb in (("report",), ("runs", "show")):
        text = say(capsys, monkeypatch, *verb, "--store", store)
        assert "the run r-0001 has no scores yet Score it: karat score r-0001" in text
    gate = ("gate", "latest", "--gate", "data_query.errors<=1", "--store", store)
    assert "the run is interrupted and not fully scored" in say(capsys, monkeypatch, *gate, code=1)


def test_a_port_in_use(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("uvicorn")
    monkeypatch.chdir(project)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        text = say(capsys, monkeypatch, "serve", "--port", port)
    assert f"cannot listen on 127.0.0.1:{port}" in text
    assert "another port with --port; 0 picks a free port" in text


def test_no_rights_are_told_in_words(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "closed").mkdir(mode=0o500)
    # Root may write everywhere but where the kernel itself says no.
    place = "/sys" if os.geteuid() == 0 else "closed"
    text = say(capsys, monkeypatch, "init", f"{place}/project")
    assert f"karat: {place}/project: " in text
    assert "Check the path and its permissions, or choose another path." in text


def test_a_long_list_of_mistakes_into_a_closed_pipe(here: Path) -> None:
    (here / "many.yaml").write_text("".join(f"k{number}: 1\n" for number in range(300)))
    command = (
        f"{sys.executable} -m karat check --suite data_query many.yaml 2>&1 | head -1; "
        f"{sys.executable} -m karat run --config many.yaml 2>&1 | head -1"
    )
    done = subprocess.run(command, shell=True, cwd=here, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stdout + done.stderr
