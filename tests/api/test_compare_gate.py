"""``karat.compare`` and ``karat.gate`` give what the command line gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import karat
from karat.cli.main import app

CASES: list[dict[str, Any]] = [
    {"id": f"q{n}", "relevant": ["x"], "tags": ["critical" if n % 4 == 0 else "rest"]} for n in range(40)
]


def answers(right: int) -> list[dict[str, Any]]:
    return [{"id": case["id"], "results": ["x" if n < right else "y"]} for n, case in enumerate(CASES)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "runs.db"
    for name, right in (("baseline", 30), ("worse", 10), ("same", 30)):
        karat.run(suite="retrieval", cases=CASES, predictions=answers(right), name=name, store=path)
    return path


def command(store: Path, *words: str) -> tuple[int, Any]:
    done = CliRunner().invoke(app, [*words, "--json", "-", "--store", str(store)])
    return done.exit_code, json.loads(done.stdout)


def test_the_figures_of_each_run_are_read_once(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large run they are what takes longest."""
    from karat.store import store as opened
    from karat.store.scorings import results

    monkeypatch.setattr(opened, "HELD", 0)  # as if the runs were too large to be held as objects
    read: list[int] = []
    real = results.read_columns

    def counted(connection: Any, scoring: int) -> Any:
        read.append(scoring)
        return real(connection, scoring)

    monkeypatch.setattr(results, "read_columns", counted)
    compared = karat.compare("baseline", "worse", store=store)
    assert sorted(read) == [1, 2]
    assert compared.failure_groups is not None and compared.failure_groups.groups[0].baseline == 10


def test_compare_gives_what_the_command_line_gives(store: Path) -> None:
    _, printed = command(store, "compare", "baseline", "worse")
    compared = karat.compare("baseline", "r-0002", store=store)
    assert compared.to_dict() == printed["comparisons"][0]
    assert compared.counts()["worse"] == 20
    text = repr(compared)
    assert text.startswith("A r-0001 → B r-0002")
    assert len(text.splitlines()) <= 40


def test_compare_takes_results_too(store: Path) -> None:
    before, after = (karat.load_run(name, store=store) for name in ("r-0001", "r-0002"))
    stored = karat.compare("r-0001", "r-0002", store=store)
    for one in (karat.compare(before, after), karat.compare(before, "worse", store=store)):
        assert one.comparison == stored.comparison
        assert [change.id for change in one.changes] == [change.id for change in stored.changes]
    assert karat.compare(before, after, tags=["critical"]).comparison.n_shared == 10
    with pytest.raises(karat.UserError, match="has the tag critcal"):
        karat.compare(before, after, tags=["critcal"])
    with pytest.raises(karat.UserError, match="a run cannot be compared with itself"):
        karat.compare("1", "baseline", store=store)


RULES: list[Any] = [
    ("retrieval.passed>=0.5", "retrieval.passed>=0.5"),
    ("retrieval.errors<=0", {"metric": "retrieval.errors", "at_most": 0}),
    ("no_new_failures: {tag: critical}", {"no_new_failures": {"tag": "critical"}}),
    (
        "metric: retrieval.recall, no_worse_than: baseline, margin: 0.02",
        {"metric": "retrieval.recall", "no_worse_than": "baseline", "margin": 0.02},
    ),
]


@pytest.mark.parametrize("run", ["worse", "same"])
@pytest.mark.parametrize(("typed", "given"), RULES)
def test_gate_gives_what_the_command_line_gives(store: Path, run: str, typed: str, given: Any) -> None:
    code, printed = command(store, "gate", run, "--gate", typed)
    found = karat.gate(run, given, store=store)
    assert found.passed is bool(found) is (code == 0) is printed["passed"]
    assert [(one.words, one.state, one.value) for one in found] == [
        (one["words"], one["state"], one["value"]) for one in printed["gates"]
    ]
    result = karat.load_run({"worse": "2", "same": "3"}[run], store=store)
    assert karat.gate(result, [given], store=store) == found
    baseline = karat.load_run("r-0001", store=store)
    assert karat.gate(result, [given], baseline=baseline) == found
    assert karat.gate(run, [given], baseline=baseline, store=store) == found


def test_what_cannot_be_judged_has_failed_and_says_why() -> None:
    result = karat.score(suite="retrieval", cases=CASES, predictions=answers(40))
    verdicts = karat.gate(result, ["retrieval.passed>=1", "no_new_failures: {}"], store="nowhere/at/all.db")
    assert not verdicts.passed
    assert not verdicts
    assert len(verdicts) == 2
    assert [one.passed for one in verdicts] == [True, False]
    assert repr(verdicts).startswith("1 of 2 gates failed\n  failed  no new failures: ")
    other = karat.score(
        suite="answers",
        cases=[{"instance_id": "a", "evaluation": {"func": "number_match", "parameters": {"gold": 1}}}],
        predictions=[{"id": "a", "answer": 1}],
    )
    (verdict,) = karat.gate(result, {"no_new_failures": {}}, baseline=other)
    assert "the baseline is a run of answers, not of retrieval" in verdict.words


def test_rules_that_are_none() -> None:
    result = karat.score(suite="retrieval", cases=CASES, predictions=answers(40))
    with pytest.raises(karat.UserError, match="is not a gate") as raised:
        karat.gate(result, {"metric": "retrieval.passed", "at_leest": 0.5})
    assert 'Did you mean "at_least"?' in raised.value.problems[0].hint
    with pytest.raises(karat.UnknownName, match='does not name a metric of retrieval\nDid you mean "passed"'):
        karat.gate(result, "retrieval.pased>=0.5")
    for rule, hint in (("retrieval.passed>=90", "If 90 % is meant, write 0.9"), ("retrieval.errors<=5", "write 0.05")):
        with pytest.raises(karat.UserError, match="the figure is between 0 and 1") as raised:
            karat.gate(result, rule)
        assert hint in str(raised.value)


def test_without_rules_those_of_the_project_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = karat.score(suite="retrieval", cases=CASES, predictions=answers(40))
    with pytest.raises(karat.UserError, match="there are no gates to check"):
        karat.gate(result)
    Path("cases.qrels").write_text("q1 0 x 1\n")
    Path("karat.yaml").write_text(
        "suites: [{suite: retrieval, cases: cases.qrels}]\ngates: [{metric: retrieval.passed, at_least: 0.9}]\n"
    )
    assert karat.gate(result).passed
    assert len(karat.gate(result, "retrieval.recall>=0.9")) == 1
    assert len(karat.gate(result, "retrieval.recall>=0.9", config="karat.yaml")) == 2
