"""Gates on why cases are not right: ``data_query.reason.wrong_dataset`` is the share of cases that have this reason.

Its cases are all but those that cannot be judged through no fault of the answer. A case asked several times has the
reason as often as its tries have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any  # Any: a gate asks any suite for its reasons

from karat.core.expect.findings import REASONS
from karat.core.expect.outcome import checks_in
from karat.core.metric import Metric
from karat.core.results.result import CaseResult, RepeatResult, RunResult
from karat.core.scores import Score, not_applicable
from karat.core.suite import Suite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREFIX = "reason."


def reason_metrics(suite: Suite[Any, Any, Any]) -> tuple[Metric[CaseResult], ...]:
    """A figure for each reason in the suite's closed list and in that of expectations, lower is better."""
    return tuple(
        Metric(
            f"{PREFIX}{code}",
            f"reason {code.replace('_', ' ')}",
            f"cases that are not right for the reason {code} / all cases",
            partial(_score, suite, code),
            kind="rate",
            higher_is_better=False,
            zero_on_error=False,
        )
        for code in (*suite.reasons, *(one for one in REASONS if one not in suite.reasons))
    )


def is_reason(metric: Metric) -> bool:
    """Whether a figure is the share of a reason."""
    return metric.name.startswith(PREFIX)


def reason_values(result: RunResult, metric: Metric[CaseResult]) -> NDArray[np.float64]:
    """The figure of each case; NaN where it has none. The cases are read, since a store keeps no column of it."""
    import numpy as np

    values = [metric.score(case).value for case in result.cases]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _score(suite: Suite[Any, Any, Any], code: str, case: CaseResult) -> Score:
    tries: Sequence[CaseResult | RepeatResult] = case.repeats or (case,)
    counted = [one for one in tries if one.status != "not_applicable"]
    if not counted:
        return not_applicable("it cannot be judged")
    return Score(sum(code in _reasons(suite, one) for one in counted) / len(counted))


def _reasons(suite: Suite[Any, Any, Any], one: CaseResult | RepeatResult) -> list[str]:
    """The suite's own, and those of expectations."""
    return [*suite.reasons_of(one), *(code for check in checks_in(one.details) for code in check.codes)]
