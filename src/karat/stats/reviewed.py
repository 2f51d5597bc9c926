"""A rate by rule, and with people's verdicts in place of the rule's where there are some."""

from __future__ import annotations

from collections.abc import Iterable

from karat.core.result import Estimate, MetricSummary
from karat.stats.rates import wilson


def with_reviews(item: MetricSummary, reviewed: Iterable[tuple[str, float | None]]) -> Estimate:
    """The rate when people's verdicts replace the rule's. ``reviewed``: (verdict, the rule's value).

    A case whose gold is wrong says nothing of the answer and leaves the rate. A case without a value joins it.
    """
    n, total = item.n, (item.mean or 0.0) * item.n
    for verdict, value in reviewed:
        if value is not None:
            n, total = n - 1, total - value
        if verdict != "gold_wrong":
            n, total = n + 1, total + (verdict in ("pass", "accept"))
    if not n:
        return Estimate(None, 0, None, None)
    total = min(max(total, 0.0), float(n))
    return Estimate(total / n, n, *wilson(total, n))
