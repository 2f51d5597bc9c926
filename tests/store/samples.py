"""Small things to store."""

from __future__ import annotations

from karat.core.records import CallError, Prediction
from karat.core.results.result import CaseResult, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score, not_applicable, scored
from karat.store import RunRecord


def a_run(suite: str = "data_query", name: str = "") -> RunRecord:
    return RunRecord(
        suite=suite,
        name=name,
        system="assistant",
        truth_set="abc123",
        cases=2,
        repeats=3,
        today="2024-05-01",
        karat="0.1.0",
        options={"errors": "zero"},
        config={"cases": "cases/", "system": {"type": "http", "retries": 4}, "limit": None},
        tags=("nightly", "größe"),
    )


def answer(case_id: str = "a", text: bytes = b"yes", *, turn: int | None = 0, repeat: int = 0) -> Prediction:
    return Prediction(case_id, turn, repeat, text, None, 0.25, 120, 0.003)


def failure(case_id: str = "a", kind: str = "timeout") -> Prediction:
    return Prediction(case_id, error=CallError(kind, "no answer within 120 s", 5))


def a_result(recall: float = 0.5, suite: str = "data_query") -> RunResult:
    """Two cases: one scored (with evidence and two repeats), one failed."""
    good = CaseResult(
        "a",
        "scored",
        {"recall": Score(recall, "scored", "", {"missing": ["C"]}), "precision": not_applicable("nothing selected")},
        {"dimensions": [{"dimension": "AREA", "recall": recall}], "long": "x" * 5000},
        name="first",
        tags=("trade",),
        question="What?",
        repeats=(RepeatResult("scored", {"recall": scored(recall)}), RepeatResult("missing", {})),
    )
    bad = CaseResult("b", "error", {"recall": Score(None, "error", "timeout")}, error="no answer within 120 s")
    summary = (
        MetricSummary("recall", recall, 1, 0.25, 0.75, 0, recall / 2),
        MetricSummary("precision", None, 0, None, None, 1),
    )
    info = RunInfo(suite, id="r-0001", name="n", cases=2, truth_set="abc123", karat="0.1.0", options={"errors": "zero"})
    return RunResult(info, summary, (good, bad))
