"""trec_eval's own test files: every figure it prints that this suite has, for each question and over all, as
printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.core.results.result import RunResult
from karat.runs.scores.run_scoring import score_recorded
from karat.suites.retrieval import suite
from karat.suites.retrieval.metrics import METRICS

pytestmark = pytest.mark.shared_data

FAMILIES = {
    "recall": "recall_at",
    "P": "precision_at",
    "ndcg_cut": "ndcg_at",
    "map_cut": "map_at",
    "success": "success_at",
}
WHOLE = {
    "map": "map",
    "recip_rank": "rr",
    "Rprec": "r_precision",
    "ndcg": "ndcg",
    "set_recall": "recall",
}
KNOWN = {metric.name for metric in METRICS}

EXPECTED = [
    ("out.test", "qrels.test", "results.test", {}, 12),
    ("out.test.a", "qrels.test", "results.test", {}, 44),
    ("out.test.aq", "qrels.test", "results.test", {}, 176),
    ("out.test.aqc", "qrels.test", "results.trunc", {}, 176),
    ("out.test.aqcM", "qrels.test", "results.trunc", {"max_results": 100}, 176),
    ("out.test.aql", "qrels.rel_level", "results.test", {"relevance_level": 2}, 176),
    ("out.test.meas_params", "qrels.test", "results.test", {}, 28),
    ("out.comment.test", "qrels.comment.test", "results.comment.test", {}, 12),
    ("out.test.a", "qrels.test.with-comments", "results.test", {}, 44),
]


def ours(measure: str) -> str | None:
    """This suite's name for a measure of trec_eval; None where it has none."""
    family, _, cutoff = measure.rpartition("_")
    name = WHOLE.get(measure) or (f"{FAMILIES[family]}_{cutoff}" if family in FAMILIES else None)
    return name if name in KNOWN else None


def printed(file: Path) -> dict[tuple[str, str], str]:
    """(question, measure) → the figure as trec_eval prints it."""
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    return {(question, measure.strip()): value for measure, question, value in rows}


def scored(qrels: Path, run: Path, options: dict[str, Any]) -> RunResult:
    loaded, recorded = suite.load_cases(qrels), suite.read_predictions(run)
    assert not loaded.problems
    assert not recorded.problems
    return score_recorded(suite, loaded.cases, recorded.predictions, suite.options(**options))


@pytest.mark.parametrize(("out", "qrels", "run", "options", "count"), EXPECTED)
def test_every_figure_as_printed(
    shared: Path, out: str, qrels: str, run: str, options: dict[str, Any], count: int
) -> None:
    folder = shared / "data" / "retrieval" / "trec_eval_test"
    result = scored(folder / qrels, folder / run, options)
    cases = {case.id: case for case in result.cases}
    complete = "c" in out.rpartition(".")[2] and out.startswith("out.test")  # trec_eval -c
    compared = 0
    for (question, measure), value in printed(folder / out).items():
        name = ours(measure)
        if name is None:
            continue
        compared += 1
        if question == "all":
            summary = result.metric(name)
            assert summary.mean is not None
            mean = summary.mean * summary.n / len(cases) if complete else summary.mean
            assert f"{mean:.4f}" == value, (measure, mean)
        elif cases[question].status == "missing":
            assert value == "0.0000"
        else:
            assert f"{cases[question].scores[name].value:.4f}" == value, (question, measure)
    assert compared == count


def test_the_means_over_all_questions(shared: Path) -> None:
    """``-c``: a question of the qrels without results counts 0. Question 302 is not in this run."""
    folder = shared / "data" / "retrieval" / "trec_eval_test"
    result = scored(folder / "qrels.test", folder / "results.trunc", {})
    assert {case.id: case.status for case in result.cases} == {"301": "scored", "302": "missing", "303": "scored"}
    assert f"{result.metric('map_of_all').mean:.4f}" == "0.1016"
    assert result.metric("map_of_all").n == 3
    assert result.metric("map").n == 2
    lines = suite.highlights(result)
    assert lines[0] == "found 77 of 484 relevant keys among 584 results"
    assert lines[1].startswith("over all 3 questions: passed 0.000 · MAP 0.102 · ")


def test_totals_of_the_whole_run(shared: Path) -> None:
    """``num_rel_ret``, ``num_rel`` and ``num_ret``."""
    folder = shared / "data" / "retrieval" / "trec_eval_test"
    result = scored(folder / "qrels.test", folder / "results.test", {})
    assert suite.highlights(result) == ["found 131 of 561 relevant keys among 1,500 results"]


def test_questions_that_the_qrels_lack_are_left_out_and_said(shared: Path) -> None:
    """The run has 301 questions, the qrels 31: as in trec_eval, ``num_q`` is 31."""
    folder = shared / "data" / "retrieval" / "trec_eval_test"
    result = scored(folder / "qrels.comment.test", folder / "results.comment.test", {})
    assert len(result.cases) == result.metric("map").n == 31
    assert suite.highlights(result) == [
        "found 1,398 of 4,463 relevant keys among 3,100 results",
        "1 question without a relevant key, counted 0 (option no_relevant): 2024-36302",
    ]
    assert [problem.severity for problem in result.problems] == ["warning"]
    assert "270 predictions for unknown cases" in result.problems[0].message
