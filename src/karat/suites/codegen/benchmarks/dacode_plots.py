"""A gold plot of DA-Code as what a plot is compared with: ``plot.json`` says type, labels, ticks and title, and
``result.npy`` has the data, series × points (scatter: points × two).

Bars have their categories from the tick labels of the axis that has as many as there are bars; where neither has, and
for lines, whose x values the gold does not hold, values are compared in their order. Titles and labels count where the
task's list of ``keys`` names them. Colours and sizes in inches are not compared.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import Any  # Any: an array of numpy, of any type of numbers

import msgspec

from karat.core.problems import count_of
from karat.suites.codegen.plots.records import TYPES, PanelGold, PlotGold, PlotType, Point, SeriesGold, TextGold


class _About(msgspec.Struct, frozen=True):
    type: str
    graph_title: str | None = ""
    x_label: str | None = ""
    y_label: str | None = ""
    labels: list[str] = []
    xtick_labels: list[str] = []
    ytick_labels: list[str] = []


def plot_gold(folder: Path, keys: Collection[str]) -> PlotGold | str:
    """What the plot must show; a text where the gold does not say it."""
    import numpy

    try:
        about = msgspec.json.decode((folder / "plot.json").read_bytes(), type=_About)
        data = numpy.load(folder / "result.npy", allow_pickle=False)
    except (OSError, ValueError, msgspec.DecodeError):
        return "its gold is not in this copy"
    kind = next((one for one in TYPES if one == about.type), None)
    if kind is None or data.ndim != 2:
        return f"a gold plot of type {about.type} with an array of {count_of(data.ndim, 'dimension')} has no form here"
    panel = PanelGold(
        type=(kind,),
        series=tuple(_series(about, kind, data)),
        title=_text(about.graph_title, "graph_title" in keys),
        x_label=_text(about.x_label, "x_label" in keys),
        y_label=_text(about.y_label, "y_label" in keys),
        legend=tuple(about.labels) if "labels" in keys and kind != "pie" and about.labels else None,
    )
    return PlotGold((panel,))


def _series(about: _About, kind: PlotType, data: Any) -> list[SeriesGold]:
    if kind == "scatter":
        rows = [(float(x), float(y)) for x, y in data.tolist() if not (math.isnan(x) or math.isnan(y))]
        return [SeriesGold(tuple(rows))]
    places = _places(about, kind, data.shape[1])
    named = about.labels if kind != "pie" and data.shape[0] > 1 and len(about.labels) == data.shape[0] else []
    found = []
    for number, values in enumerate(data.tolist()):
        there = [(place, value) for place, value in enumerate(values) if not math.isnan(value)]
        points: list[Point] = [
            (places[place] if places else number, value) for number, (place, value) in enumerate(there)
        ]
        found.append(SeriesGold(tuple(points), named[number] if named else "", placed=bool(places)))
    return found


def _places(about: _About, kind: PlotType, count: int) -> list[str]:
    """Where the points are on their axis; empty where the gold does not say."""
    if kind == "pie":
        return about.labels if len(about.labels) == count else []
    ticks = (about.xtick_labels, about.ytick_labels) if kind == "bar" else ()
    return next((labels for labels in ticks if len(labels) == count), [])


def _text(text: str | None, stated: bool) -> TextGold | None:
    return TextGold((text,)) if stated and text else None
