"""VisEval and nvBench: questions in words about small databases, each answered by one chart.

``vis_obj`` says the data of the chart, ``chart`` its type, ``sort`` the order where one is asked for; the tables of a
database are the CSV files in ``databases/DB_ID/``. Each question of an entry is a case of its own: ``ID``, or ``ID/N``
where there are several. A chart of several series is a series for each name in ``classify``.
"""

from __future__ import annotations

from pathlib import PurePath

import msgspec

from karat.core.json_types import Json
from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours, inputs_of
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.plots.records import Order, PanelGold, PlotGold, PlotType, Point, SeriesGold
from karat.suites.codegen.question.default_prompt import WRITE
from karat.suites.codegen.records import Expected, Task

KEYS = frozenset({"id", "vis_obj", "nl_queries", "db_id", "chart"})
NAME = "VisEval"
TIMEOUT = 60.0
CHARTS: dict[str, PlotType] = {
    "bar": "bar",
    "stacked bar": "bar",
    "pie": "pie",
    "line": "line",
    "grouping line": "line",
    "scatter": "scatter",
    "grouping scatter": "scatter",
}


class _Sort(msgspec.Struct, frozen=True):
    channel: str = ""
    order: str | list[Json] = ""
    """``ascending``, ``descending``, or the values of the channel in the order that is asked for."""


class _Shown(msgspec.Struct, frozen=True):
    x_data: list[list[Json]]
    y_data: list[list[Json]]
    classify: list[Json] = []
    sort: _Sort | None = None


class _Meta(msgspec.Struct, frozen=True):
    stacked_bar: bool | None = None
    """Whether the question asks for stacked bars; else bars beside each other are as right."""


class _Row(msgspec.Struct, frozen=True):
    id: str
    chart: str
    db_id: str
    vis_obj: _Shown
    nl_queries: list[str]
    hardness: str = ""
    query_meta: list[_Meta] = []


def read(told: _Row, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """A case for each question of an entry, or why it cannot be asked."""
    kind, series = CHARTS.get(told.chart.strip().lower()), _series(told.vis_obj)
    if kind is None or series is None:
        return [LeftOut(NAME, told.id, f"a chart of type {told.chart} with this form of data is not known")]
    folder = beside.folder("databases")
    files = [] if folder is None else sorted((folder / PurePath(told.db_id).name).glob("*.csv"))
    if not files:
        return [LeftOut(NAME, told.id, "its database is not here (databases/DB_ID/*.csv)")]
    tables, _ = inputs_of(files)
    series, order = _ordered(series, told.vis_obj.sort)
    names = ", ".join(tables)
    found: list[Case[Task] | Problem | LeftOut] = []
    for number, question in enumerate(told.nl_queries, start=1):
        meta = told.query_meta[number - 1] if number <= len(told.query_meta) else _Meta()
        panel = PanelGold(type=(kind,), series=series, order=order, stacked=meta.stacked_bar or None)
        task = Task(tables=tables, expected=Expected(plot=PlotGold((panel,))), timeout=TIMEOUT)
        turns: tuple[Turn[Task], ...] = (
            Turn(role="system", content=f"Draw one chart. These tables are there as data frames: {names}.\n\n{WRITE}"),
            Turn(role="user", content=question, target=task),
        )
        name = told.id if len(told.nl_queries) == 1 else f"{told.id}/{number}"
        tags = tuple(tag for tag in (told.chart, told.hardness) if tag)
        found.append(Case(name, turns, tags=tags, source=source))
    return found


def _series(shown: _Shown) -> tuple[SeriesGold, ...] | None:
    """The data of the chart; None where it does not have one x for each y."""
    names = [str(name) for name in shown.classify]
    places = shown.x_data * len(shown.y_data) if len(shown.x_data) == 1 else shown.x_data
    if len(places) != len(shown.y_data) or not shown.y_data or (names and len(names) != len(shown.y_data)):
        return None
    if any(len(xs) != len(ys) for xs, ys in zip(places, shown.y_data, strict=True)):
        return None
    found = []
    for number, (xs, ys) in enumerate(zip(places, shown.y_data, strict=True)):
        points: list[Point] = [(_plain(x), _plain(y)) for x, y in zip(xs, ys, strict=True)]
        found.append(SeriesGold(tuple(points), names[number] if names else ""))
    return tuple(found)


def _plain(value: Json) -> str | int | float | None:
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _ordered(series: tuple[SeriesGold, ...], sort: _Sort | None) -> tuple[tuple[SeriesGold, ...], Order | None]:
    """The order that is asked for: by value, by the category, or, where the categories go down or are listed, that of
    the points, which are put in that order."""
    if sort is None or not sort.order:
        return series, None
    down = isinstance(sort.order, str) and sort.order.lower().startswith("desc")
    if sort.channel.lower() != "x":
        return series, None if isinstance(sort.order, list) else "descending" if down else "ascending"
    if isinstance(sort.order, str) and not down:
        return series, "x"
    names = {point[0] for one in series for point in one.points}
    if not all(isinstance(name, str) for name in names):
        return series, None
    wanted = [str(_plain(name)) for name in sort.order] if isinstance(sort.order, list) else sorted(map(str, names))
    places = {name: place for place, name in enumerate(wanted if isinstance(sort.order, list) else reversed(wanted))}
    if not {str(name) for name in names} <= set(places):
        return series, None
    turned = [
        msgspec.structs.replace(one, points=tuple(sorted(one.points, key=lambda point: places[str(point[0])])))
        for one in series
    ]
    return tuple(turned), "given"


SET = PublishedSet("an entry of VisEval", KEYS, _Row, read)
