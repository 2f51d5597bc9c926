"""Recovery, with the contract's numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.codegen.metrics.recovery import recovery_of
from karat.suites.codegen.records import Attempt, ErrorClass


def failed(error: str, kind: ErrorClass) -> Attempt:
    return Attempt("code", False, kind, error)


RAN = Attempt("code", True)
KEY = failed("KeyError: 'age'", "column_error")
TYPE = failed("TypeError: no", "type_error")


def test_the_contracts_example() -> None:
    found = recovery_of([KEY, KEY, RAN])
    assert (found.has_error, found.error_message) == (True, "KeyError: 'age'")
    assert (found.recovery_attempts_count, found.recovery_success) == (2, True)
    assert found.recovery_success_rate == 0.5
    assert found.error_fix_quality == pytest.approx(0.55)
    assert found.recovery_score == pytest.approx(0.548, abs=5e-4)
    assert [(r.attempt_number, r.success, r.error, r.fix_quality) for r in found.recovery_details] == [
        (1, False, "KeyError: 'age'", 0.1),
        (2, True, None, 1.0),
    ]


def test_no_error_is_no_score() -> None:
    found = recovery_of([RAN])
    assert (found.has_error, found.recovery_score, found.recovery_details) == (False, None, ())


def test_an_error_and_no_repair_is_zero() -> None:
    assert recovery_of([KEY]).recovery_score == 0.0


def test_another_error_is_progress_against_the_code_before_it() -> None:
    found = recovery_of([KEY, TYPE, TYPE])
    assert [repair.fix_quality for repair in found.recovery_details] == [0.5, 0.1]
    assert found.recovery_score == pytest.approx(0.3 * 0.3 + 0.2 * 2 / 3)


def test_three_attempts_are_full_effort() -> None:
    assert recovery_of([KEY, RAN, RAN, RAN, RAN]).recovery_score == pytest.approx(1.0)


@given(st.lists(st.sampled_from([KEY, TYPE, RAN]), min_size=1, max_size=8))
def test_the_score_stays_between_0_and_1(attempts: list[Attempt]) -> None:
    score = recovery_of(attempts).recovery_score
    assert score is None or 0.0 <= score <= 1.0
