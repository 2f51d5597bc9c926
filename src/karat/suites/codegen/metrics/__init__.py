"""One metric, one file: the overall score, its six parts, and the rates beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.suites.codegen.metrics import (
    correctness,
    coverage,
    first_try_passed,
    first_wrong_step,
    overall,
    passed,
    performance,
    plot,
    quality,
    ran,
    recovery,
    relations,
    repaired,
    steps,
    steps_alone,
    tests,
    understanding,
)

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

METRICS: tuple[Metric[Comparison], ...] = (
    overall.metric,
    passed.metric,
    correctness.metric,
    plot.metric,
    tests.metric,
    relations.metric,
    steps.metric,
    steps_alone.metric,
    first_wrong_step.metric,
    quality.metric,
    performance.metric,
    understanding.metric,
    coverage.metric,
    recovery.metric,
    first_try_passed.metric,
    repaired.metric,
    ran.metric,
)
"""In the order in which reports show them."""
