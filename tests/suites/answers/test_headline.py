"""Own gold is judged by strict first and Spider2's by spider2, in every place that has a first figure: table, gates,
store, viewer, HTML."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from rich.console import Console

import karat
from karat.core.metric import pass_metric
from karat.core.results.result import RunResult
from karat.reports.console.run import print_result
from karat.runs.scores.run_scoring import score_recorded
from karat.store import RunRecord, open_store
from karat.suites.answers import suite
from karat.web.run_page.figures import figures_of, headline, main_figure
from tests.suites.answers.making import entry, lines, write

GOLD = [
    {"instance_id": "a", "evaluation": entry("string_match", gold=["Harbour"])},
    {"instance_id": "b", "evaluation": entry("number_match", gold=[-5.2])},
]
ANSWERS = {"a": "Harbour", "b": "The change is −5.2."}
"""By strict both are right; spider2 reads no signs, so it refuses the second."""


def result(tmp_path: Path, file: str, answers: dict[str, str] | None = None) -> RunResult:
    given = answers or ANSWERS
    rows = [{"instance_id": k, "answer_type": "answer", "answer_or_path": text} for k, text in given.items()]
    gold = write(tmp_path / f"gold {file}", {file: lines(*GOLD)})
    submitted = write(
        tmp_path / f"submission {len(given)} {hash(str(given))}", {"results_metadata.jsonl": lines(*rows)}
    )
    loaded, recorded = suite.load_cases(gold), suite.read_predictions(submitted)
    return score_recorded(suite, loaded.cases, recorded.predictions, suite.options())


def printed(found: RunResult) -> str:
    out = io.StringIO()
    print_result(found, suite.metrics_for(found.run.headline), Console(file=out, width=140))
    return out.getvalue()


def test_own_gold_puts_strict_first_and_lists_no_answer_that_strict_calls_right(tmp_path: Path) -> None:
    found = result(tmp_path, "karat_gold.jsonl")
    assert found.run.headline == ("strict", "strict_of_gold")
    assert [item.metric for item in found.summary][:2] == ["strict", "strict_of_gold"]
    passing = pass_metric(suite.metrics_for(found.run.headline))
    assert passing is not None
    assert passing.name == "strict"
    assert "orst cases" not in printed(found)
    assert repr(found).index("strict") < 400
    assert "spider2" not in repr(found)


def test_spider2_gold_keeps_spider2_first(tmp_path: Path) -> None:
    found = result(tmp_path, "spider2_eval.jsonl")
    assert found.run.headline == ()
    assert suite.metrics_for(found.run.headline) == suite.metrics
    assert found.summary[0].metric == "spider2"
    assert "orst cases" in printed(found)


def test_no_new_failures_counts_by_strict_where_the_gold_is_own(tmp_path: Path) -> None:
    before = result(tmp_path, "karat_gold.jsonl", {"a": "Harbour", "b": "-5.2"})
    worse = result(tmp_path, "karat_gold.jsonl", {"a": "Harbour", "b": "5.2"})
    rule: dict[str, Any] = {"no_new_failures": {}}
    verdicts = karat.gate(worse, rule, baseline=before)
    assert not verdicts.passed, (
        "5.2 for -5.2 is newly wrong by strict; by spider2, which reads no signs, both are wrong"
    )


def test_compare_judges_the_metrics_of_the_runs_own_headline(tmp_path: Path) -> None:
    before, after = (result(tmp_path, "karat_gold.jsonl", {"a": "Harbour", "b": text}) for text in ("5.2", "-5.2"))
    compared = karat.compare(before, after)
    judged = [item.metric for item in compared.comparison.metrics if item.headline]
    assert judged == ["strict", "strict_of_gold"]


def test_the_store_and_the_viewer_know_the_headline_of_a_run(tmp_path: Path) -> None:
    found = result(tmp_path, "karat_gold.jsonl")
    with open_store(f"sqlite:///{tmp_path / 'karat.db'}") as store:
        run = store.create_run(RunRecord(suite="answers", status="finished"))
        store.add_scoring(run, found)
        kept, row = store.result(run), store.run_row(run)
    assert kept.run.headline == found.run.headline
    main = main_figure(figures_of(row))
    assert main is not None
    assert main.name == "strict"
    assert [item.name for item in headline(figures_of(row))] == ["strict", "strict_of_gold"]


def test_a_suite_without_such_a_choice_has_the_metrics_that_say_so_themselves() -> None:
    from karat.suites.retrieval import suite as retrieval

    assert retrieval.headline(()) == ()
    assert retrieval.metrics_for(()) == tuple(metric for metric in retrieval.metrics if not metric.noted)
