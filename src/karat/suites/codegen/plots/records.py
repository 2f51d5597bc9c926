"""The one form of a plot, whichever library drew it, and the form of what a task expects of one.

A series is a list of points. What a point consists of depends on the type of the series:

    bar, line, step, area, scatter   (x, y); of a horizontal bar too, the category is x
    pie                              (label, share of the whole)
    hist                             (left edge, right edge, count)
    box                              (category, q1, median, q3, lower whisker, upper whisker)
    heatmap                          (column, row, value)

Dates are ISO texts, dates alone where the time is midnight. Points are in the order in which a reader meets them: from
left to right, horizontal bars from top to bottom.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

PlotType = Literal["bar", "line", "step", "area", "scatter", "pie", "hist", "box", "heatmap"]
TYPES: tuple[PlotType, ...] = ("bar", "line", "step", "area", "scatter", "pie", "hist", "box", "heatmap")
Scale = Literal["linear", "log", "symlog"]
Order = Literal["given", "ascending", "descending", "x"]
Value: TypeAlias = str | int | float | None
Point: TypeAlias = tuple[Value, ...]
Said = Literal["type", "data", "order"]
"""What the reference's own figure can say."""
Library = Literal["matplotlib", "plotly", "vega"]


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """Points that belong together. ``markers``: a line that marks its points; ``right``: it has the axis of its own
    that ``twinx`` makes."""

    type: PlotType
    points: tuple[Point, ...]
    name: str = ""
    horizontal: bool = False
    stacked: bool = False
    markers: bool = False
    right: bool = False


class Panel(msgspec.Struct, frozen=True, omit_defaults=True):
    """One pair of axes with what is drawn on it."""

    series: tuple[Series, ...] = ()
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    right_label: str = ""
    x_scale: str = "linear"
    y_scale: str = "linear"
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    legend: tuple[str, ...] | None = None
    """The names in its legend; None when it has none."""
    reference_lines: tuple[float, ...] = ()
    """Places of lines and spans that go across the whole panel. They are no data."""


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one figure shows. ``problem``: why it cannot be read; there are no panels then."""

    library: Library
    panels: tuple[Panel, ...] = ()
    title: str = ""
    problem: str = ""
    changed: bool = False
    """Whether the code changed the library that drew it, so that nothing it says is believed."""
    answer: bool = False
    """Whether it is what the code left as its answer."""
    saved: tuple[str, ...] = ()
    """The names of the files that it was saved in."""
    outdated: tuple[str, ...] = ()
    """Those of them that it was saved in before it was changed: it shows something else now."""


# -- what is expected -------------------------------------------------------------------------------------------------


class TextGold(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text that may be any of these, or must contain one of those."""

    equal: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()


class SeriesGold(msgspec.Struct, frozen=True, omit_defaults=True):
    """A series as a task states it. ``placed``: it says where its points are on the x axis; without that, values are
    compared in their order."""

    points: tuple[Point, ...]
    name: str = ""
    placed: bool = True


class PanelGold(msgspec.Struct, frozen=True, omit_defaults=True):
    """The items that a task states about a panel; what is not stated does not count."""

    type: tuple[PlotType, ...] = ()
    series: tuple[SeriesGold, ...] = ()
    order: Order | None = None
    title: TextGold | None = None
    x_label: TextGold | None = None
    y_label: TextGold | None = None
    x_scale: Scale | None = None
    y_scale: Scale | None = None
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    legend: tuple[str, ...] | bool | None = None
    stacked: bool | None = None
    horizontal: bool | None = None
    reference: tuple[Said, ...] = ()
    """The items that the reference's own figure says."""


class PlotGold(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a task expects of a plot: one panel or several."""

    panels: tuple[PanelGold, ...]

    @property
    def named(self) -> bool:
        """Whether it names its series."""
        return any(series.name for panel in self.panels for series in panel.series)


# -- the verdict ------------------------------------------------------------------------------------------------------


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One stated item: its weight, how far it was met, and both sides in words."""

    name: str
    """What is compared, such as the marks or an axis."""
    weight: int
    """Its weight in the score."""
    score: float
    """How far it was met, 0 to 1."""
    expected: str = ""
    """What is expected, in words."""
    given: str = ""
    """What the plot shows, in words."""
    panel: int = 0
    """The number of its panel, from 1; 0 if there is only one."""


class Picture(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a figure looks like: a PNG in base64, or a Vega-Lite specification as JSON text."""

    width: int = 0
    """Pixels."""
    height: int = 0
    """Pixels."""
    png: str = ""
    """The picture as PNG, in base64."""
    vega_lite: str = ""
    """The Vega-Lite specification as JSON text."""


class PlotVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a plot compares with what is expected. ``score`` is Σ weight × score / Σ weight, the mean over panels."""

    score: float
    """0 to 1: the weighted mean of the items, averaged over panels."""
    items: tuple[Item, ...] = ()
    """Each compared item."""
    problem: str = ""
    """What is wrong apart from the items: no figure at all, too few or too many panels."""
    library: str = ""
    """The plotting library."""
    given: Picture | None = None
    """The plot that the code drew."""
    expected: Picture | None = None
    """The plot that was expected."""

    @property
    def lost(self) -> tuple[Item, ...]:
        """The items that were not met, the heaviest loss first."""
        return tuple(
            sorted((item for item in self.items if item.score < 1), key=lambda item: item.weight * (item.score - 1))
        )
