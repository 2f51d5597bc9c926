"""An estimate over the cases of a run: those without a value are left out, and variants of one case are kept
together."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Kind
from karat.core.results.result import Estimate
from karat.stats.intervals.estimates import estimate


def estimate_over_cases(values: Sequence[float | None], clusters: Sequence[str] | None, kind: Kind) -> Estimate:
    """One value per case, None where it has none; ``clusters`` as ``core.results.clusters.clusters_of`` gives them."""
    known = [value for value in values if value is not None]
    if clusters is None or not known:
        return estimate(known, kind)
    own = [cluster for value, cluster in zip(values, clusters, strict=True) if value is not None]
    return estimate(known, kind, own)
