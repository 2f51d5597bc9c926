"""A gold plot of DA-Code: ``plot.json`` (type, labels, ticks, title) and ``result.npy`` (series × points).

Bars get their categories from the ticks of the axis that has as many. Of lines only the values are known, so they are
compared in their order. A scatter has one row for each point. Texts count where the task's evaluation names them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path

import msgspec
import numpy as np

from karat.core.problems import UserError
from karat.suites.codegen.plots.records import PanelGold, PlotGold, PlotType, Point, SeriesGold, TextGold, Value

SPEC, DATA = "plot.json", "result.npy"


class _Plot(msgspec.Struct, frozen=True):
    """What DA-Code keeps of a plot; size and colours are not compared here."""

    type: PlotType
    graph_title: str = ""
    x_label: str = ""
    y_label: str = ""
    labels: tuple[str, ...] = ()
    xtick_labels: tuple[str, ...] = ()
    ytick_labels: tuple[str, ...] = ()


def read_gold(folder: Path, keys: Collection[str] = ()) -> PlotGold:
    """The gold in a folder. ``keys``: what the evaluation of its task looks at beside type and data."""
    try:
        plot = msgspec.json.decode((folder / SPEC).read_bytes(), type=_Plot)
        data = np.atleast_2d(np.load(folder / DATA, allow_pickle=False))
        numbers = data.astype(float)
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise UserError(f"{folder.name}: the gold plot cannot be read: {str(error)[:200]}") from error
    if numbers.ndim != 2 or not numbers.size:
        raise UserError(f"{folder.name}: {DATA} must have two dimensions, series × points; it has {data.shape}")
    lying = plot.type == "bar" and len(plot.xtick_labels) != numbers.shape[1] == len(plot.ytick_labels)
    return PlotGold(
        (
            PanelGold(
                (plot.type,),
                _series(plot, numbers),
                title=_text(plot.graph_title, "graph_title", keys),
                x_label=_text(plot.x_label, "x_label", keys),
                y_label=_text(plot.y_label, "y_label", keys),
                legend=plot.labels if "labels" in keys and plot.labels else None,
                horizontal=True if lying else None,
            ),
        )
    )


def _text(text: str, name: str, keys: Collection[str]) -> TextGold | None:
    return TextGold((text,)) if text and name in keys else None


def _series(plot: _Plot, numbers: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[SeriesGold, ...]:
    if plot.type == "scatter" and numbers.shape[1] == 2:
        points: list[Point] = [(_value(x), _value(y)) for x, y in numbers]
        return (SeriesGold(tuple(point for point in points if None not in point)),)
    width = numbers.shape[1]
    names = plot.labels if len(plot.labels) == len(numbers) and plot.type != "pie" else ("",) * len(numbers)
    places = {"bar": (plot.xtick_labels, plot.ytick_labels), "pie": (plot.labels,)}.get(plot.type, ())
    ticks = next((ticks for ticks in places if len(ticks) == width), None)
    return tuple(
        SeriesGold(
            tuple((ticks[at] if ticks else at, _value(value)) for at, value in enumerate(row)), name, bool(ticks)
        )
        for name, row in zip(names, numbers, strict=True)
    )


def _value(number: float) -> Value:
    found = float(number)
    if not math.isfinite(found):
        return None
    return int(found) if found.is_integer() and abs(found) < 2**53 else found
