"""A run of six cases, written down by hand, for the writers that take a whole result."""

from __future__ import annotations

from typing import Any

from karat.core.metric import Metric
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score, not_applicable


def _never(_: Any) -> Score:
    raise AssertionError("a report does not score")


METRICS = (
    Metric("macro_recall", "macro recall", "TP / (TP + FN)", _never, headline=True),
    Metric("macro_precision", "macro precision", "TP / (TP + FP)", _never, headline=True),
    Metric("macro_f1", "macro F1", "2 TP / (2 TP + FP + FN)", _never),
    Metric("macro_recall_by_id", "macro recall by id", "ids alone", _never),
    Metric("fully_right", "fully right", "1 if FP = FN = 0", _never, kind="rate", headline=True),
)


def dimension(name: str, right: int, wrong: int, missed: int, **more: Any) -> dict[str, Any]:
    """The details of one dimension, with terms named T1, W1, M1."""

    def terms(letter: str, count: int) -> list[dict[str, str]]:
        return [{"id": f"{letter}{n}", "name": f"{letter} {n}"} for n in range(1, count + 1)]

    return {
        "dimension": name,
        "turn": 0,
        "in_target": True,
        "precision": right / (right + wrong) if right + wrong else None,
        "recall": right / (right + missed) if right + missed else None,
        "true_positives": terms("T", right),
        "false_positives": terms("W", wrong),
        "false_negatives": terms("M", missed),
    } | more


def case(
    name: str, recall: float | None, precision: float | None, *dimensions: dict[str, Any], tags: tuple[str, ...] = ()
) -> CaseResult:
    """A scored case."""
    right = 1.0 if recall == 1.0 and precision == 1.0 else 0.0
    scores = {
        "macro_recall": not_applicable("the target is empty") if recall is None else Score(recall),
        "macro_precision": not_applicable("nothing was selected") if precision is None else Score(precision),
        "macro_f1": Score(0.5),
        "macro_recall_by_id": Score(0.75),
        "fully_right": Score(right),
    }
    return CaseResult(
        name, "scored", scores, {"dimensions": list(dimensions), "label_drift": []}, name, tags, f"What about {name}?"
    )


def failed(name: str, message: str, status: Any = "error") -> CaseResult:
    """A case without an answer."""
    scores = {metric.name: Score(None, status, message) for metric in METRICS}
    return CaseResult(name, status, scores, {}, name, (), f"What about {name}?", message)


CASES = (
    case("all_right", 1.0, 1.0, dimension("INDICATOR", 2, 0, 0), tags=("weo", "imf")),
    case("imports_vietnam", 0.0, 0.0, dimension("INDICATOR", 0, 3, 2), tags=("trade", "imf")),
    case("policy_rate_turkey", 0.5, 1.0, dimension("INDICATOR", 1, 0, 0), dimension("COUNTRY", 0, 0, 1), tags=("weo",)),
    case("nothing_there", 0.0, None, dimension("INDICATOR", 0, 0, 1), tags=("trade",)),
    failed("late", "429 after 5 tries"),
    failed("gone", "no prediction", "missing"),
)
SUMMARY = (
    MetricSummary("macro_recall", 0.375, 4, 0.0, 0.75, 0, 0.3),
    MetricSummary("macro_precision", 2 / 3, 3, 0.0, 1.0, 1, 0.5),
    MetricSummary("macro_f1", 0.5, 4, 0.5, 0.5),
    MetricSummary("macro_recall_by_id", 0.75, 4, 0.75, 0.75),
    MetricSummary("fully_right", 0.25, 4, 0.046, 0.699, 0, 0.2),
    MetricSummary("latency", 2.5, 4, 2.0, 3.0),
    MetricSummary("tokens", 1840.0, 4, 1500.0, 2000.0),
)
RUN = RunInfo("data_query", "r-0142", "weo", "assistant", 6, truth_set="3f9c21", karat="0.1.0", options={"beta": 2.0})
RESULT = RunResult(RUN, SUMMARY, CASES)
