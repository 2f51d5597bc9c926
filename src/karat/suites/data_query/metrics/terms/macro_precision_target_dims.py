"""Macro precision over the dimensions of the target alone (soft): what was selected in other dimensions is left out."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import PRECISION, in_target, macro


def score(comparison: Comparison) -> Score:
    return macro(comparison, PRECISION, in_target(comparison), "nothing was selected in a dimension of the target")


metric = Metric(
    "macro_precision_target_dims",
    "macro precision, target dimensions",
    "mean over target dimensions of TP / (TP + FP)",
    score,
)
