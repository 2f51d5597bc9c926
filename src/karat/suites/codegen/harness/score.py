"""Correctness by a problem's own tests: 1 when they hold on every input, else half of the cells' F1 on the first."""

from __future__ import annotations

from karat.core.json_types import JsonObject
from karat.sandbox import Outcome, Plain, Sandbox
from karat.suites.codegen.harness.verdict import Verdict, verdict_of
from karat.suites.codegen.metrics.correctness import PART, Correctness, as_gold, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Answers, Harness, Task
from karat.suites.codegen.results.tables import NoTableError
from karat.suites.codegen.running.execution import limits_of
from karat.suites.codegen.running.references import reference_outcome

TEST_FAILED = "test_failed"


def tested(box: Sandbox, task: Task, harness: Harness, code: str, outcome: Outcome, options: Options) -> Correctness:
    """Judge what an answer gave. Raises NotApplicable when the tests do not pass the problem's own reference here."""
    reference = reference_outcome(box, task).result
    given = outcome.result
    if not outcome.ok or not isinstance(given, Answers):
        return Correctness(0.0, reason="did_not_run")
    verdict = verdict_of(box, harness, code, given, limits_of(task))
    if verdict.passed:
        return Correctness(1.0, passed=True, cell_f1=1.0)
    f1 = _closeness(reference, given, options)
    return Correctness(PART * f1, reason=TEST_FAILED, evidence=_evidence(harness, verdict), cell_f1=f1)


def _evidence(harness: Harness, verdict: Verdict) -> JsonObject:
    if not verdict.execution:
        return {
            "problem": "the result is right, but the code does not meet the problem's requirements",
            "error": verdict.string,
        }
    found = {"problem": f"wrong on test input {verdict.input} of {harness.count}", "error": verdict.execution}
    return {**found, "test_input": verdict.input, "test_inputs": harness.count}


def _closeness(reference: Plain, given: Answers, options: Options) -> float:
    """How near the first result came to that of the reference, by the cells."""
    try:
        return judge(as_gold(reference.shown, calls=False), given.shown, ordered=True, options=options).cell_f1
    except NoTableError:
        return 0.0
