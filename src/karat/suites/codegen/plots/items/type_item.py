"""The item ``type``: 1 for the same type, 0.5 for one of the same family, else 0. With several series, their mean.

Families: line, step and area; bar and hist; scatter and a line that marks its points.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.plots.records import PlotType, Series

FAMILY = 0.5
_FAMILIES = (frozenset({"line", "step", "area"}), frozenset({"bar", "hist"}))


def type_score(gold: Sequence[PlotType], given: Sequence[Series]) -> float:
    """The gold's types: any of them is right."""
    if not given:
        return 0.0
    return sum(max(_likeness(wanted, series) for wanted in gold) for series in given) / len(given)


def _likeness(wanted: PlotType, series: Series) -> float:
    if wanted == series.type:
        return 1.0
    if any({wanted, series.type} <= family for family in _FAMILIES):
        return FAMILY
    marked = {wanted, series.type} == {"scatter", "line"} and (series.markers or series.type == "scatter")
    return FAMILY if marked else 0.0
