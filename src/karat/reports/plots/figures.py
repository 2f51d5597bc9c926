"""Plots as data: Vega-Lite specifications with their figures inside, for the HTML report and the viewer.

Colours are CSS variables of the page (``--text``, ``--gold``, …), so light, dark and print follow without drawing
again. Fields of the data have fixed names: what a file or a model called something is only ever a value or a title,
never a name that Vega would parse. Here are the plots that every run has; those of a suite's own charts are made in
``charts``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from karat.core.metric import Kind, Metric
from karat.core.problems import count_of
from karat.core.results.result import CaseResult, Estimate, Estimator, RunResult
from karat.reports.html.text import readable
from karat.reports.plots.charts import chart_plot
from karat.reports.plots.style import ACCENT, Plot, number_tip, plot_config, plot_title

__all__ = ["Plot", "by_tag", "chart_plot", "distribution", "plot_config", "run_plots", "scatter", "tag_plot"]

BARS = 20
MOST_TAGS = 25
"""This many of the weakest are drawn; all are in the table."""
STEPS = 50
"""A cloud of points is drawn on a grid of this many steps each way, so that its size does not grow with the run."""


def run_plots(result: RunResult, metrics: Sequence[Metric], estimate: Estimator) -> tuple[Plot, ...]:
    """What every run can be seen by: how its headline figure is spread, which tags are weak, recall against
    precision."""
    present = {item.metric for item in result.summary if item.n}
    known = [metric for metric in metrics if metric.name in present]
    front = headline_metric(known)
    if front is None:
        return ()
    pair = recall_and_precision(known)
    found = [
        distribution(front, values_of(result.cases, front.name)),
        by_tag(front, result.cases, estimate),
        scatter(*pair, result.cases) if pair else None,
    ]
    return tuple(plot for plot in found if plot is not None)


def headline_metric(metrics: Sequence[Metric]) -> Metric | None:
    """The metric to look at first: a headline with more to it than right or wrong, else any headline, else any."""
    ranked = sorted(metrics, key=lambda metric: (not metric.headline, metric.kind != "share"))
    return ranked[0] if ranked else None


def recall_and_precision(metrics: Sequence[Metric]) -> tuple[Metric, Metric] | None:
    """The first pair of metrics whose names differ in that word alone; headlines before others."""
    named = {metric.name: metric for metric in metrics}
    for metric in sorted(metrics, key=lambda metric: not metric.headline):
        other = named.get(metric.name.replace("recall", "precision"))
        if "recall" in metric.name and other is not None and metric.kind == other.kind == "share":
            return metric, other
    return None


def values_of(cases: Sequence[CaseResult], name: str) -> list[float]:
    """The figures of a metric, of the cases that have one."""
    scores = (case.scores.get(name) for case in cases)
    return [score.value for score in scores if score is not None and score.value is not None and isfinite(score.value)]


# -- one run ----------------------------------------------------------------------------------------------------------


def distribution(metric: Metric, values: Sequence[float]) -> Plot | None:
    """How many cases have which figure."""
    if not values:
        return None
    low, high = _range(values, metric.kind)
    width = (high - low) / BARS
    counts = [0] * BARS
    for value in values:
        counts[min(BARS - 1, max(0, int((value - low) / width)))] += 1
    rows = [{"from": low + i * width, "to": low + (i + 1) * width, "count": n} for i, n in enumerate(counts)]
    title = plot_title(metric.title)
    spec = {
        "data": {"values": rows},
        "height": 220,
        "mark": {"type": "bar", "color": ACCENT, "binSpacing": 1},
        "encoding": {
            "x": {"field": "from", "bin": {"binned": True, "step": width}, "title": title, "type": "quantitative"},
            "x2": {"field": "to"},
            "y": {"field": "count", "type": "quantitative", "title": "cases", "axis": {"tickMinStep": 1}},
            "tooltip": [number_tip("from", "from"), number_tip("to", "to"), {"field": "count", "title": "cases"}],
        },
    }
    at_top = sum(value >= high for value in values) if metric.kind != "quantity" else 0
    said = f"{count_of(len(values), 'case')} with {title}; the median is {sorted(values)[len(values) // 2]:.3g}"
    return Plot(f"Distribution of {title}", said + (f", {at_top:,} reach {high:g}." if at_top else "."), spec)


def by_tag(metric: Metric, cases: Sequence[CaseResult], estimate: Estimator) -> Plot | None:
    """The mean of each tag with its interval, weakest first."""
    groups: dict[str, list[float]] = {}
    for case in cases:
        score = case.scores.get(metric.name)
        if score is not None and score.value is not None:
            for tag in dict.fromkeys(case.tags):
                groups.setdefault(readable(tag), []).append(score.value)
    sign = 1 if metric.higher_is_better else -1
    weakest = sorted(groups, key=lambda tag: (sign * sum(groups[tag]) / len(groups[tag]), tag))[:MOST_TAGS]
    if not weakest:
        return None
    return tag_plot(
        metric.title, [(tag, estimate(groups[tag], metric.kind)) for tag in weakest], len(groups), metric.kind
    )


def tag_plot(metric: str, tags: Sequence[tuple[str, Estimate]], of: int, kind: Kind = "share") -> Plot:
    """Means with intervals, one below the other, in the order given. ``of``: how many tags there are in all."""
    rows = [
        {"tag": f"{tag[:40]} ({found.n:,})", "mean": found.mean, "low": found.low, "high": found.high, "n": found.n}
        for tag, found in tags
    ]
    title = plot_title(metric)
    y = {
        "field": "tag",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": {"grid": False, "ticks": False, "domain": False},
    }
    x = {"type": "quantitative", "title": f"mean {title} with its 95 % interval", "axis": {"grid": True}}
    x |= {"scale": {"domain": [0, 1]}} if kind != "quantity" else {}
    tips = [
        {"field": "tag", "title": "tag"},
        *(number_tip(name, name) for name in ("mean", "low", "high")),
        {"field": "n"},
    ]
    spec = {
        "data": {"values": rows},
        "height": 24 * len(rows),
        "encoding": {"y": y, "tooltip": tips},
        "layer": [
            {
                "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 2, "opacity": 0.5},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "color": ACCENT, "opacity": 1},
                "encoding": {"x": {**x, "field": "mean"}},
            },
        ],
    }
    part = f"the {len(tags)} weakest of {of:,} tags" if of > len(tags) else count_of(of, "tag")
    first, found = tags[0]
    said = f"Weakest first, {part}; {first[:40]} has {found.mean:.3g} over {count_of(found.n, 'case')}."
    return Plot(f"{title[:1].upper()}{title[1:]} by tag", said, spec)


def scatter(recall: Metric, precision: Metric, cases: Sequence[CaseResult]) -> Plot | None:
    """Each case by its recall and its precision; cases at one place make one larger mark."""
    counts: dict[tuple[int, int], int] = {}
    for case in cases:
        x, y = (score.value if (score := case.scores.get(m.name)) else None for m in (recall, precision))
        if x is not None and y is not None:
            place = (round(x * STEPS), round(y * STEPS))
            counts[place] = counts.get(place, 0) + 1
    if not counts:
        return None
    rows = [{"x": x / STEPS, "y": y / STEPS, "count": n} for (x, y), n in sorted(counts.items())]
    x_title, y_title = plot_title(recall.title), plot_title(precision.title)
    axis = {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False}}
    spec = {
        "data": {"values": rows},
        "height": 260,
        "mark": {"type": "point", "filled": True, "color": ACCENT, "opacity": 0.6, "clip": False},
        "encoding": {
            "x": {**axis, "field": "x", "title": x_title},
            "y": {**axis, "field": "y", "title": y_title},
            "size": {
                "field": "count",
                "type": "quantitative",
                "title": "cases",
                "legend": None,
                "scale": {"range": [30, 600]},
            },
            "tooltip": [number_tip("x", x_title), number_tip("y", y_title), {"field": "count", "title": "cases"}],
        },
    }
    total, both = sum(counts.values()), counts.get((STEPS, STEPS), 0)
    at_one = count_of(both, "has", "have")
    said = f"{count_of(total, 'case')} where both are defined; {at_one} both at 1. A larger mark is more cases."
    return Plot(f"{x_title[:1].upper()}{x_title[1:]} against {y_title}", said, spec)


def _range(values: Sequence[float], kind: Kind) -> tuple[float, float]:
    """From where to where the figures are drawn: 0 to 1, for a quantity from the least to the greatest."""
    if kind != "quantity" and min(values) >= 0 and max(values) <= 1:
        return 0.0, 1.0
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, low + 0.5)
