"""Where results go: bare ``--json``, files that cannot be written, HTML beside Excel."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from karat.cli.main import app
from karat.cli.options.bare_options import spell_out
from karat.core.problems import UserError

BARE, VALUED = {"--json", "--csv"}, {"--only", "--tag", "-t"}
FRUIT = 'table Fruit\n    [name] = "Pear"\n    [price] = 4\n'
ROWS = "name,price\nPear,4\n"


@pytest.mark.parametrize(
    ("words", "spelled", "taken"),
    [
        (["--json"], ["--json", "-"], []),
        (["--json", "-"], ["--json", "-"], [("--json", "-")]),
        (["--json", "out"], ["--json", "out"], [("--json", "out")]),
        (["--json=out"], ["--json=out"], []),
        (["f", "--json", "--only", "T"], ["f", "--json", "-", "--only", "T"], []),
        (["--json", "--csv"], ["--json", "-", "--csv", "-"], []),
        (["--json", "-t", "x"], ["--json", "-", "-t", "x"], []),
        (["--only", "--json"], ["--only", "--json"], []),  # the name of a table, as Typer takes it
        (["-t", "--json", "--json"], ["-t", "--json", "--json", "-"], []),
        (["-yt", "--json"], ["-yt", "--json"], []),
        (["-tx", "--json"], ["-tx", "--json", "-"], []),
        (["--tag=x", "--json"], ["--tag=x", "--json", "-"], []),
        (["--", "--json"], ["--", "--json"], []),
        (["--json", "--", "f"], ["--json", "-", "--", "f"], []),
        (["--only"], ["--only"], []),
    ],
)
def test_what_stands_alone(words: list[str], spelled: list[str], taken: list[tuple[str, str]]) -> None:
    assert spell_out(words, BARE, VALUED) == (spelled, taken)


@given(st.lists(st.sampled_from(["--json", "--csv", "--only", "--tag=x", "-t", "-tx", "-y", "--", "-", "file"])))
def test_spelling_out_twice_is_spelling_out_once(words: list[str]) -> None:
    once, _ = spell_out(words, BARE, VALUED)
    assert spell_out(once, BARE, VALUED)[0] == once
    assert [word for word in once if word != "-"] == [word for word in words if word != "-"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fruit.sheet").write_text(FRUIT)
    return tmp_path


@pytest.fixture
def project(here: Path) -> Path:
    done("init")
    return here


def done(*words: str, code: int = 0) -> str:
    found = CliRunner().invoke(app, words)
    assert found.exit_code == code, (words, found.output, found.exception)
    return found.stdout


def test_every_option_that_prints_says_so_in_the_help() -> None:
    group = typer.main.get_group(app)
    leaves = [leaf for verb in group.commands.values() for leaf in getattr(verb, "commands", {"": verb}).values()]
    options = [
        param
        for leaf in leaves
        for param in leaf.params
        if set(param.opts) & {"--json", "--csv", "--junit", "--markdown"}
    ]
    assert len(options) >= 16
    for option in options:
        assert option.metavar == "[OUT]", option.opts
        assert ", or with -" in option.help
    assert "--json [OUT]" in done("score", "--help")


def test_a_bare_option_of_a_sheet_prints(here: Path) -> None:
    assert done("sheet", "fruit.sheet", "--csv") == ROWS
    assert done("sheet", "--csv", "--only", "Fruit", "fruit.sheet") == ROWS
    assert done("sheet", "fruit.sheet", "--csv", "-") == ROWS
    assert json.loads(done("sheet", "fruit.sheet", "--json", "--only", "Fruit"))["tables"][0]["rows"][0]["price"] == 4
    assert {file.name for file in here.iterdir()} == {"fruit.sheet"}
    done("sheet", "fruit.sheet", "--json=a.json", "--csv", "b.csv")
    assert (here / "b.csv").read_text() == ROWS
    assert json.loads((here / "a.json").read_text())["problems"] == []


def test_the_commands_of_the_issues(here: Path) -> None:
    (here / "qrels").write_text("q1 0 d1 1\nq1 0 d2 1\n")
    (here / "run").write_text("q1 Q0 d1 1 2.0 me\nq1 Q0 d3 2 1.0 me\n")
    found = json.loads(done("score", "--suite", "retrieval", "--cases", "qrels", "--predictions", "run", "--json"))
    assert next(item["mean"] for item in found["summary"] if item["metric"] == "recall") == 0.5


def test_bare_in_every_verb_of_a_project(project: Path) -> None:
    assert json.loads(done("run", "--json", code=3))["run"]["id"] == "r-0001"
    assert json.loads(done("score", "latest", "--json", "--workers", "1", code=3))["run"]["suite"] == "data_query"
    assert json.loads(done("run", "--json", "--name", "again", code=3))["run"]["id"] == "r-0002"
    assert [row["run"] for row in json.loads(done("runs", "list", "--json"))] == ["r-0002", "r-0001"]
    assert json.loads(done("runs", "show", "--json"))["run"]["id"] == "r-0002"
    assert json.loads(done("report", "1", "--json"))["run"]["id"] == "r-0001"
    checked = json.loads(done("check", "--json"))
    assert (checked["problems"], checked["fixed"]) == ([], {}) and checked["cases"]
    assert json.loads(done("doctor", "--json"))
    assert json.loads(done("models", "--json"))["models"]
    assert json.loads(done("compare", "1", "2", "--json"))
    assert done("compare", "1", "2", "--markdown").startswith("#")
    rule = ("--gate", "data_query.errors<=0.5")
    assert json.loads(done("gate", "--json", *rule))["passed"]
    assert done("gate", "--markdown", *rule).startswith("### karat gate")
    assert ElementTree.fromstring(done("gate", *rule, "--junit")).tag == "testsuites"
    assert not [file for file in project.iterdir() if file.name in ("-", "--name", "--workers")]


def test_a_run_is_not_taken_for_a_file(project: Path) -> None:
    done("run", code=3)
    for words in (("report", "--json", "latest"), ("score", "--json", "r-0001"), ("compare", "--markdown", "1", "2")):
        found = CliRunner().invoke(app, words)
        assert isinstance(found.exception, UserError)
        assert f"would write a file named {words[2]}" in found.exception.message
        assert f"put the run first: {words[2]} {words[1]}" in found.exception.hint
    done("report", "--json=latest")
    assert json.loads((project / "latest").read_text())["run"]["id"] == "r-0001"


def test_a_file_that_was_taken_as_the_output_is_told(here: Path) -> None:
    found = CliRunner().invoke(app, ["sheet", "show", "--json", "fruit.sheet"])
    assert found.exit_code == 2
    assert "Missing argument" in found.stderr
    assert '"fruit.sheet" was used as the file name of --json. To print instead, write --json -' in " ".join(
        found.stderr.split()
    )
    found = CliRunner().invoke(app, ["tune", "--json", "fruit.sheet"])
    assert isinstance(found.exception, UserError)
    assert '"fruit.sheet" was used as the file name of --json' in found.exception.hint
    assert (here / "fruit.sheet").read_text() == FRUIT


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("report", "--json", "folder"), "folder is a folder"),
        (("runs", "list", "--json", "fruit.sheet/x.json"), "fruit.sheet is a file, not a folder"),
        (("report", "--xlsx", "folder"), "folder is a folder"),
        (("report", "--xlsx", "-"), "this output cannot be printed"),
        (("report", "--html", "-"), "this output cannot be printed"),
        (("gate", "--junit", "folder"), "folder is a folder"),
        (("compare", "1", "2", "--markdown", "folder"), "folder is a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_first(here: Path, words: tuple[str, ...], said: str) -> None:
    (here / "folder").mkdir()
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2
    assert said in " ".join(found.stderr.split())


@pytest.mark.usefixtures("here")
def test_two_documents_are_not_printed_at_once() -> None:
    for words in (("sheet", "fruit.sheet", "--json", "--csv"), ("gate", "--json", "--junit")):
        assert "only one of the outputs" in str(CliRunner().invoke(app, words).exception)


def test_html_wherever_there_is_excel(project: Path) -> None:
    done("run", "--html", "run.html", code=3)
    done("score", "--html", "score.html", "--xlsx", "score.xlsx", code=3)
    done("report", "latest", "--html", "report.html")
    for name in ("run", "score", "report"):
        assert (project / f"{name}.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>"), (
            name
        )
    assert (project / "score.xlsx").is_file()


def test_html_of_several_suites_has_their_names(project: Path) -> None:
    text = (project / "karat.yaml").read_text(encoding="utf-8")
    entry = "  - {suite: data_query, cases: cases/, predictions: predictions.jsonl}\n"
    (project / "two.yaml").write_text(text.replace("suites:\n", f"suites:\n{entry}"), encoding="utf-8")
    done("score", "--config", "two.yaml", "--html", "out.html", code=3)
    assert {file.name for file in project.glob("*.html")} == {"out.data_query.html", "out.data_query-2.html"}
