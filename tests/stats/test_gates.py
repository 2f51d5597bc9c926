"""A gate's words and its verdict agree."""

from __future__ import annotations

import pytest

from karat.core.problems import UserError
from karat.core.result import MetricSummary, RunInfo, RunResult
from karat.stats.gates import Gate, judge, parse_gate


def result(mean: float | None) -> RunResult:
    return RunResult(RunInfo("data_query"), (MetricSummary("macro_recall", mean, 3, None, None),), ())


@pytest.mark.parametrize(
    ("gate", "mean", "passed", "words"),
    [
        (
            Gate("data_query.macro_recall", at_least=0.8),
            0.85,
            True,
            "data_query.macro_recall is 0.85, wanted at least 0.8",
        ),
        (
            Gate("data_query.macro_recall", at_least=0.8),
            0.8,
            True,
            "data_query.macro_recall is 0.8, wanted at least 0.8",
        ),
        (
            Gate("data_query.macro_recall", at_least=0.8),
            0.79,
            False,
            "data_query.macro_recall is 0.79, wanted at least 0.8",
        ),
        (
            Gate("data_query.macro_recall", at_most=0.1),
            0.2,
            False,
            "data_query.macro_recall is 0.2, wanted at most 0.1",
        ),
        (
            Gate("data_query.macro_recall", at_least=0.1),
            None,
            False,
            "data_query.macro_recall is undefined, wanted at least 0.1",
        ),
    ],
)
def test_floors_and_ceilings(gate: Gate, mean: float | None, passed: bool, words: str) -> None:
    (verdict,) = judge([gate], result(mean))
    assert (verdict.passed, verdict.words) == (passed, words)


def test_gates_of_other_suites_are_not_judged_here() -> None:
    assert judge([Gate("answers.strict", at_least=0.5)], result(1.0)) == []


def test_a_gate_without_a_limit_is_no_gate() -> None:
    with pytest.raises(ValueError, match="at_least or at_most"):
        Gate("data_query.macro_recall")


def test_gates_in_short() -> None:
    assert parse_gate("data_query.macro_recall>=0.85") == Gate("data_query.macro_recall", at_least=0.85)
    assert parse_gate("data_query.unexpected_dataset <= 0.1") == Gate("data_query.unexpected_dataset", at_most=0.1)
    for wrong in ("", "macro_recall", "a.b>0.5", "a.b>=x", "a.b>=0.5.1"):
        with pytest.raises(UserError, match="is no gate"):
            parse_gate(wrong)
