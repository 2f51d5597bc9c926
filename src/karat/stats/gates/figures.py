"""What a gate looks at: the value of a metric for each case, and whether a case is right.

A case is right when the metric that says so has its best value: 1 for a rate or share (0 where lower is better). Asked
several times, it must be right every time. An error, a missing answer and an undefined value are not right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from karat.core.expect.findings import METRIC_NAMES
from karat.core.expect.metrics import METRICS
from karat.core.metric import Metric
from karat.core.metrics.metric_names import find_metric, has_metric
from karat.core.problems import count_of
from karat.core.results.columns.columns import Columns, cases_at, columns_of
from karat.core.results.result import CaseResult, RunResult, fails, value_with_errors
from karat.core.results.usage import USAGE
from karat.core.scores import Score
from karat.stats.gates.rules import Gate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BLOCK = 1_000
"""Failed and unanswered cases that are read together."""


def _not_scored(_: object) -> Score:
    raise AssertionError("errors is counted from the states of the cases")


ERRORS = Metric(
    "errors",
    "errors",
    "cases in error or without a prediction / all cases",
    _not_scored,
    kind="rate",
    higher_is_better=False,
    zero_on_error=False,
)
"""A figure that every suite has. Its cases are all but those that cannot be judged through no fault of the answer."""

EVERYWHERE: tuple[Metric, ...] = (*USAGE, ERRORS, *METRICS)
"""The last ones are there where cases expect something of the way to their answers."""


def metric_named(name: str, metrics: Sequence[Metric]) -> Metric:
    """The metric of that name; one that is not listed is taken for a share, and higher for better."""
    known = {metric.name: metric for metric in (*EVERYWHERE, *metrics)}
    return known.get(name) or Metric(name, name, "", _not_scored)


def with_metric_name(gate: Gate, metrics: Sequence[Metric]) -> Gate:
    """The rule with its metric under the name that figures have: ``retrieval.R@10`` becomes
    ``retrieval.recall_at_10``."""
    suite, _, metric = gate.figure.partition(".")
    if not has_metric(metric, metrics):
        return gate
    name = f"{suite}.{find_metric(metric, metrics).name}"
    if gate.no_new_failures is None:
        return msgspec.structs.replace(gate, metric=name)
    return msgspec.structs.replace(gate, no_new_failures=msgspec.structs.replace(gate.no_new_failures, metric=name))


def values_of(columns: Columns, metric: str) -> Floats:
    """The value of each case; NaN where it has none."""
    import numpy as np

    if metric != ERRORS.name:
        return columns.column(metric)
    failed = columns.has_status("error", "missing").astype(np.float64)
    return np.where(columns.has_status("not_applicable"), np.nan, failed)


def mean_of(result: RunResult, metric: str) -> tuple[float | None, int]:
    """The run's figure and over how many cases it is."""
    if metric == ERRORS.name:
        return mean_of_values(values_of(columns_of(result, groups=False), metric))
    found = next((item for item in result.summary if item.metric == metric), None)
    return (found.mean, found.n) if found else (None, 0)


def mean_of_values(values: Floats) -> tuple[float | None, int]:
    """The mean of the values that there are, and how many they are."""
    import numpy as np

    known = values[np.isfinite(values)].tolist()
    return (math.fsum(known) / len(known) if known else None), len(known)


def error_value(metric: Metric) -> float | None:
    """What a failed call counts where errors are not left out: the worst value; None where that cannot be said.

    Quantities have no worst value, and of a failed call nobody knows whether the case asks for a metric that not every
    case has.
    """
    if metric.kind == "quantity" or not metric.zero_on_error:
        return None
    return 0.0 if metric.higher_is_better else 1.0


class Counted(NamedTuple):
    """The value of each case, with the worst value where a case failed or was not answered."""

    values: Floats
    failed: int = 0
    """Cases with a failed call that counts."""
    unanswered: int = 0
    """Cases without an answer that count."""

    def __str__(self) -> str:
        parts = [(self.failed, "in error"), (self.unanswered, "without an answer")]
        return " and ".join(f"{count_of(number, 'case')} {what}" for number, what in parts if number)

    @property
    def left_out(self) -> str:
        """What the plain figure leaves out."""
        parts = [(self.failed, "errors"), (self.unanswered, "cases without an answer")]
        return " and ".join(what for number, what in parts if number)


def without_answer(result: RunResult, metric: Metric) -> int:
    """How many cases the figure leaves out because nothing was answered."""
    columns = columns_of(result, groups=False)
    return int(_unanswered(columns, values_of(columns, metric.name)).sum())


def counted_values(result: RunResult, columns: Columns, metric: Metric, *, missing: bool) -> Counted:
    """The value of each case with errors, and where ``missing`` also what was not answered, counted as the worst value
    in the metrics that the case can have. Nothing is counted where the worst value cannot be said. Only the cases that
    failed or have no answer are read."""
    import numpy as np

    values, worst = values_of(columns, metric.name), error_value(metric)
    if worst is None:
        return Counted(values)
    plain, values, failed, unanswered = values, values.copy(), 0, 0
    for place, case in _read(result, np.flatnonzero(columns.failed)):
        failed += fails(case, metric.name)
        value = value_with_errors(case, metric.name, worst)
        values[place] = np.nan if value is None else value
    if missing:
        for place, case in _read(result, np.flatnonzero(_unanswered(columns, plain))):
            if _can_have(case, metric.name):
                unanswered += 1
                values[place] = worst
    return Counted(values, failed, unanswered)


def _unanswered(columns: Columns, values: Floats) -> NDArray[np.bool_]:
    import numpy as np

    found: NDArray[np.bool_] = columns.has_status("missing") & np.isnan(values)
    return found


def _can_have(case: CaseResult, metric: str) -> bool:
    """Whether an answer to the case would have had a value in this metric."""
    score = case.scores.get(metric)
    return metric not in METRIC_NAMES if score is None else score.state == "missing"


def _read(result: RunResult, places: NDArray[np.int64]) -> Iterator[tuple[int, CaseResult]]:
    for begin in range(0, len(places), BLOCK):
        some = places[begin : begin + BLOCK].tolist()
        yield from zip(some, cases_at(result.cases, some), strict=True)


def are_right(columns: Columns, metric: Metric) -> NDArray[np.bool_]:
    """Of each case, whether nothing about it is wrong, by this metric."""
    values = values_of(columns, metric.name)
    best = values >= 1 - 1e-9 if metric.higher_is_better else values <= 1e-9
    right: NDArray[np.bool_] = best & columns.has_status("scored")
    return right
