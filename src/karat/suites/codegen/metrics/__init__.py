"""One metric, one file: the overall score, its six parts, and the rates beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.suites.codegen.metrics import (
    correctness,
    coverage,
    first_try_passed,
    overall,
    passed,
    performance,
    plot,
    quality,
    ran,
    recovery,
    relations,
    repaired,
    tests,
    understanding,
)
from karat.suites.codegen.metrics.sessions import first_wrong_step, steps, steps_alone
from karat.suites.codegen.metrics.timing import growth, time_ratio

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
    time_ratio.metric,
    growth.metric,
    understanding.metric,
    coverage.metric,
    recovery.metric,
    first_try_passed.metric,
    repaired.metric,
    ran.metric,
)
"""In the order in which reports show them."""
