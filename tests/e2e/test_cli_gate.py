"""``karat gate`` in a project and on runs that were really made: exit code, words and files agree."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

import karat
from karat.cli.main import app
from karat.core.problems import UserError
from karat.store import RunRecord, open_store
from tests.e2e.test_cli_compare import answering, cases, planted

PROJECT = """\
name: demo
store: karat.db
suites:
  - {suite: data_query, cases: cases/}
gates:
"""
FLOOR = "  - {metric: data_query.exact_match, at_least: 0.5}\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """r-0001 baseline: 60 % right; r-0002: 5 critical ones lost and 20 others gained; r-0003: as the baseline."""
    path = tmp_path_factory.mktemp("gate")
    (path / "karat.yaml").write_text(PROJECT + FLOOR)
    before = planted(0.6, 1)
    lost = set(sorted(i for i in before if i % 3 == 0)[:5])
    gained = set(sorted(i for i in range(300) if i not in before and i % 3)[:20])
    for name, right in (("baseline", before), ("change", (before - lost) | gained), ("again", before)):
        karat.run(
            suite="data_query",
            cases=cases(),
            system=answering(right),
            name=name,
            store=path / "karat.db",
        )
    return path


def invoke(folder: Path, *words: str, code: int, **environment: str) -> Result:
    config = ["--config", str(folder / "karat.yaml")]
    done = CliRunner().invoke(app, ["gate", *words, *config], env={"COLUMNS": "120", **environment})
    if code == 2:
        assert isinstance(done.exception, UserError), done.output
    else:
        assert done.exit_code == code, f"{done.output}\n{done.exception}"
    return done


HOLDS = [
    "data_query.exact_match>=0.6",
    "data_query.errors<=0",
    "metric: data_query.exact_match, no_worse_than: baseline, margin: 0.02",
    "no_new_failures: {tag: rest}",
]
BROKEN = [
    "data_query.exact_match>=0.7",
    "no_new_failures: {tag: critical}",
    "metric: data_query.exact_match, no_worse_than: nobody, margin: 0.02",
    "no_new_failures: {tag: nowhere}",
]


@pytest.mark.parametrize("chosen", list(product([False, True], repeat=4)))
def test_every_combination_of_rules(made: Path, tmp_path: Path, chosen: tuple[bool, ...]) -> None:
    """Each kind of rule once, either one that holds or one that is broken."""
    rules = [(BROKEN if broken else HOLDS)[kind] for kind, broken in enumerate(chosen)]
    words = [word for rule in rules for word in ("--gate", rule)]
    out = tmp_path / "gate.xml"
    done = invoke(made, "change", *words, "--junit", str(out), code=int(any(chosen)))
    lines = done.stdout.splitlines()
    broken = sum(chosen)
    assert lines[0] == (f"{broken} of 5 gates failed" if broken else "5 gates passed")
    assert sum(line.startswith("  failed  r-0002  ") for line in lines) == broken
    assert sum(line.startswith("  passed  r-0002  ") for line in lines) == 5 - broken
    assert len(list(ElementTree.parse(out).iter("failure"))) == broken


def test_the_words(made: Path) -> None:
    done = invoke(made, "change", "--gate", BROKEN[1], "--gate", BROKEN[0], code=1)
    right = sorted(number for number in planted(0.6, 1) if number % 3 == 0)
    assert (
        f"no new failures in tag critical against r-0001: 5 of {len(right)} cases right in the baseline by fully right "
        f"(100 cases in both runs) no longer right, wanted 0: {', '.join(f'c{number:03d}' for number in right[:5])}\n"
    ) in done.stdout
    assert "data_query.exact_match is 0.65 over 300 cases, wanted at least 0.7" in done.stdout


def test_json_markdown_and_github(made: Path, tmp_path: Path) -> None:
    found = json.loads(invoke(made, "2", "--gate", BROKEN[1], "--json", "-", code=1).stdout)
    assert found["passed"] is False
    assert [gate["passed"] for gate in found["gates"]] == [True, False]
    assert len(found["gates"][1]["cases"]) == 5
    assert found["gates"][1]["baseline"] == "r-0001"
    assert invoke(made, "2", "--markdown", "-", code=0).stdout.startswith("### karat gate: 1 gate passed")
    summary = tmp_path / "summary.md"
    done = invoke(made, "2", "--github", "--gate", BROKEN[0], code=1, GITHUB_STEP_SUMMARY=str(summary))
    assert done.stdout.count("\n::error title=") == 1
    assert done.stdout.count("\n::notice title=") == 1
    assert "1 of 2 gates failed" in summary.read_text(encoding="utf-8")


def test_the_newest_run_of_the_project_is_the_default_and_the_baseline_can_be_named(made: Path) -> None:
    rule = "no_new_failures: {}"
    assert "  passed  r-0003" in invoke(made, "--gate", rule, code=0).stdout
    assert "against r-0002: 20 of " in invoke(made, "--gate", rule, "--baseline", "change", code=1).stdout
    assert "against r-0002: 20 of " in invoke(made, "--gate", rule, "--baseline", "2", code=1).stdout
    (made / "other.yaml").write_text(PROJECT.replace("gates:", "baseline: change\ngates:") + FLOOR)
    config = ["--config", str(made / "other.yaml")]
    assert CliRunner().invoke(app, ["gate", "--gate", rule, *config]).exit_code == 1


@pytest.mark.parametrize("status", ["running", "interrupted", "failed"])
def test_a_newest_run_that_is_not_finished_fails(tmp_path: Path, status: str) -> None:
    (tmp_path / "karat.yaml").write_text(PROJECT + FLOOR)
    database = tmp_path / "karat.db"
    karat.run(suite="data_query", cases=cases(), system=answering(set(range(300))), store=database)
    assert "passed  r-0001" in invoke(tmp_path, code=0).stdout
    with open_store(str(database)) as store:
        unfinished = store.create_run(RunRecord(suite="data_query", cases=300))
        store.set_status(unfinished, status)  # type: ignore[arg-type]  # one of the words of a status
    said = invoke(tmp_path, code=1).stdout
    assert f"failed  r-0002  data_query.exact_match at least 0.5: the run is {status} and not fully scored" in said
    assert "karat run --resume r-0002" in said


def test_a_run_is_not_its_own_baseline(made: Path) -> None:
    rule = ["--gate", "no_new_failures: {}"]
    assert 'no other run of data_query named "baseline"' in invoke(made, "1", *rule, code=1).stdout
    assert "r-0001 is this run itself" in invoke(made, "1", *rule, "--baseline", "1", code=1).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gate", "data_query.exact_mach>=0.5"], 'Did you mean "exact_match"'),
        (["--gate", "data_qery.exact_match>=0.5"], 'Did you mean "data_query"'),
        (["--gate", "no_new_failures: {metric: data_query.latency}"], "is a quantity"),
        (["--gate", "no_new_failure: {}"], 'Did you mean "no_new_failures"'),
        (["--baseline", "r-0099"], "there is no run r-0099"),
        (["--baseline", "basline"], 'Did you mean "baseline"'),
        (["r-0099"], "there is no run r-0099"),
    ],
)
def test_mistakes(made: Path, words: list[str], said: str) -> None:
    assert said in str(invoke(made, *words, code=2).exception)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{metric: data_query.exact_mach, at_least: 0.5}", 'Did you mean "exact_match"'),
        ("{metric: data_query.exact_match, atleast: 0.5}", 'Did you mean "at_least"'),
        ("{metric: data_query.exact_match, no_worse_than: baseline}", "needs a margin"),
        ("{no_new_failures: {tga: critical}}", 'Did you mean "tag"'),
        ("{no_new_failures: {metric: data_query.tokens}}", "is a quantity"),
        ("{errors: {at_most: 0.5}}", 'unknown key "errors"'),
    ],
)
def test_mistakes_in_the_project_file(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "karat.yaml").write_text(f"{PROJECT}  - {line}\n")
    assert said in str(invoke(tmp_path, code=2).exception)


def test_no_gates_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "karat.yaml").write_text(PROJECT)
    assert "there are no gates to check" in str(invoke(tmp_path, code=2).exception)


def test_run_judges_against_the_baseline_when_there_is_one_and_says_so_when_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    terminal = CliRunner()
    assert terminal.invoke(app, ["init"]).exit_code == 0
    rule = ["--gate", "no_new_failures: {}"]
    first = terminal.invoke(app, ["run", "--name", "baseline", *rule])
    assert first.exit_code == 3  # the recorded assistant failed once; a baseline that is not there breaks nothing here
    assert 'gate not checked: no new failures: there is no other run of data_query named "baseline"' in first.stderr
    (tmp_path / "changed.jsonl").write_text(
        (tmp_path / "predictions.jsonl").read_text(encoding="utf-8").replace('"CHL"', '"PER"'), encoding="utf-8"
    )
    for verb in ("run", "score"):
        done = terminal.invoke(app, [verb, "--predictions", "changed.jsonl", *rule])
        assert done.exit_code == 1
        assert "gate failed: no new failures against r-0001: 1 of 5 cases" in done.stderr
    again = terminal.invoke(app, ["score", "latest", *rule])
    assert again.exit_code == 1
    assert terminal.invoke(app, ["run", *rule]).exit_code == 3
