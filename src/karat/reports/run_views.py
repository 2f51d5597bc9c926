"""What a suite finds over all cases of a run, ready for a page: a matrix of expected and found, levels with their
figures and what was lost there, and what was given in the place of what. Read from the sheets of the suite's report."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.report import Cell, Chart, Sheet, Table, visible
from karat.reports.html.text import cut, quantity_words

MOST = 12
"""Rows and columns of a matrix that are drawn, and levels."""
FIRST = 8
"""Swaps that are shown."""
LONGEST = 80


class MatrixCell(msgspec.Struct, frozen=True):
    """A count; ``same``: row and column have one name, so it is as expected. ``shade``: 0…4, by its share of the
    row."""

    count: int
    same: bool
    shade: int


class Matrix(msgspec.Struct, frozen=True):
    """Counts by two names. A row ends with its sum and the share that is as expected, with its interval in words."""

    title: str
    note: str
    rows_are: str
    columns_are: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell, ...], int, str, str], ...]
    """(name, cells, sum, share, interval)."""
    share: str
    """What the share is called; empty: the table has none."""


class Level(msgspec.Struct, frozen=True):
    """One of several levels, with its figure in 0…1."""

    name: str
    mean: float | None
    low: float | None
    high: float | None
    figure: str
    """In words, with its interval."""
    counts: tuple[tuple[int, float], ...]
    """Each count, and its share of the largest in per cent."""
    more: str
    """``n 12 · candidates 3.5``."""


class Levels(msgspec.Struct, frozen=True):
    """Levels in their order."""

    title: str
    note: str
    figure: str
    counted: tuple[str, ...]
    rows: tuple[Level, ...]


class Swap(msgspec.Struct, frozen=True):
    """What was expected and what was given in its place."""

    expected: str
    expected_name: str
    given: str
    given_name: str
    often: str
    cases: int
    share: float
    """Of the most frequent of all, in per cent."""
    where: str
    """Its place, such as a dimension."""


class SwapTable(msgspec.Struct, frozen=True):
    """All of them. ``first``: the most frequent, whatever their place; ``by_place``: all, where these are not all."""

    title: str
    note: str
    where: str
    expected: str
    given: str
    often: str
    first: tuple[Swap, ...]
    by_place: tuple[tuple[str, tuple[Swap, ...]], ...]


class RunViews(msgspec.Struct, frozen=True):
    """What a page of a run draws."""

    matrices: tuple[Matrix, ...] = ()
    levels: tuple[Levels, ...] = ()
    swaps: tuple[SwapTable, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.matrices or self.levels or self.swaps)


def run_views(sheets: Sequence[Sheet]) -> RunViews:
    """From the sheets that a suite gives of a run (``Suite.run_sheets``)."""
    charts = [(sheet, chart) for sheet in sheets for chart in sheet.charts]
    return RunViews(
        tuple(_matrix(sheet.tables[chart.table], chart) for sheet, chart in charts if chart.kind == "matrix"),
        tuple(
            _levels(sheet, chart)
            for sheet, chart in charts
            if chart.kind == "bar" and chart.series[0].low is not None and chart.series[0].high is not None
        ),
        tuple(_swaps(table) for sheet in sheets for table in sheet.tables if table.look == "swaps" and table.rows),
    )


def _matrix(table: Table, chart: Chart) -> Matrix:
    columns = tuple(_words(series.title) for series in chart.series[:MOST])
    share = next((place for place, column in enumerate(table.columns) if column.kind == "score"), None)
    rows = []
    for row in table.rows[:MOST]:
        name = _words(row[0])
        counts = [_whole(row[series.y]) for series in chart.series[:MOST]]
        total = sum(_whole(row[series.y]) for series in chart.series)
        cells = tuple(
            MatrixCell(count, column == name, -(-4 * count // total) if total else 0)
            for column, count in zip(columns, counts, strict=True)
        )
        mean, ends = ("", "") if share is None else (_share(row[share]), _interval(table, row))
        rows.append((name, cells, total, mean, ends))
    called = "" if share is None else table.columns[share].title
    return Matrix(chart.title, table.note, chart.x_title, chart.y_title, columns, tuple(rows), called)


def _levels(sheet: Sheet, chart: Chart) -> Levels:
    table, figure = sheet.tables[chart.table], chart.series[0]
    counted = [one for one in sheet.charts if one.kind == "bar" and one.table == chart.table and one is not chart]
    places = [series.y for one in counted for series in one.series]
    rows = table.rows[figure.first : figure.last + 1][:MOST]
    most = [max([1, *(_whole(row[place]) for row in rows)]) for place in places]
    drawn = {0, figure.y, figure.low, figure.high, *places}
    others = [n for n, column in enumerate(table.columns) if n not in drawn and column.kind in ("count", "number")]
    found = []
    for row in rows:
        mean, low, high = (_value(row[place]) for place in (figure.y, figure.low or 0, figure.high or 0))
        more = " · ".join(f"{table.columns[n].title} {_number(row[n])}" for n in others if row[n] is not None)
        ends = "" if low is None or high is None else f" ({low:.3f} – {high:.3f})"
        counts = tuple((_whole(row[n]), 100 * _whole(row[n]) / top) for n, top in zip(places, most, strict=True))
        words = "n/a" if mean is None else f"{mean:.3f}{ends}"
        found.append(Level(_words(row[0]), mean, low, high, words, counts, more))
    names = tuple(series.title for one in counted for series in one.series)
    return Levels(table.title, table.note, figure.title, names, tuple(found))


def _swaps(table: Table) -> SwapTable:
    most = max(_value(row[5]) or 0.0 for row in table.rows) or 1.0
    rows = [_swap(row, most) for row in table.rows]
    first = tuple(sorted(rows, key=lambda row: -row.share)[:FIRST])  # stable: in the order of the table where equal
    places: dict[str, list[Swap]] = {}
    for row in rows:
        places.setdefault(row.where, []).append(row)
    by_place = tuple((where, tuple(own)) for where, own in places.items()) if len(rows) > FIRST else ()
    where, expected, _, given, _, often, _ = (column.title for column in table.columns)
    return SwapTable(table.title, table.note, where, expected, given, often, first, by_place)


def _swap(row: Sequence[Cell], most: float) -> Swap:
    expected, expected_name, given, given_name = (_words(cell) for cell in row[1:5])
    return Swap(
        expected,
        expected_name,
        given,
        given_name,
        _short(row[5]),
        _whole(row[6]),
        100 * (_value(row[5]) or 0.0) / most,
        _words(row[0]),
    )


def _interval(table: Table, row: Sequence[Cell]) -> str:
    ends = [_value(row[place]) for place, column in enumerate(table.columns) if column.title in ("low", "high")]
    return f"{ends[0]:.3f} – {ends[1]:.3f}" if len(ends) == 2 and None not in ends else ""


def _share(cell: Cell) -> str:
    return "n/a" if (value := _value(cell)) is None else f"{value:.3f}"


def _words(cell: Cell) -> str:
    return cut(visible("" if cell is None else str(cell)), LONGEST)


def _short(cell: Cell) -> str:
    """``6``, ``0.5``, ``3.33``."""
    return f"{_value(cell) or 0.0:,.2f}".rstrip("0").rstrip(".")


def _number(cell: Cell) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return quantity_words(cell) if isinstance(cell, float) else "n/a"


def _value(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None


def _whole(cell: Cell) -> int:
    return int(cell) if isinstance(cell, int | float) else 0
