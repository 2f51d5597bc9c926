"""Figures as the box sent them, checked: what came from a process that ran generated code may be anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import msgspec

from karat.suites.codegen.plots.pictures import Pixels
from karat.suites.codegen.plots.plotly.figure import read_plotly
from karat.suites.codegen.plots.records import Figure, Library, Panel, PlotType, Series
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega import read_vega

MOST_POINTS = 200_000
LONGEST = 2_000
LARGEST = 2**63
NEAR = 1e-6
Name = Annotated[str, msgspec.Meta(max_length=LONGEST)]
LENGTHS: dict[PlotType, int] = {"hist": 3, "box": 6, "heatmap": 3}
"""How many values a point has; 2 of all other types."""


class _Sent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure in the message of a child."""

    library: Library
    answer: bool = False
    saved: Annotated[tuple[Name, ...], msgspec.Meta(max_length=50)] = ()
    outdated: Annotated[tuple[Name, ...], msgspec.Meta(max_length=50)] = ()
    changed: bool = False
    title: Name = ""
    panels: Annotated[tuple[Panel, ...], msgspec.Meta(max_length=100)] = ()
    problem: Name = ""
    specification: str = ""
    """Of plotly and Vega-Lite: the figure as it describes itself."""
    picture: Pixels | None = None


_decode = msgspec.json.Decoder(_Sent)


class SentFigure(msgspec.Struct, frozen=True):
    """A figure, and its pixels where they were wanted; the specification of a figure that has none."""

    figure: Figure
    pixels: Pixels | None = None
    specification: str = ""


def sent_figures(texts: Sequence[bytes]) -> list[SentFigure]:
    """All figures of a run, in the order in which they were drawn."""
    return [_read(text) for text in texts]


def figures_of(texts: Sequence[bytes]) -> list[Figure]:
    """The same without pixels."""
    return [sent.figure for sent in sent_figures(texts)]


def _read(text: bytes) -> SentFigure:
    try:
        sent = _decode.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return SentFigure(Figure("matplotlib", problem=f"what was sent of it is in no right form: {str(error)[:200]}"))
    panels, title, problem = sent.panels, sent.title, sent.problem
    if not problem:
        try:
            if sent.library != "matplotlib":
                panels, title = _specified(sent)
            check(panels)
            panels = tuple(one_series(within_view(panel)) for panel in panels)
        except CannotRead as error:
            problem = str(error)
        except RecursionError:
            problem = "it is nested too deep"
    if problem:
        panels = ()
    figure = Figure(sent.library, panels, title, problem, sent.changed, sent.answer, sent.saved, sent.outdated)
    return SentFigure(figure, sent.picture, sent.specification)


def _specified(sent: _Sent) -> tuple[tuple[Panel, ...], str]:
    try:
        found = msgspec.json.decode(sent.specification.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise CannotRead(f"its specification is no JSON: {str(error)[:200]}") from error
    if not isinstance(found, dict):
        raise CannotRead("its specification is no object")
    return read_plotly(found) if sent.library == "plotly" else read_vega(found)


def one_series(panel: Panel) -> Panel:
    """A panel whose series are single bars in colours of their own, each named like its category, has one series."""
    named = all(
        series.type == "bar" and len(series.points) == 1 and str(series.points[0][0]) == series.name
        for series in panel.series
    )
    if not named or len(panel.series) < 2 or len({series.horizontal for series in panel.series}) > 1:
        return panel
    points = tuple(point for series in panel.series for point in series.points)
    return msgspec.structs.replace(panel, series=(Series("bar", points, horizontal=panel.series[0].horizontal),))


def within_view(panel: Panel) -> Panel:
    """A panel without the values that lie outside of what its axes show: a bar that is cut off shows no value. (How
    high a stacked bar reaches is not known here.)"""
    return msgspec.structs.replace(panel, series=tuple(_seen(series, panel) for series in panel.series))


def _seen(series: Series, panel: Panel) -> Series:
    ends = panel.x_range if series.horizontal else panel.y_range
    if series.type in ("pie", "box", "heatmap") or series.stacked or series.right or ends is None:
        return series
    low, high = sorted(ends)
    room = NEAR * (high - low)
    points = tuple(
        point
        for point in series.points
        if not isinstance(point[-1], int | float) or low - room <= point[-1] <= high + room
    )
    return series if len(points) == len(series.points) else msgspec.structs.replace(series, points=points)


def check(panels: Sequence[Panel]) -> None:
    """Refuse what no honest reader would have made."""
    left = MOST_POINTS
    for panel in panels:
        texts = (panel.title, panel.x_label, panel.y_label, panel.right_label, *(panel.legend or ()))
        if any(len(text) > LONGEST for text in texts):
            raise CannotRead("a text of it is too long")
        for series in panel.series:
            left -= len(series.points)
            if left < 0:
                raise CannotRead(f"it shows more than {MOST_POINTS:,} points")
            _check_series(series)


def _check_series(series: Series) -> None:
    wanted = LENGTHS.get(series.type, 2)
    if len(series.name) > LONGEST or any(len(point) != wanted for point in series.points):
        raise CannotRead(f"a point of a {series.type} must have {wanted} values")
    for point in series.points:
        for value in point:
            if isinstance(value, str):
                if len(value) > LONGEST:
                    raise CannotRead("a text of it is too long")
            elif value is not None and (abs(value) >= LARGEST if isinstance(value, int) else not math.isfinite(value)):
                raise CannotRead("a number of it is too large")
