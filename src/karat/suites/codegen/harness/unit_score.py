"""Correctness by tests that ran beside the answer."""

from __future__ import annotations

from karat.core.json_types import JsonObject
from karat.sandbox import Outcome
from karat.suites.codegen.harness.unit_tests import SAME_PROCESS, seen_in, trouble
from karat.suites.codegen.metrics.correctness import PART, Correctness
from karat.suites.codegen.records import UnitTests

TEST_FAILED = "test_failed"


def unit_tested(tests: UnitTests, outcome: Outcome) -> Correctness:
    """1 when all hold; else half of the share that do."""
    seen = seen_in(outcome.result) if outcome.ok else None
    if seen is None:
        return Correctness(0.0, reason="did_not_run")
    why = trouble(tests, seen)
    evidence: JsonObject = {"tests": tests.count, "tests_in": SAME_PROCESS}
    if not why:
        return Correctness(1.0, passed=True, evidence=evidence, cell_f1=1.0)
    believed = seen.canary_failed and seen.run == tests.count + 1
    share = max(0, tests.count - len(seen.failed) - seen.skipped) / tests.count if believed else 0.0
    failed = [name.rpartition(".")[2] for name, _ in seen.failed][:20]
    return Correctness(PART * share, reason=TEST_FAILED, evidence={**evidence, "problem": why, "failed": failed})
