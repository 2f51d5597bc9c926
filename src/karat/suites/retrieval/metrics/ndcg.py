"""nDCG: the sum of gain / log2(rank + 1) over the results, / the same of the best possible order of all judged keys (``ndcg`` of trec_eval).

The gain of a key is its relevance where that is above 0, else 0; the option ``relevance_level`` does not touch it. No key with a gain: the field
does not count. The mean over the fields.
"""

from __future__ import annotations

from karat.core.scores import Score
from karat.core.suite import Metric
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import mean_over_fields


def value(field: FieldComparison) -> float | None:
    if not field.ideal_sums:
        return None
    return field.gain_sums[-1] / field.ideal_sums[-1] if field.gain_sums else 0.0


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value)


metric = Metric("ndcg", "nDCG", "Σ relevance / log2(rank + 1), / that of the best possible order", score)
