"""Several tries at a case: spread, pass@k and pass^k of a run."""

from __future__ import annotations

import pytest

from karat.core.result import CaseResult, RepeatResult
from karat.core.scores import Score
from karat.stats.repeats import pass_k, repeat_spread, try_values
from tests.stats.runs import case, run


def tried(name: str, *values: float | None) -> CaseResult:
    repeats = [
        RepeatResult(
            "error" if value is None else "scored", {"passed": Score(value, "error" if value is None else "scored")}
        )
        for value in values
    ]
    known = [value for value in values if value is not None]
    return case(name, {"passed": sum(known) / len(known) if known else None}, repeats=repeats)


def test_by_hand() -> None:
    # First case 1 of 3 passed: pass@2 = 2/3, pass^2 = 0. Second 3 of 3: both 1. Third has one try that counts: left out.
    result = run([tried("x", 1, 0, 0), tried("y", 1, 1, 1), tried("z", 1, None, None)], ("passed",))
    found = pass_k(result, "passed", 2)
    assert found.at.mean == pytest.approx((2 / 3 + 1) / 2)
    assert (found.at.n, found.left_out) == (2, 1)
    assert found.hat.mean == pytest.approx(0.5)
    # Squares within cases: 2/3 and 0; degrees of freedom 2 + 2.
    assert repeat_spread(result, "passed") == pytest.approx((2 / 3 / 4) ** 0.5)


def test_a_case_that_was_tried_once() -> None:
    result = run([case("x", {"passed": 1.0}), case("y", {"passed": None})], ("passed",))
    assert try_values(result.cases[0], "passed") == [1.0]
    assert (pass_k(result, "passed", 1).at.mean, pass_k(result, "passed", 1).left_out) == (1.0, 1)
    assert pass_k(result, "passed", 2).at.mean is None
    assert repeat_spread(result, "passed") is None


def test_no_cases() -> None:
    assert pass_k(run([]), "passed", 1).at.mean is None
    with pytest.raises(ValueError, match="at least one try"):
        pass_k(run([]), "passed", 0)
