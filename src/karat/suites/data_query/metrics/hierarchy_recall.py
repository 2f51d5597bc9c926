"""Hierarchy recall: the mean over target dimensions of the mean over target terms of how near the nearest selected code
is, 1 for the same code and 1/(1+k) for one k levels above or below it.

Only where a codelist with parents is at hand in a dimension of the target. Never part of ``fully_right``.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.matching.structure_facts import hierarchy
from karat.suites.data_query.metrics.averages import NO_HIERARCHY, number_or


def score(comparison: Comparison) -> Score:
    return number_or(hierarchy(comparison).recall, NO_HIERARCHY)


metric = Metric("hierarchy_recall", "hierarchy recall", "mean nearness of target terms to the selected ones", score)
