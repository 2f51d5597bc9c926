"""The main metrics once more, over all questions: one without results, or whose call failed, counts 0 (``-c`` of
trec_eval).

Beside them the others are over the questions that were answered, which is what trec_eval prints without ``-c``. For a
metric that has no such twin, the mean over all is its mean × the number of answered questions / the number of all.
"""

from __future__ import annotations

from dataclasses import replace

from karat.core.metric import Metric


def of_all(metric: Metric) -> Metric:
    """The same metric over all questions."""
    return replace(
        metric,
        name=f"{metric.name}_of_all",
        title=f"{metric.title}, of all",
        formula=f"{metric.formula}; 0 without results",
        base=f"{metric.base}_of_all" if metric.base else "",
        headline=False,
        counts_all=True,
    )
