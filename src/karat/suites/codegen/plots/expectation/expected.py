"""``expected.plot`` of a task file, as what a plot is compared with, and everything that is wrong in it.

    plot:
      type: bar                       # or a list: any of them
      series: [{name: sales, x: [North, South], y: [5, 3]}]
      order: descending
      x_label: [Region, Area]         # any of these; {contains: region} for a part

In place of written series: ``table:`` or ``file:`` with the columns ``x``, ``y`` and ``series``; or ``reference:
[type, data, order]``, the items that the reference's own figure says. ``panels`` is a list of such plots.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.problems import did_you_mean
from karat.core.yaml.structs import Findings, Raw, is_empty, reader_for
from karat.suites.codegen.plots.expectation.gold_series import read_series, table_series
from karat.suites.codegen.plots.records import (
    TYPES,
    Order,
    PanelGold,
    PlotGold,
    PlotType,
    Said,
    Scale,
    SeriesGold,
    TextGold,
)
from karat.suites.codegen.tasks.literal_values import value_of

REFERENCE = ("type", "data", "order")
NO_SERIES = (
    "Write the points under series, or table: or file: with the columns x and y, or reference: [data] where the task "
    "has a reference."
)


class PanelEntry(msgspec.Struct, frozen=True):
    """A plot, or one panel of it, as it is in a file."""

    type: Raw | None = None
    series: Raw | None = None
    """A list of series; with ``table`` or ``file`` the column that names the series."""
    table: Raw | None = None
    file: Raw | None = None
    x: str = ""
    y: str = ""
    order: Order | None = None
    title: Raw | None = None
    x_label: Raw | None = None
    y_label: Raw | None = None
    x_scale: Scale | None = None
    y_scale: Scale | None = None
    x_range: Raw | None = None
    y_range: Raw | None = None
    legend: Raw | None = None
    stacked: bool | None = None
    horizontal: bool | None = None
    reference: Raw | None = None


class PlotEntry(PanelEntry, frozen=True):
    """A plot as it is in a file."""

    panels: tuple[Raw, ...] = ()


_read_plot = reader_for(PlotEntry)
_read_panel = reader_for(PanelEntry)


def read_plot(node: Node, folder: Path, findings: Findings) -> PlotGold | None:
    """What a plot is compared with; None after a mistake, which is then in the findings."""
    before = len(findings.problems)
    entry = _read_plot(node, findings)
    if not isinstance(entry, PlotEntry) or not isinstance(node, MappingNode):
        return None
    if not entry.panels:
        panel = _panel(node, entry, folder, findings)
        return None if panel is None or len(findings.problems) > before else PlotGold((panel,))
    beside = [key for key, _ in node.value if str(key.value) != "panels"]
    if beside:
        findings.add(beside[0], f'"{beside[0].value}" cannot be beside "panels"', "Write it in each of the panels.")
    panels = []
    for raw in entry.panels:
        one = _read_panel(raw.node, findings)
        if isinstance(one, PanelEntry):
            panels.append(_panel(raw.node, one, folder, findings))
    found = [panel for panel in panels if panel is not None]
    return PlotGold(tuple(found)) if len(findings.problems) == before else None


def _panel(node: Node, entry: PanelEntry, folder: Path, findings: Findings) -> PanelGold | None:
    before = len(findings.problems)
    types = _types(entry.type, findings)
    reference = _reference(entry.reference, findings)
    series = _series(node, entry, types, folder, findings)
    if len(findings.problems) == before and not series and "data" not in reference:
        findings.add(node, "a plot without series: nothing says which data it shows", NO_SERIES)
    if series and "data" in reference:
        findings.add(node, "the data is stated, and the reference is to say it too", "Keep one of the two.")
    if entry.order == "given" and any(not one.placed for one in series):
        findings.add(node, 'the order "given" needs series with x')
    if entry.order is not None and "order" in reference:
        findings.add(node, "the order is stated, and the reference is to say it too", "Keep one of the two.")
    panel = PanelGold(
        types,
        series,
        entry.order,
        _text(entry.title, findings),
        _text(entry.x_label, findings),
        _text(entry.y_label, findings),
        entry.x_scale,
        entry.y_scale,
        _range(entry.x_range, findings),
        _range(entry.y_range, findings),
        _legend(entry.legend, findings),
        entry.stacked,
        entry.horizontal,
        reference,
    )
    return panel if len(findings.problems) == before else None


def _words(raw: Raw, findings: Findings, what: str) -> list[ScalarNode]:
    """One word or a list of them."""
    parts = raw.node.value if isinstance(raw.node, SequenceNode) else [raw.node]
    if not parts or not all(isinstance(part, ScalarNode) and not is_empty(part) for part in parts):
        findings.add(raw.node, f"expected {what} here, or a list")
        return []
    return list(parts)


def _types(raw: Raw | None, findings: Findings) -> tuple[PlotType, ...]:
    found: list[PlotType] = []
    for node in [] if raw is None else _words(raw, findings, "the type of a plot"):
        if node.value in TYPES:
            found.append(cast("PlotType", node.value))
        else:
            hint = did_you_mean(str(node.value), TYPES) or f"Types: {', '.join(TYPES)}."
            findings.add(node, f'there is no type of plot "{node.value}"', hint)
    return tuple(found)


def _reference(raw: Raw | None, findings: Findings) -> tuple[Said, ...]:
    found: list[Said] = []
    for node in [] if raw is None else _words(raw, findings, "type, data or order"):
        if node.value in REFERENCE:
            found.append(cast("Said", node.value))
        else:
            hint = did_you_mean(str(node.value), REFERENCE) or f"It can say: {', '.join(REFERENCE)}."
            findings.add(node, f'the reference cannot say "{node.value}" of a plot', hint)
    return tuple(dict.fromkeys(found))


def _series(
    node: Node, entry: PanelEntry, types: tuple[PlotType, ...], folder: Path, findings: Findings
) -> tuple[SeriesGold, ...]:
    source = entry.table or entry.file
    if source is not None:
        if entry.table is not None and entry.file is not None:
            findings.add(entry.file.node, '"table" and "file" say the same here', "Keep one of the two.")
            return ()
        column = entry.series
        if column is not None and not isinstance(column.node, ScalarNode):
            findings.add(column.node, "expected the column that names the series here, beside a table")
            return ()
        by = str(column.node.value) if column is not None else ""
        return table_series(node, source.node, (entry.x, entry.y, by), folder, findings)
    for name in ("x", "y"):
        if getattr(entry, name):
            findings.add(node, f'"{name}" names a column of a table, and there is no table', NO_SERIES)
    if entry.series is None:
        return ()
    parts = entry.series.node.value if isinstance(entry.series.node, SequenceNode) else None
    if not parts:
        findings.add(entry.series.node, "expected a list of series here, at least one", NO_SERIES)
        return ()
    found = [read_series(part, types, findings) for part in parts]
    return tuple(series for series in found if series is not None)


def _text(raw: Raw | None, findings: Findings) -> TextGold | None:
    if raw is None:
        return None
    if isinstance(raw.node, MappingNode):
        keys = [str(key.value) for key, _ in raw.node.value]
        if keys != ["contains"]:
            findings.add(raw.node, "expected a text, a list of texts, or {contains: part} here")
            return None
        return TextGold(
            contains=tuple(str(part.value) for part in _words(Raw(raw.node.value[0][1]), findings, "a text"))
        )
    parts = raw.node.value if isinstance(raw.node, SequenceNode) else [raw.node]
    if not parts or not all(isinstance(part, ScalarNode) for part in parts):
        findings.add(raw.node, "expected a text, a list of texts, or {contains: part} here")
        return None
    return TextGold(equal=tuple(str(part.value) for part in parts))


def _range(raw: Raw | None, findings: Findings) -> tuple[float, float] | None:
    if raw is None:
        return None
    found = value_of(raw.node)
    if isinstance(found, list) and len(found) == 2:
        low, high = found
        if all(isinstance(end, int | float) and not isinstance(end, bool) for end in found) and low != high:
            return float(low), float(high)
    findings.add(raw.node, "expected a range here: [min, max]")
    return None


def _legend(raw: Raw | None, findings: Findings) -> tuple[str, ...] | bool | None:
    if raw is None:
        return None
    found = value_of(raw.node)
    if isinstance(found, bool):
        return found
    if isinstance(raw.node, SequenceNode) and all(isinstance(part, ScalarNode) for part in raw.node.value):
        return tuple(str(part.value) for part in raw.node.value)
    findings.add(raw.node, "expected the names in the legend here, or true or false")
    return None
