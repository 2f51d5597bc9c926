"""Which metrics of a suite say of an answer that it is right or wrong."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Metric


def pass_rates(metrics: Sequence[Metric]) -> list[Metric]:
    """The headline rates; when there are none, all rates. A rate that is better when lower counts something else than
    right answers."""
    rates = [metric for metric in metrics if metric.kind == "rate" and metric.higher_is_better]
    return [metric for metric in rates if metric.headline] or rates
