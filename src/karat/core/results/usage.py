"""What an answer cost: seconds, tokens, money. The same for every suite, so they are metrics of the prediction
itself."""

from __future__ import annotations

from collections.abc import Callable

from karat.core.metric import Metric
from karat.core.records import Prediction
from karat.core.scores import Score, not_applicable


def _quantity(name: str, title: str, formula: str, value: Callable[[Prediction], float | None]) -> Metric:
    unknown = not_applicable(f"{name} not known")

    def score(prediction: Prediction) -> Score:
        number = value(prediction)
        return unknown if number is None else Score(float(number))

    return Metric(name, title, formula, score, kind="quantity", higher_is_better=False, zero_on_error=False)


USAGE: tuple[Metric, ...] = (
    _quantity("latency", "latency", "seconds from question to answer", lambda prediction: prediction.latency),
    _quantity("tokens", "tokens", "input and output tokens together", lambda prediction: prediction.tokens),
    _quantity("cost", "cost", "money, by the price table", lambda prediction: prediction.cost),
)
