"""A rate by rule, and with people's verdicts in place of the rule's where there are some.

- ``pass`` and ``accept`` count 1, ``fail`` counts 0, whatever the rule says, and also where it says nothing (a failed
  call, 0/0).
- ``gold_wrong``: the case says nothing about the answer, and leaves the rate.
- Every other case counts as by the rule. The interval is made as that of the rate by rule.
- Several people: see ``core.results.verdicts``. A case on which they disagree counts as by the rule until somebody
  adjudicates.
- A verdict is on the case as a whole: it counts in each rate alike, and once, whatever number of tries the case had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from karat.core.metric import Metric
from karat.core.results.clusters import clusters_of
from karat.core.results.result import Estimate, MetricSummary, RunResult
from karat.core.results.verdicts import RIGHT, disputed, settled
from karat.stats.compare.pairing import value_of
from karat.stats.intervals.over_cases import estimate_over_cases
from karat.stats.intervals.rates import wilson
from karat.stats.pass_rates import pass_rates


class ReviewedRate(msgspec.Struct, frozen=True):
    """One rate of a run, twice: by the rule alone, and with people's verdicts."""

    metric: str
    title: str
    rule: Estimate
    reviewed: Estimate


def reviewed_rates(result: RunResult, metrics: Sequence[Metric]) -> tuple[ReviewedRate, ...]:
    """The run's pass rates (see ``pass_rates``) both ways; empty when nobody reviewed a case of it."""
    if not result.reviews:
        return ()
    verdicts = verdicts_of(result)
    if not verdicts and not disputed_cases(result):
        return ()
    by_rule = {item.metric: Estimate(item.mean, item.n, item.low, item.high) for item in result.summary}
    clusters = clusters_of(result.cases)

    def reviewed(metric: str) -> Estimate:
        values = ((case.id, value_of(case, metric)) for case in result.cases)
        return rate_with_reviews(values, verdicts, clusters)

    return tuple(
        ReviewedRate(metric.name, metric.title, by_rule[metric.name], reviewed(metric.name))
        for metric in pass_rates(metrics)
        if metric.name in by_rule
    )


def rate_with_reviews(
    values: Iterable[tuple[str, float | None]], verdicts: Mapping[str, str], clusters: Sequence[str] | None
) -> Estimate:
    """From every case's id and value by the rule, and the verdicts by case. ``clusters`` as in
    ``estimate_over_cases``."""
    counted = [_value(verdicts[case]) if case in verdicts else value for case, value in values]
    return estimate_over_cases(counted, clusters, "rate")


def verdicts_of(result: RunResult) -> dict[str, str]:
    """Case → what people's verdicts on it come to, for the cases that the result has."""
    given = {case: review.verdict for case, review in settled(result.reviews).items()}
    return {case.id: given[case.id] for case in result.cases if case.id in given} if given else {}


def verdict_counts(result: RunResult) -> dict[str, int]:
    """How many cases of the result were given each verdict; verdicts that nobody gave are left out."""
    return dict(Counter(verdicts_of(result).values()))


def disputed_cases(result: RunResult) -> list[str]:
    """The cases of the result on which people disagree and nobody has adjudicated."""
    open_ones = set(disputed(result.reviews))
    return [case.id for case in result.cases if case.id in open_ones] if open_ones else []


def with_reviews(item: MetricSummary, reviewed: Iterable[tuple[str, float | None]]) -> Estimate:
    """The rate from its summary and the reviewed cases alone, without reading the others. ``reviewed``: (verdict, the
    rule's value).

    The same as ``rate_with_reviews`` where no cases are variants of one.
    """
    n, total = item.n, (item.mean or 0.0) * item.n
    for verdict, value in reviewed:
        if value is not None:
            n, total = n - 1, total - value
        if verdict != "gold_wrong":
            n, total = n + 1, total + (verdict in RIGHT)
    if not n:
        return Estimate(None, 0, None, None)
    total = min(max(total, 0.0), float(n))
    return Estimate(total / n, n, *wilson(total, n))


def _value(verdict: str) -> float | None:
    return None if verdict == "gold_wrong" else float(verdict in RIGHT)
