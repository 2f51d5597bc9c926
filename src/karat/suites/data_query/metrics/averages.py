"""What the metrics of this folder share: a mean over dimensions, and the score of a number that may be undefined."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.matching.dimension_comparison import Counts, DimensionComparison

Ratio = Callable[[Counts, float | None], float | None]

RECALL: Ratio = Counts.recall
PRECISION: Ratio = Counts.precision


def number_or(value: float | None, reason: str) -> Score:
    """A score, or "not applicable" with the reason."""
    return not_applicable(reason) if value is None else Score(value)


def number_or_reason(value: float | str) -> Score:
    """A score, or "not applicable" with the reason that is there instead."""
    return not_applicable(value) if isinstance(value, str) else Score(value)


def exact(dimension: DimensionComparison) -> Counts:
    return dimension.counts


def by_id(dimension: DimensionComparison) -> Counts:
    return dimension.by_id


def macro(
    comparison: Comparison,
    ratio: Ratio,
    dimensions: Iterable[DimensionComparison],
    reason: str,
    counts: Callable[[DimensionComparison], Counts] = exact,
) -> Score:
    """The mean of a ratio over the dimensions where it is defined. Where everything was selected or expected, it mostly
    is not."""
    zero = comparison.options.zero_division
    values = [v for d in dimensions if not d.uncounted and (v := ratio(counts(d), zero)) is not None]
    return Score(sum(values) / len(values)) if values else _undefined(zero, reason)


def _undefined(zero: float | None, reason: str) -> Score:
    return not_applicable(reason) if zero is None else Score(float(zero))


def in_target(comparison: Comparison) -> list[DimensionComparison]:
    return [d for d in comparison.dimensions if d.in_target]


def pooled(comparison: Comparison) -> Counts:
    """The counts of all dimensions together."""
    tp = fp = fn = 0
    for dimension in comparison.dimensions:
        tp += dimension.counts.tp
        fp += dimension.counts.fp
        fn += dimension.counts.fn
    return Counts(tp, fp, fn)


NOTHING_EXPECTED = "the target is empty"
NOTHING_SELECTED = "nothing was selected"
NOTHING_AT_ALL = "nothing was expected and nothing selected"
NO_HIERARCHY = "no codelist with parents in a dimension of the target, or nothing selected"
