"""Hierarchy precision: the mean over selected dimensions of the mean over selected terms of how near the nearest
expected code is; 0 in a dimension that is not in the target.

Only where a codelist with parents is at hand in a dimension of the target. Never part of ``fully_right``.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.matching.structure_facts import hierarchy
from karat.suites.data_query.metrics.averages import NO_HIERARCHY, number_or


def score(comparison: Comparison) -> Score:
    return number_or(hierarchy(comparison).precision, NO_HIERARCHY)


metric = Metric(
    "hierarchy_precision", "hierarchy precision", "mean nearness of selected terms to the expected ones", score
)
