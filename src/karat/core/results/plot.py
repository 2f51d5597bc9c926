"""The figures of a result as an Altair chart: a point for each mean, a line for its 95 % interval."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any  # Any: the types of Altair differ from one version to the next

from karat.core.installed.extras import require
from karat.core.results.text import headline_metrics, known_metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.core.results.result import RunResult


def plot(result: RunResult, metrics: Sequence[str] = ()) -> Any:
    """An ``altair.LayerChart`` of the metrics named, or of the suite's headline metrics that are shares or rates."""
    require(["plot"], "result.plot()")
    altair: Any = import_module("altair")
    known = known_metrics(result)
    if metrics:
        chosen = [(known[item.metric], item) for item in map(result.metric, metrics)]
    else:
        chosen = [(metric, item) for metric, item in headline_metrics(result) if metric.kind != "quantity"]
    rows = [
        {"metric": metric.title, "mean": item.mean, "low": item.low, "high": item.high, "over": item.n}
        for metric, item in chosen
        if item.mean is not None
    ]
    shares = all(metric.kind != "quantity" for metric, _ in chosen)
    scale = altair.Scale(domain=[0, 1]) if shares else altair.Scale()
    base = altair.Chart(altair.Data(values=rows)).encode(
        y=altair.Y("metric:N", sort=None, title=None), tooltip=["metric:N", "mean:Q", "low:Q", "high:Q", "over:Q"]
    )
    lines = base.mark_rule(strokeWidth=3).encode(
        x=altair.X("low:Q", scale=scale, title="mean, 95 % interval"), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(x=altair.X("mean:Q", scale=scale))
    run = result.run
    return (lines + points).properties(
        title=" ".join(part for part in (run.suite, run.id, run.name) if part), width=320
    )
