"""The same plot drawn in five libraries reads as the same plot, and each change to a plot loses exactly its item.

The plots are generated: type, categories or numbers or dates, values, one series or more, stacked, lying, labels and
title. Each is drawn by matplotlib, pandas, seaborn, plotly and altair, as far as a library has such a plot.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.correctness import with_reference
from karat.suites.codegen.plots.records import Figure, Panel, PanelGold, PlotGold, Point, SeriesGold, TextGold
from karat.suites.codegen.plots.score import chosen, passed, verdict_of
from tests.suites.codegen.plots.draw_in_libraries import LIBRARIES, Plot, code_of
from tests.suites.codegen.plots.drawn_plots import figures

PLOTS = 200
TYPES = ("bar", "bar", "bar", "line", "line", "scatter", "area", "pie", "hist", "box", "heatmap", "step")
CATEGORIES = ("North", "South", "East", "West", "Café", "2020", "a & b", "50 %", "Zürich", "N/a land")
OPTIONS = Options().compare_options()


def plots(count: int) -> Iterator[Plot]:
    """Plots of all types; the seed makes them the same in every run."""
    pick = random.Random(22)
    for number in range(count):
        kind = TYPES[number % len(TYPES)]
        size = pick.randint(3, 6)
        if kind in ("bar", "pie", "box", "heatmap"):
            x: list[object] = list(pick.sample(CATEGORIES, size))
        elif kind in ("line", "step", "area") and pick.random() < 0.3:
            x = [f"2021-03-{day:02}" for day in sorted(pick.sample(range(1, 29), size))]
        else:
            places = pick.sample(range(-5, 95), size)
            x = list(places if kind == "scatter" else sorted(places))
        several = kind in ("bar", "line", "step", "scatter", "area") and pick.random() < 0.5
        names = pick.sample(("alpha", "beta", "gamma"), 2) if several else [""]
        least = 1 if kind in ("pie", "area", "hist") else -9
        values = [[_value(pick, least) for _ in x] for _ in names]
        stacked = (kind == "area" and several) or (kind == "bar" and several and pick.random() < 0.5)
        if stacked:
            values = [[abs(value) + 1 for value in row] for row in values]
        flat = kind == "bar" and pick.random() < 0.3
        yield Plot(kind, x, names, values, stacked, flat, f"Title {number}", "Some x", "Some y")


def _value(pick: random.Random, least: int) -> float:
    return pick.choice((pick.randint(least, 30) or 1, round(pick.uniform(least, 30), 2) or 0.5))


def _spec(figure: Figure) -> object:
    """What must be equal: everything but the ends of axes, the order of lines' points and what a single series is
    called."""
    (panel,) = figure.panels
    several = len(panel.series) > 1
    series = sorted(
        (
            one.type,
            one.name if several else "",
            tuple(_rounded(point) for point in (one.points if one.type == "bar" else sorted(one.points, key=repr))),
            one.horizontal,
            one.stacked,
        )
        for one in panel.series
    )
    legend = sorted(panel.legend) if panel.legend is not None and several else None
    return series, panel.title or figure.title, panel.x_label, panel.y_label, panel.x_scale, panel.y_scale, legend


def _rounded(point: Point) -> tuple[object, ...]:
    return tuple(float(f"{part:.6g}") if isinstance(part, int | float) else part for part in point)


@pytest.mark.parametrize("library", [library for library in LIBRARIES if library != "matplotlib"])
def test_the_same_plot_in_two_libraries(library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    compared = 0
    for batch in _batches([plot for plot in plots(PLOTS) if code_of(plot, library)], 20):
        own = _drawn([code_of(plot, "matplotlib") for plot in batch])
        other = _drawn([code_of(plot, library) for plot in batch])
        for plot, one, two in zip(batch, own, other, strict=True):
            assert not two.problem, (plot, two.problem)
            assert _spec(two) == _spec(one), plot
            compared += 1
    assert compared >= 100


def _batches(items: list[Plot], size: int) -> list[list[Plot]]:
    return [items[place : place + size] for place in range(0, len(items), size)]


def _drawn(codes: list[str]) -> list[Figure]:
    """Many figures in one run; each is shown as it is drawn."""
    found = figures("\n".join(codes))
    assert len(found) == len(codes)
    return found


# -- changes ----------------------------------------------------------------------------------------------------------

BASE = {
    "kind": "bar",
    "names": "['sales', 'costs']",
    "values": "[[5, 3, 4], [1, 2, 6]]",
    "x": "['North', 'South', 'East']",
    "title": "Sales by region",
    "x_label": "Region",
    "y_label": "Amount",
    "stacked": "True",
    "flat": "False",
    "x_scale": "linear",
    "y_scale": "symlog",
    "x_range": "(-1, 3)",
    "y_range": "(0, 12)",
    "legend": "True",
}
DRAW = """
import matplotlib.pyplot as plt
import numpy as np
fig, ax = plt.subplots()
names, x, values = {names}, {x}, np.array({values})
base = np.zeros(len(x))
places = np.arange(len(x))
for number, (name, row) in enumerate(zip(names, values)):
    if '{kind}' == 'line':
        ax.plot(places, row, label=name)
    elif {stacked}:
        (ax.barh if {flat} else ax.bar)(places, row, 0.8, base, label=name)
        base = base + row
    else:
        (ax.barh if {flat} else ax.bar)(places + 0.4 * number - 0.2, row, 0.4, label=name)
(ax.set_yticks if {flat} else ax.set_xticks)(places, x)
ax.set(title='{title}', xlabel='{x_label}', ylabel='{y_label}')
if '{x_scale}' != 'linear':
    ax.set_xscale('{x_scale}')
    ax.set_xticks(places, x)
if '{y_scale}' != 'linear':
    ax.set_yscale('{y_scale}')
ax.set_xlim{x_range}
ax.set_ylim{y_range}
if {legend}:
    ax.legend()
"""
CHANGES = {
    "type": {"kind": "line", "stacked": "True"},
    "data": {"values": "[[5, 3, 4], [1, 2, 7]]"},
    "order": {"x": "['South', 'North', 'East']", "values": "[[3, 5, 4], [2, 1, 6]]"},
    "title": {"title": "Costs by region"},
    "x_label": {"x_label": "Amount"},
    "y_label": {"y_label": "Regions"},
    "stacked": {"stacked": "False"},
    "x_scale": {"x_scale": "symlog"},
    "y_scale": {"y_scale": "linear"},
    "x_range": {"x_range": "(-1, 4)"},
    "y_range": {"y_range": "(0, 13)"},
    "legend": {"legend": "False"},
}


def _gold(figure: Figure) -> PlotGold:
    """Every item of a figure as what is expected."""
    panel: Panel = figure.panels[0]
    series = tuple(SeriesGold(one.points, one.name) for one in panel.series)
    return PlotGold(
        (
            PanelGold(
                ("bar",),
                series,
                "given",
                TextGold((panel.title,)),
                TextGold((panel.x_label,)),
                TextGold((panel.y_label,)),
                "linear",
                "symlog",
                panel.x_range,
                panel.y_range,
                panel.legend,
                stacked=True,
                horizontal=False,
            ),
        )
    )


@pytest.fixture(scope="module")
def base() -> Figure:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    return figures(DRAW.format(**BASE))[0]


def test_a_plot_against_itself(base: Figure) -> None:
    assert passed(verdict_of(_gold(base), [base], OPTIONS))
    panels, _, _ = chosen([base], 1)
    assert with_reference(_gold(base), []).panels[0].series[0].points == panels[0].series[0].points


@pytest.mark.parametrize("item", CHANGES)
def test_a_change_loses_exactly_its_item(item: str, base: Figure) -> None:
    changed = figures(DRAW.format(**{**BASE, **CHANGES[item]}))[0]
    gold = _gold(base)
    if item == "type":  # a line stands on nothing
        gold = PlotGold((msgspec.structs.replace(gold.panels[0], stacked=None),))
    found = verdict_of(gold, [changed], OPTIONS)
    assert [one.name for one in found.lost] == [item]


def test_lying_bars_lose_only_that(base: Figure) -> None:
    gold = msgspec.structs.replace(
        _gold(base).panels[0], order=None, x_range=None, y_range=None, x_scale=None, y_scale=None
    )
    lying = figures(
        DRAW.format(**{**BASE, "flat": "True", "y_scale": "linear", "x_range": "(0, 12)", "y_range": "(-1, 3)"})
    )[0]
    assert [one.name for one in verdict_of(PlotGold((gold,)), [lying], OPTIONS).lost] == ["horizontal"]
