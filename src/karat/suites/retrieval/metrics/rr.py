"""RR: 1 / the rank of the first relevant key; 0 when none was retrieved (``recip_rank`` of trec_eval); the mean over
the fields.

Its mean over questions is the classical MRR. The MRR that ``karat tune`` prints is another number: ``mrr_sum``.

RR@k: the same when that rank is k or less, else 0.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs, mean_over_fields


def value(field: FieldComparison) -> float | None:
    if not field.relevant:
        return None
    return 1 / field.ranks[0] if field.ranks else 0.0


def value_at(field: FieldComparison, k: int) -> float | None:
    if not field.relevant:
        return None
    return 1 / field.ranks[0] if field.ranks and field.ranks[0] <= k else 0.0


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value)


metric = Metric("rr", "RR", "1 / rank of the first relevant key", score, headline=True)
metrics = at_cutoffs("rr_at", "RR", "1 / rank of the first relevant key, 0 below rank {cutoff}", value_at)
