"""Every metric and every reason is explained with an example, and the examples are what Karat computes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.core import plugins
from karat.core.expect.findings import METRIC_NAMES
from karat.core.expect.findings import REASONS as REASONS_OF_EXPECTATIONS
from karat.core.metric import Metric
from karat.core.metrics.guarded_metrics import guarded
from karat.core.metrics.parameters import Parameter
from karat.core.metrics.worked_examples import read_examples
from karat.core.results.failures.failures import case_failures
from karat.core.scores import Score
from karat.verbs.explain import explained_metric, explained_reason, names_of_every_suite, names_to_explain
from tests.suites.worked_example_scores import scored, values

SUITES = ("answers", "codegen", "data_query", "retrieval")
# Karat's own: what else is installed here need not be explained so well.
METRICS = [(suite, metric) for suite in SUITES for metric in plugins.load_suite(suite).metrics if not metric.package]
REASONS = [(suite, reason) for suite in SUITES for reason in names_to_explain()[suite]["reasons"]]
EXAMPLES = [
    (suite, number)
    for suite in SUITES
    for number, _ in enumerate(read_examples(plugins.load_suite(suite).worked_examples))
]


@pytest.mark.parametrize(("suite", "metric"), METRICS, ids=lambda one: getattr(one, "name", one))
def test_every_metric_has_meaning_formula_edge_cases_and_an_example(suite: str, metric: Metric) -> None:
    found = explained_metric(plugins.load_suite(suite), metric)
    assert len(found.meaning) > 20
    said = "\n".join((found.meaning, *found.edge_cases))
    assert "this folder" not in said and "as in fields" not in said, "what modules share says nothing of the metric"
    assert ":mod:" not in said and ".py" not in said and "(see " not in said, "what readers of the code need"
    assert found.formula
    assert found.edge_cases
    assert any(character.isdigit() for example in found.examples for character in example)


@pytest.mark.parametrize(("suite", "reason"), REASONS)
def test_every_reason_has_meaning_cause_and_an_example(suite: str, reason: str) -> None:
    found = explained_reason(plugins.load_suite(suite), reason)
    assert found.meaning.endswith(".")
    assert found.cause.endswith((".", "."))
    assert found.examples


@pytest.mark.parametrize("suite", SUITES)
def test_there_is_no_note_on_a_reason_that_the_suite_does_not_have(suite: str) -> None:
    found = plugins.load_suite(suite)
    assert not found.reasons or set(found.reason_notes) <= set(found.reasons)


@pytest.mark.parametrize(("suite", "number"), EXAMPLES)
def test_worked_examples_score_as_they_say(suite: str, number: int, tmp_path: Path) -> None:
    chosen = plugins.load_suite(suite)
    example = read_examples(chosen.worked_examples)[number]
    result = scored(chosen, example, tmp_path)
    found = values(result)
    assert {name: found.get(name) for name in example.values} == pytest.approx(example.values, abs=1e-4)
    assert tuple(chosen.reasons_of(result)) == example.reasons
    for _, group in case_failures(suite, result):
        printed = group.family or group.label
        assert karat.explain(printed, suite=suite), f"reports print the failure group {printed}"


def test_a_metric_of_several_suites_is_explained_for_each() -> None:
    assert {one.suite for one in karat.explain("passed")} == {"codegen", "retrieval"}
    assert [one.suite for one in karat.explain("codegen.passed")] == ["codegen"]
    assert [one.suite for one in karat.explain("passed", suite="retrieval")] == ["retrieval"]


def test_a_metric_with_a_parameter_is_found_by_every_name() -> None:
    named = [karat.explain(name)[0].name for name in ("recall_at_10", "R@10", "R(cutoff=10)")]
    assert named == ["recall_at_10"] * 3
    assert any("cutoff = 10" in rule for rule in karat.explain("R@10")[0].edge_cases)


def test_a_reason_is_found_as_gates_name_it() -> None:
    found = karat.explain("data_query.reason.wrong_term")
    assert [(one.kind, one.name) for one in found] == [("reason", "wrong_term")]


@pytest.mark.parametrize(
    ("printed", "kind", "name"),
    [
        ("missing WHERE", "group", "missing …"),
        ("documents missing", "group", "… missing"),
        ("COUNTRY wrong: asked MEX, got USA", "group", "… wrong"),
        ("needs review: rows_scrambled", "reason", "rows_scrambled"),
        ("wrong period", "reason", "wrong_period"),
        ("no answer", "group", "no answer"),
        ("label_drift", "group", "label_drift"),
    ],
)
def test_the_words_of_failure_groups_and_notes_are_explained(printed: str, kind: str, name: str) -> None:
    assert {(one.kind, one.name) for one in karat.explain(printed)} == {(kind, name)}


def test_a_typo_names_the_nearest() -> None:
    with pytest.raises(karat.UnknownName) as error:
        karat.explain("macro_recal")
    assert error.value.hint == 'Did you mean "macro_recall"?'
    with pytest.raises(karat.UnknownName) as error:
        karat.explain("rows_scrambeld")
    assert error.value.nearest == "rows_scrambled"


def own(comparison: object) -> Score:
    """Counts what a plug-in counts.

    By hand: two of four are right: 0.5.
    """
    return Score(0.5)


def test_a_metric_of_a_plug_in_is_explained_from_its_own_docstring() -> None:
    metric = Metric("own", "own", "half", own, higher_is_better=False, package="karat-own")
    found = explained_metric(plugins.load_suite("retrieval"), metric)
    assert found.meaning == "Counts what a plug-in counts."
    assert found.examples == ("two of four are right: 0.5.",)
    assert "lower is better" in found.edge_cases[0]
    assert found.package == "karat-own"


def at(comparison: object, cutoff: int = 5) -> Score:
    """Counts what comes first.

    Edge cases: nothing comes first: 0.
    """
    return Score(float(cutoff))


def test_a_metric_of_a_plug_in_with_a_parameter_is_explained_from_its_own_docstring() -> None:
    metric = Metric("at", "at", "the first {cutoff}", at, parameters=(Parameter("cutoff", int, 5, "How many."),))
    guarded_once = guarded(metric.with_parameters(cutoff=3), "karat-own")  # as plug-ins are loaded
    found = explained_metric(plugins.load_suite("retrieval"), replace(guarded_once, package="karat-own"))
    assert found.meaning == "Counts what comes first."
    assert found.edge_cases[0] == "nothing comes first: 0."


def test_the_command_prints_all_parts_and_json() -> None:
    run = CliRunner().invoke(app, ["explain", "macro_recall"])
    assert run.exit_code == 0
    for word in ("Formula", "Edge cases", "Example", "macro_recall = 0.75"):
        assert word in run.output
    shown = json.loads(CliRunner().invoke(app, ["explain", "macro_recall", "--json"]).output)
    assert shown[0]["formula"] == "mean over target dimensions of TP / (TP + FN)"
    listed = json.loads(CliRunner().invoke(app, ["explain", "--json"]).output)
    assert "macro_recall" in listed["data_query"]["metrics"]
    assert "lucky" in listed["answers"]["reasons"]


SHARED = names_of_every_suite()


@pytest.mark.parametrize("name", SHARED["metrics"])
def test_metrics_of_every_suite_are_explained_with_and_without_a_suite(name: str) -> None:
    (found,) = karat.explain(name)
    assert (found.suite, found.kind) == ("", "metric")
    assert len(found.meaning) > 20 and found.formula and found.edge_cases
    assert any(character.isdigit() for example in found.examples for character in example)
    assert [one.suite for one in karat.explain(f"codegen.{name}")] == ["codegen"]


@pytest.mark.parametrize("name", SHARED["reasons"])
def test_reasons_of_every_suite_are_explained(name: str) -> None:
    (found,) = karat.explain(name)
    assert found.meaning.endswith(".") and found.cause.endswith(".") and found.examples
    assert karat.explain(f"data_query.reason.{name}")[0].meaning == found.meaning


def test_nothing_that_every_suite_has_is_left_out() -> None:
    assert SHARED["reasons"] == REASONS_OF_EXPECTATIONS
    assert set(SHARED["metrics"]) == METRIC_NAMES | {"latency", "tokens", "cost"}


def test_the_list_and_the_command_have_them_too() -> None:
    listed = CliRunner().invoke(app, ["explain"])
    assert "every suite" in listed.output and "tool_forbidden" in listed.output
    said = CliRunner().invoke(app, ["explain", "no_trace"])
    assert said.output.startswith("no_trace: a reason") and "Usual causes" in said.output
