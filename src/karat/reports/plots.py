"""Plots as data: Vega-Lite specifications with their figures inside, for the HTML report and the viewer.

Colours are CSS variables of the page (``--ink``, ``--accent``, …), so light, dark and print follow without drawing again. Fields
of the data have fixed names: what a file or a model called something is only ever a value or a title, never a name that
Vega would parse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import msgspec

from karat.core.problems import count_of
from karat.core.report import Cell, Chart, Series, Table
from karat.core.result import CaseResult, Estimate, Estimator, RunResult
from karat.core.suite import Kind, Metric
from karat.reports.html_text import readable

BARS = 20
MOST_TAGS = 25
"""The weakest so many are drawn; all are in the table."""
STEPS = 50
"""A cloud of points is drawn on a grid of so many steps each way, so that its size does not grow with the run."""
MOST_POINTS = 200
"""Points of one series that are drawn."""
MOST_SERIES = 12
LONGEST_TITLE = 80
COLOURS = tuple(f"var(--series-{number})" for number in range(1, 7))
ACCENT, MARKED, INK, QUIET, LINE = "var(--accent)", "var(--marked)", "var(--ink)", "var(--quiet)", "var(--line)"


class Plot(msgspec.Struct, frozen=True):
    """A specification with what it shows in words, for who does not see it."""

    title: str
    summary: str
    spec: dict[str, Any]


def plot_config() -> dict[str, Any]:
    """The look that all plots share; to be given to Vega-Lite beside each specification."""
    return {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            "domainColor": LINE,
            "gridColor": LINE,
            "tickColor": LINE,
            "labelColor": QUIET,
            "titleColor": QUIET,
            "titleFontWeight": "normal",
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titlePadding": 10,
            "labelPadding": 6,
            "labelLimit": 160,
        },
        "axisX": {"grid": False},
        "legend": {
            "labelColor": QUIET,
            "titleColor": QUIET,
            "labelFontSize": 12,
            "labelLimit": 220,
            "orient": "bottom",
        },
    }


def run_plots(result: RunResult, metrics: Sequence[Metric], estimate: Estimator) -> tuple[Plot, ...]:
    """What every run can be seen by: how its headline figure is spread, which tags are weak, recall against precision."""
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
    title = _title(metric.title)
    spec = {
        "data": {"values": rows},
        "height": 220,
        "mark": {"type": "bar", "color": ACCENT, "binSpacing": 1},
        "encoding": {
            "x": {"field": "from", "bin": {"binned": True, "step": width}, "title": title, "type": "quantitative"},
            "x2": {"field": "to"},
            "y": {"field": "count", "type": "quantitative", "title": "cases", "axis": {"tickMinStep": 1}},
            "tooltip": [_number("from", "from"), _number("to", "to"), {"field": "count", "title": "cases"}],
        },
    }
    at_top = sum(value >= high for value in values) if metric.kind != "quantity" else 0
    said = f"{count_of(len(values), 'case')} with {title}; the middle one has {sorted(values)[len(values) // 2]:.3g}"
    return Plot(f"How {title} is spread", said + (f", {at_top:,} reach {high:g}." if at_top else "."), spec)


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
    title = _title(metric)
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
        *(_number(name, name) for name in ("mean", "low", "high")),
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
    x_title, y_title = _title(recall.title), _title(precision.title)
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
            "tooltip": [_number("x", x_title), _number("y", y_title), {"field": "count", "title": "cases"}],
        },
    }
    total, both = sum(counts.values()), counts.get((STEPS, STEPS), 0)
    said = f"{count_of(total, 'case')} where both are defined; {both:,} have both at 1. A larger mark is more cases."
    return Plot(f"{x_title[:1].upper()}{x_title[1:]} against {y_title}", said, spec)


# -- the charts of a suite's report -----------------------------------------------------------------------------------


def chart_plot(chart: Chart, tables: Sequence[Table]) -> Plot | None:
    """A chart of a sheet, from the table it speaks of; None where it has no point."""
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    marked: list[str] = []
    for series in chart.series[:MOST_SERIES]:
        name = _told_apart(_title(series.title), names)
        points = _points(series, tables[chart.table].rows)
        if points:
            names.append(name)
            marked += [name] if series.marked else []
            rows += [{"series": name, "x": x, "y": y, "marked": series.marked} for x, y in points]
    if not rows:
        return None
    plain = [name for name in names if name not in marked]
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(plain)} | dict.fromkeys(marked, MARKED)
    y_scale: dict[str, Any] = {"zero": True} | ({"domainMax": chart.y_most} if chart.y_most is not None else {})
    spec = {
        "data": {"values": rows},
        "height": 260,
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": _title(chart.x_title)},
            "y": {"field": "y", "type": "quantitative", "title": _title(chart.y_title), "scale": y_scale},
            "color": _colour(colours),
            "tooltip": [
                {"field": "series", "title": "series"},
                _number("x", _title(chart.x_title)),
                _number("y", _title(chart.y_title)),
            ],
        },
        "layer": _layers(joined=chart.kind == "line", marked=bool(marked)),
    }
    said = f"{count_of(len(names), 'series', 'series')}: {', '.join(names)}. The figures stand in the table below."
    return Plot(_title(chart.title), said, spec)


def _layers(*, joined: bool, marked: bool) -> list[dict[str, Any]]:
    only = [{"filter": "!datum.marked"}]
    layers: list[dict[str, Any]] = [
        {"transform": only, "mark": {"type": "point", "filled": True, "size": 36, "opacity": 0.9}}
    ]
    if joined:
        layers.insert(0, {"transform": only, "mark": {"type": "line", "strokeWidth": 2}})
    if marked:
        mark = {"type": "point", "filled": True, "shape": "diamond", "size": 180, "opacity": 1}
        layers.append({"transform": [{"filter": "datum.marked"}], "mark": mark})
    return layers


def _colour(colours: Mapping[str, str]) -> dict[str, Any]:
    scale = {"domain": list(colours), "range": list(colours.values())}
    legend = {"title": None} if len(colours) > 1 else None
    return {"field": "series", "type": "nominal", "scale": scale, "legend": legend}


def _points(series: Series, rows: Sequence[tuple[Cell, ...]]) -> list[tuple[float, float]]:
    found = []
    for row in rows[series.first : series.last + 1]:
        x, y = row[series.x], row[series.y]
        if isinstance(x, int | float) and isinstance(y, int | float) and isfinite(x) and isfinite(y):
            found.append((x, y))
    return found[:: len(found) // MOST_POINTS + 1]


def _told_apart(name: str, taken: Sequence[str]) -> str:
    """Two series of one name stay two."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} {number}"
    return found


def _range(values: Sequence[float], kind: Kind) -> tuple[float, float]:
    """From where to where the figures are drawn: 0 to 1, for a quantity from the least to the greatest."""
    if kind != "quantity" and min(values) >= 0 and max(values) <= 1:
        return 0.0, 1.0
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _number(field: str, title: str) -> dict[str, str]:
    return {"field": field, "title": title, "format": ".3~f", "type": "quantitative"}


def _title(text: str) -> str:
    """A title that is never empty nor long; Vega would leave out the one and cut the other."""
    shown = " ".join(readable(text).split()) or "(no name)"
    return shown if len(shown) <= LONGEST_TITLE else f"{shown[: LONGEST_TITLE - 1]}…"
