"""Correctness after the task's tests.

    passed = the result is right and every entry holds; without ``expected`` and ``reference`` the entries alone decide
    correctness = at most 0.5 × entries that hold / entries, when one fails

By hand: the result is right and one of three tests fails: tests 0.667, correctness 0.333, not passed.
"""

from __future__ import annotations

import msgspec

from karat.core.json_types import JsonObject
from karat.suites.codegen.harness.score import TEST_FAILED
from karat.suites.codegen.hidden_tests.records import TestResults, share
from karat.suites.codegen.hidden_tests.relations import REASONS
from karat.suites.codegen.metrics.correctness import PART, Correctness

NO_TEST = "no test of the task can be used"


def with_tests(found: Correctness, tests: TestResults) -> Correctness:
    """The word on an answer whose result alone was judged before."""
    held = share(tests.counted)
    if held is None or not tests.failed:
        return found
    score = PART * held if found.score is None else min(found.score, PART * held)
    if found.score is not None and not found.passed:
        return msgspec.structs.replace(found, score=score)
    first = tests.failed[0]
    evidence: JsonObject = {
        **found.evidence,
        "problem": f"{first.name} failed: {first.reason}",
        "failed_tests": [entry.name for entry in tests.failed][:20],
    }
    if first.smallest:
        evidence["smallest"] = first.smallest
    return msgspec.structs.replace(
        found, score=score, passed=False, reason=REASONS.get(first.relation, TEST_FAILED), evidence=evidence
    )


def by_tests_alone(tests: TestResults, *, ran: bool) -> Correctness:
    """The word where nothing but tests says what is right."""
    held = share(tests.counted)
    if held is None:
        return Correctness(None, reason=NO_TEST)
    if not ran:
        return Correctness(0.0, reason="did_not_run")
    return with_tests(Correctness(1.0, passed=True), tests)
