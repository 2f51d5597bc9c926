"""Several tries at a case: spread, pass@k and pass^k of a run."""

from __future__ import annotations

import msgspec
import pytest

from karat.core.results.result import CaseResult, RepeatResult, RunResult
from karat.core.scores import Score
from karat.stats.intervals.estimates import estimate
from karat.stats.repeats import _spread, pass_k, tries_of, tries_shown, try_values
from tests.stats.runs import case, metric, run


def tried(name: str, *values: float | None) -> CaseResult:
    repeats = [
        RepeatResult(
            "error" if value is None else "scored", {"passed": Score(value, "error" if value is None else "scored")}
        )
        for value in values
    ]
    known = [value for value in values if value is not None]
    return case(name, {"passed": sum(known) / len(known) if known else None}, repeats=repeats)


def spread(result: RunResult) -> float | None:
    return _spread([try_values(case, "passed") for case in result.cases])


def test_by_hand() -> None:
    # First case 1 of 3 passed: pass@2 = 2/3, pass^2 = 0. Second 3 of 3: both 1. Third has one try that counts: left
    # out.
    result = run([tried("x", 1, 0, 0), tried("y", 1, 1, 1), tried("z", 1, None, None)], ("passed",))
    found = pass_k(result, "passed", 2)
    assert found.at.mean == pytest.approx((2 / 3 + 1) / 2)
    assert (found.at.n, found.left_out) == (2, 1)
    assert found.hat.mean == pytest.approx(0.5)
    # Squares within cases: 2/3 and 0; degrees of freedom 2 + 2.
    assert spread(result) == pytest.approx((2 / 3 / 4) ** 0.5)


def test_a_case_that_was_tried_once() -> None:
    result = run([case("x", {"passed": 1.0}), case("y", {"passed": None})], ("passed",))
    assert try_values(result.cases[0], "passed") == [1.0]
    assert (pass_k(result, "passed", 1).at.mean, pass_k(result, "passed", 1).left_out) == (1.0, 1)
    assert pass_k(result, "passed", 2).at.mean is None
    assert spread(result) is None


def test_no_cases() -> None:
    assert pass_k(run([]), "passed", 1).at.mean is None
    with pytest.raises(ValueError, match="at least one try"):
        pass_k(run([]), "passed", 0)


def test_at_one_try_both_are_the_rate_with_its_interval() -> None:
    result = run([tried("x", 1, 0, 0), tried("y", 1, 1, 1), tried("z", 0, 0, 0)], ("passed",))
    found = pass_k(result, "passed", 1)
    rate = estimate([1 / 3, 1.0, 0.0], "rate")
    assert found.at == found.hat == rate


def test_which_k_are_shown() -> None:
    assert tries_shown(2) == [1, 2]
    assert tries_shown(5) == [1, 2, 3, 4, 5]
    assert tries_shown(6) == [1, 2, 3, 4, 5, 6]
    assert tries_shown(8) == [1, 2, 3, 4, 5, 8]
    assert tries_shown(100) == [1, 2, 3, 4, 5, 8, 16, 32, 64, 100]


def test_what_the_tries_of_a_run_tell() -> None:
    metrics = [metric("recall"), metric("passed", "rate"), metric("ran", "rate", headline=False)]
    cases = [tried("x", 1, 0, 0), tried("y", 1, 1, 1), tried("z", 1, None, None)]
    result = run(cases, ("recall", "passed", "ran"), repeats=3)
    found = tries_of(result, metrics)
    assert found is not None
    assert (found.tries, found.every) == (3, True)
    assert [(item.metric, len(item.pass_k)) for item in found.metrics] == [("recall", 0), ("passed", 3)]
    recall, passed = found.metrics
    assert recall.spread is None  # no case has a value of it
    assert passed.spread == pytest.approx((2 / 3 / 4) ** 0.5)
    assert passed.pass_k == tuple(pass_k(result, "passed", k) for k in (1, 2, 3))
    # All three tries of x: one is right, not all are; y: all are; z has one try that counts.
    assert (passed.pass_k[2].at.mean, passed.pass_k[2].hat.mean, passed.pass_k[2].left_out) == (1.0, 0.5, 1)


def test_one_try_a_case_tells_nothing() -> None:
    assert tries_of(run([case("x", {"passed": 1.0})], ("passed",)), [metric("passed", "rate")]) is None
    assert tries_of(run([]), []) is None


def test_cases_that_were_tried_more_or_less_often() -> None:
    # Recorded answers may hold more tries of one case than of another, and more than the run says.
    found = tries_of(run([tried("x", 1, 0), case("y", {"passed": 1.0})], ("passed",)), [metric("passed", "rate")])
    assert found is not None
    assert (found.tries, found.every) == (2, False)
    assert [(item.k, item.at.n, item.left_out) for item in found.metrics[0].pass_k] == [(1, 2, 0), (2, 1, 1)]


def test_metrics_without_any_headline_or_rate_have_a_spread() -> None:
    one = case("x", {"share": 0.5}, repeats=[RepeatResult("scored", {"share": Score(v)}) for v in (0.25, 0.75)])
    found = tries_of(run([one], ("share",), repeats=2), [metric("share", headline=False)])
    assert found is not None
    assert [item.metric for item in found.metrics] == ["share"]
    assert found.metrics[0].spread == pytest.approx(0.125**0.5)


def test_variants_of_one_case_are_kept_together() -> None:
    values = [(1, 1), (1, 0), (1, 1), (0, 0), (0, 0), (1, 0), (0, 1), (1, 1)]
    clusters = ["a", "a", "a", "b", "b", "c", "d", "d"]
    cases = [
        msgspec.structs.replace(tried(str(place), *own), details={"cluster": cluster})
        for place, (own, cluster) in enumerate(zip(values, clusters, strict=True))
    ]
    found = pass_k(run(cases, ("passed",)), "passed", 2)
    at = [float(any(own)) for own in values]
    assert found.at == estimate(at, "rate", clusters)
    assert found.at != estimate(at, "rate")
    assert found.at.mean == 6 / 8
    assert found.hat.mean == 3 / 8


def test_the_example_of_the_page_on_comparing() -> None:
    result = run([tried("x", 1, 1, 1), tried("y", 1, 1, 0), tried("z", 0, 0, 0)], ("passed",))
    found = [pass_k(result, "passed", k) for k in (1, 2, 3)]
    assert [item.at.mean for item in found] == pytest.approx([5 / 9, 2 / 3, 2 / 3])
    assert [item.hat.mean for item in found] == pytest.approx([5 / 9, 4 / 9, 1 / 3])
    assert spread(result) == pytest.approx(1 / 3)
