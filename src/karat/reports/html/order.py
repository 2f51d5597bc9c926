"""The order of the cases on the page: the worst first, so that these are kept where not all fit."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Metric
from karat.core.results.columns.columns import columns_of
from karat.core.results.result import RunResult


def worst_first(result: RunResult, metrics: Sequence[Metric], most: int) -> list[int]:
    """The places of the worst cases: failed ones, then by the first headline figure that says right or wrong and by the
    other headline figures; cases without a value last. Equal ones stay in the order of the file."""
    import numpy as np

    if not result.cases:
        return []
    columns = columns_of(result, groups=False)
    judged = [metric for metric in metrics if metric.headline and metric.kind != "quantity"]
    judged.sort(key=lambda metric: metric.kind != "rate")
    keys = []
    for metric in reversed(judged):
        values = columns.column(metric.name)
        keys.append(np.where(np.isfinite(values), values if metric.higher_is_better else -values, np.inf))
    failed = columns.has_status("error", "missing")
    order: list[int] = np.lexsort([*keys, ~failed])[:most].tolist()
    return order
