"""What the metrics of this folder share: the cutoffs, and the mean over the fields of a question.

A field counts for a question when it has a relevant key there; in recall one without counts 1. Where no field has one,
there is nothing to be found: 0/0. trec_eval gives such a question 0 in every measure and averages it in, as long as
something was judged for it; so does karat, with a reason, unless the option ``no_relevant`` says to leave it out. A
question for which nothing was judged at all is not applicable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from karat.core.metric import Metric
from karat.core.metrics.parameters import Parameter
from karat.core.scores import Score, not_applicable
from karat.suites.retrieval.comparison import Comparison, FieldComparison

CUTOFFS = (1, 3, 5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""Those of trec_eval, and the first places, which are what a bot shows or reads."""

CUTOFF = 10
PARAMETERS = (Parameter("cutoff", int, CUTOFF, "How many of the first results count.", at_least=1),)

NO_RELEVANT = "no key is relevant"
OF_SPANS = "the truths are spans of documents, of which one result may have several"


def mean_over_fields(
    comparison: Comparison, value: Callable[[FieldComparison], float | None], empty: float | None = None
) -> Score:
    """The mean over the fields in which the value is defined. ``empty``: what a field counts in which it is not; None:
    nothing."""
    values = [found for field in comparison.fields if (found := value(field)) is not None]
    if values and empty is not None:
        values += [empty] * (len(comparison.fields) - len(values) + comparison.without)
    if values:
        return Score(sum(values) / len(values) if len(values) > 1 else values[0])
    return nothing_to_find(comparison)


def nothing_to_find(comparison: Comparison) -> Score:
    """The score of a question without any relevant key, or of spans in a measure that has no value for them."""
    if any(field.spans and field.relevant for field in comparison.fields):
        return not_applicable(OF_SPANS)
    if comparison.fields and comparison.options.no_relevant == "zero":
        return Score(0.0, "scored", f"{NO_RELEVANT}: 0, as in trec_eval")
    return not_applicable(NO_RELEVANT)


def at_cutoffs(
    name: str,
    title: str,
    formula: str,
    value: Callable[[FieldComparison, int], float | None],
    *,
    headline: int = 0,
    empty: float | None = None,
) -> tuple[Metric[Comparison], ...]:
    """One metric for each cutoff, which is its parameter: ``recall_at_10`` is ``R`` with ``cutoff: 10``, in full
    ``R@10``.

    ``headline``: the cutoff that the terminal shows; 0: none. ``empty``: see :func:`mean_over_fields`."""

    def score(comparison: Comparison, cutoff: int = CUTOFF) -> Score:
        return mean_over_fields(comparison, lambda field: value(field, cutoff), empty)

    score.__module__ = value.__module__  # whose docstring says what the metric means
    metric = Metric(title, title, formula, score, parameters=PARAMETERS)
    return tuple(replace(metric.with_parameters(cutoff=k), name=f"{name}_{k}", headline=k == headline) for k in CUTOFFS)
