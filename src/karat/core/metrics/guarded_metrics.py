"""Metrics of other packages, held to what a metric promises: they never end a run, and give no figure that cannot be
one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from karat.core.metric import Metric
from karat.core.scores import Score

ROUNDING = 1e-9
"""How far beyond 0…1 the sums of a share may round."""


def guarded(metric: Metric, package: str) -> Metric:
    """The same metric. Where it fails, or gives what is not a score of its kind, that case has an error in its place
    and says why."""
    score: Callable[[object], object] = metric.score

    @wraps(metric.score)
    def guarded_score(comparison: object) -> Score:
        try:
            found = score(comparison)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # SystemExit, and what libraries in other languages raise in a panic
            return _failed(metric, package, f"{type(error).__name__}: {error}")
        return _sound(found, metric, package)

    return replace(metric, score=guarded_score)


def _sound(found: object, metric: Metric, package: str) -> Score:
    if not isinstance(found, Score):
        return _failed(metric, package, f"it gave a {type(found).__name__}, not a Score")
    value: object = found.value  # structs check no types when they are made
    if (value is None) != (found.state != "scored"):
        return _failed(metric, package, f"its state is {found.state} and its value {value}")
    if value is None:
        return found
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return _failed(metric, package, f"its value is {value}, not a number")
    if metric.kind == "rate" and value not in (0, 1):
        return _failed(metric, package, f"its value is {value:g}; a rate is 0 or 1")
    if metric.kind == "share" and not -ROUNDING <= value <= 1 + ROUNDING:
        return _failed(metric, package, f"its value is {value:g}; a share is from 0 to 1")
    if metric.kind == "share" and not 0 <= value <= 1:
        return Score(min(max(value, 0.0), 1.0), found.state, found.reason, found.evidence)
    return found


def _failed(metric: Metric, package: str, why: str) -> Score:
    return Score(None, "error", f"the metric {metric.name} of the package {package} failed: {why}")
