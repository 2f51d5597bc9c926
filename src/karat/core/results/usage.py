"""What an answer cost: seconds, tokens, money. The same for every suite, so they are metrics of the prediction
itself."""

from __future__ import annotations

from collections.abc import Callable

from karat.core.metric import Metric
from karat.core.records import Prediction
from karat.core.scores import Score, not_applicable

MOST = 1e15
"""No answer takes that many seconds or tokens, or costs that much. The sum over many answers stays a number."""


def can_be_measured(number: float) -> bool:
    """Whether an answer can have taken that long, or cost that much."""
    return 0 <= number <= MOST


def _quantity(name: str, title: str, formula: str, value: Callable[[Prediction], float | None]) -> Metric:
    unknown = not_applicable(f"{name} not known")

    def score(prediction: Prediction) -> Score:
        number = value(prediction)
        if number is None:
            return unknown
        return Score(float(number)) if can_be_measured(number) else not_applicable(f"{name} cannot be {number:g}")

    return Metric(name, title, formula, score, kind="quantity", higher_is_better=False, zero_on_error=False)


USAGE: tuple[Metric, ...] = (
    _quantity("latency", "latency", "seconds from question to answer", lambda prediction: prediction.latency),
    _quantity("tokens", "tokens", "input and output tokens together", lambda prediction: prediction.tokens),
    _quantity("cost", "cost", "money, by the price table", lambda prediction: prediction.cost),
)
