"""The series of ``expected.plot``: written out, or as columns of a table or file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from yaml.nodes import Node

from karat.core.json_types import Json
from karat.core.problems import count_of, did_you_mean
from karat.core.yaml.structs import Findings, Raw, reader_for
from karat.suites.codegen.plots.dates import plain_date
from karat.suites.codegen.plots.records import PlotType, Point, SeriesGold, Value
from karat.suites.codegen.records import TableSource
from karat.suites.codegen.results.tables import file_table
from karat.suites.codegen.tasks.literal_values import value_of
from karat.suites.codegen.tasks.table_values import read_table
from karat.tables.table import TableError

BOX = "a box needs [q1, median, q3, lower whisker, upper whisker]"


class SeriesEntry(msgspec.Struct, frozen=True):
    """A series as it is in a file."""

    y: Raw
    name: str = ""
    x: Raw | None = None
    z: Raw | None = None
    """The rows of a heatmap's matrix."""


_read_entry = reader_for(SeriesEntry)


def read_series(node: Node, types: tuple[PlotType, ...], findings: Findings) -> SeriesGold | None:
    """One written series; None when there was a mistake, which is in the findings then."""
    before = len(findings.problems)
    entry = _read_entry(node, findings)
    if not isinstance(entry, SeriesEntry):
        return None
    y = _list(entry.y, findings)
    x = _list(entry.x, findings) if entry.x is not None else None
    if len(findings.problems) > before:
        return None
    points: Sequence[Point] | str
    if "heatmap" in types or entry.z is not None:
        points = _heatmap(x, y, value_of(entry.z.node) if entry.z is not None else None)
    elif "hist" in types and x is not None and len(x) == len(y) + 1:
        points = [(left, right, count) for left, right, count in zip(x, x[1:], y, strict=False)]
    elif types == ("hist",):
        points = f"a histogram of {len(y)} counts needs {len(y) + 1} edges under x"
    elif "box" in types:
        points = _boxes(x, y)
    elif any(isinstance(value, list) for value in y):
        points = "expected plain values under y"
    elif x is None:
        points = [(place, value) for place, value in enumerate(y)]
    elif len(x) != len(y):
        points = f"{count_of(len(x), 'value')} under x and {len(y)} under y: there must be as many"
    else:
        points = list(zip(x, y, strict=True))
    if isinstance(points, str):
        findings.add(node, points)
        return None
    if not points:
        findings.add(node, "a series without points")
        return None
    return SeriesGold(tuple(tuple(map(plain_date, point)) for point in points), entry.name, x is not None)


def _list(raw: Raw, findings: Findings) -> list[Json]:
    found = value_of(raw.node)
    if isinstance(found, list) and not any(isinstance(item, dict) for item in found):
        return found
    findings.add(raw.node, "expected a list of values here")
    return []


def _heatmap(x: list[Json] | None, y: list[Json], z: Json) -> list[Point] | str:
    if x is None or not isinstance(z, list):
        return "a heatmap needs x (its columns), y (its rows) and z (a list of rows)"
    if len(z) != len(y) or any(not isinstance(row, list) or len(row) != len(x) for row in z):
        return f"expected {count_of(len(y), 'row')} of {count_of(len(x), 'value')} under z"
    return [
        (column, row, value) for row, values in zip(y, z, strict=True) for column, value in zip(x, values, strict=True)
    ]


def _boxes(x: list[Json] | None, y: list[Json]) -> list[Point] | str:
    if any(not isinstance(five, list) or len(five) != 5 for five in y):
        return BOX
    names = x if x is not None else [""] * len(y)
    if len(names) != len(y):
        boxes = count_of(len(y), "box", "boxes")
        return f"{count_of(len(names), 'value')} under x and {boxes} under y: there must be as many"
    return [(name, *five) for name, five in zip(names, y, strict=True)]


def table_series(
    node: Node, source: Node, columns: tuple[str, str, str], folder: Path, findings: Findings
) -> tuple[SeriesGold, ...]:
    """The series in the columns of a table: x, y, and the one that names the series, if any."""
    x, y, by = columns
    if not x or not y:
        findings.add(node, "a table needs the names of its columns under x and y")
        return ()
    table = read_table(source, folder, findings)
    found = None if table is None else _columns(table, source, findings)
    if found is None:
        return ()
    for column in filter(None, columns):
        if column not in found:
            findings.add(source, f'the table has no column "{column}"', did_you_mean(column, found))
            return ()
    groups: dict[str, list[Point]] = {}
    names = found[by] if by else [""] * len(found[x])
    for name, left, value in zip(names, found[x], found[y], strict=True):
        groups.setdefault("" if name is None else str(name), []).append((plain_date(left), _number(value)))
    if not groups:
        findings.add(source, "the table has no rows")
    return tuple(SeriesGold(tuple(points), name) for name, points in groups.items())


def _columns(table: TableSource, node: Node, findings: Findings) -> dict[str, list[Value]] | None:
    if table.columns is not None:
        return dict(table.columns)
    try:
        read = file_table(table.path)
    except TableError as error:
        findings.add(node, str(error))
        return None
    return {name: list(read.texts(place)) for place, name in enumerate(read.names)}


def _number(value: Value) -> Value:
    """A number that a file holds as text."""
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        pass
    try:
        number = float(value)
    except ValueError:
        return value
    return number if number == number and abs(number) != float("inf") else None
