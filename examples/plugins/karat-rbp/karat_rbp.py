"""Rank-biased precision: what a reader finds who goes on from each result to the next with probability p.

RBP = (1 - p) × the sum of p^(rank - 1) over the relevant keys that were retrieved; the mean over the fields.
Nothing relevant: not applicable.
A reader who is patient (p near 1) looks far down the list, one who is not (p near 0) at the first result alone.
"""

from statistics import fmean

from karat import Metric, Parameter, Score, not_applicable, retrieval, scored


def score(comparison: retrieval.Comparison, p: float = 0.8) -> Score:
    found = [(1 - p) * sum(p ** (rank - 1) for rank in field.ranks) for field in comparison.fields if field.relevant]
    return scored(fmean(found)) if found else not_applicable("no key is relevant")


RBP = Metric(
    "RBP",
    "RBP",
    "(1 - {p}) × the sum of {p}^(rank - 1) over the relevant keys that were retrieved",
    score,
    headline=True,
    parameters=(
        Parameter("p", float, 0.8, "How likely a reader goes on to the next result.", at_least=0, at_most=0.999),
    ),
)

metrics = (RBP.with_parameters(p=0.5), RBP.with_parameters(p=0.8))
