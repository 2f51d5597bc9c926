"""What the answer's query costs, compared with gold's.

``query_seconds``: the seconds that the answer's query takes to execute and fetch.

``bird_rves``: R-VES as the BIRD benchmark defines it: a reward for queries that are faster than gold's. On request.

``fair_rves``: the same reward from the median ratio, which noise does not change. On request.

Only if gold is SQL. Time is measured, so gate it with a wide margin only.

By hand: the answer's query takes 0.2 s to execute and fetch: ``query_seconds`` is 0.2. Gold takes 0.1 s. BIRD's reward
for a ratio of 0.1 / 0.2 = 0.5 is 0.75, and R-VES is 100 × √0.75 = 86.6. An answer that is wrong by BIRD EX has 0.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.answers.comparison import Comparison


def seconds(comparison: Comparison) -> Score:
    if comparison.queries is None:
        return not_applicable("gold is not SQL")
    found = comparison.queries.cost.seconds
    return not_applicable("the answer has no result") if found is None else Score(found)


def bird(comparison: Comparison) -> Score:
    return _speed(comparison, "bird_rves")


def fair(comparison: Comparison) -> Score:
    return _speed(comparison, "fair_rves")


def _speed(comparison: Comparison, name: str) -> Score:
    if comparison.queries is None:
        return not_applicable("gold is not SQL")
    cost = comparison.queries.cost
    if cost.speed is None:
        return not_applicable(cost.speed_problem or "not asked for: option timing_runs")
    return Score(getattr(cost.speed, name))


metrics: tuple[Metric[Comparison], ...] = (
    Metric(
        "query_seconds",
        "Query time",
        "seconds of the answer's query, execute and fetch",
        seconds,
        kind="quantity",
        higher_is_better=False,
        zero_on_error=False,
        noise=0.5,
    ),
    Metric(
        "bird_rves",
        "BIRD R-VES",
        "100 √reward of the mean ratio of times within 3 σ; 0 unless BIRD EX",
        bird,
        kind="quantity",
        noise=15.0,
    ),
    Metric(
        "fair_rves",
        "fair R-VES",
        "100 √reward of the median ratio of times, which counts as 1 within noise; 0 unless BIRD EX",
        fair,
        kind="quantity",
        noise=15.0,
    ),
)
