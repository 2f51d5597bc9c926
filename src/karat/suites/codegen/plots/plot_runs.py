"""A run of a task that expects a plot: what its result is there, and as what it is compared on other tables.

The result of such code is what it drew, as a table of points: ``series`` (where the task names its series), ``x``,
``y``. So hidden tests, relations and changed copies of the tables work on plots as they do on tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.sandbox import Column, Limits, Outcome, Table
from karat.sandbox.messages.messages import NOTHING_SET
from karat.suites.codegen.plots.received_figures import figures_of
from karat.suites.codegen.plots.records import Figure, Panel, Series, Value
from karat.suites.codegen.plots.score import chosen
from karat.suites.codegen.records import Task

MOST_FIGURES = 20
COLUMNS = {
    "hist": ("left", "right", "count"),
    "box": ("x", "q1", "median", "q3", "low", "high"),
    "heatmap": ("x", "y", "value"),
}


def expects_plot(task: Task) -> bool:
    """Whether a task expects a plot."""
    return task.expected is not None and task.expected.plot is not None


def drawing_limits(task: Task, limits: Limits, *, pictures: bool) -> Limits:
    """The limits of a run whose figures are read, where a task expects a plot."""
    files = task.expected.files if task.expected is not None else None
    if not expects_plot(task) and not any(file.plot is not None for file in (files or {}).values()):
        return limits
    return msgspec.structs.replace(limits, figures=MOST_FIGURES, pictures=int(pictures))


def with_drawing(task: Task, outcome: Outcome) -> Outcome:
    """The outcome with the plot's points as its result. Code that only draws leaves nothing else."""
    gold = task.expected.plot if task.expected is not None else None
    nothing_set = outcome.status == "no_result" and outcome.detail == NOTHING_SET
    if gold is None or not (outcome.ok or nothing_set):
        return outcome
    panels, _, _ = chosen(figures_of(outcome.figures), len(gold.panels))
    table = points_table(panels, named=gold.named) if panels else None
    return msgspec.structs.replace(outcome, status="ok", detail="", result=table)


def drawn_table(task: Task, text: object) -> Table | None:
    """The points of figures that were sent as one JSON text, as those of a run on many tables are."""
    gold = task.expected.plot if task.expected is not None else None
    try:
        parts = msgspec.json.decode(str(text), type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return None
    if gold is None:
        return None
    panels, _, _ = chosen(figures_of([bytes(part) for part in parts[:MOST_FIGURES]]), len(gold.panels))
    return points_table(panels, named=gold.named) if panels else None


def points_table(panels: Sequence[Panel], *, named: bool) -> Table:
    """All points of these panels, in the order in which they are shown."""
    all_series = [(number, series) for number, panel in enumerate(panels, start=1) for series in panel.series]
    names = COLUMNS.get(all_series[0][1].type if all_series else "bar", ("x", "y"))
    rows: list[list[Value]] = []
    for number, series in all_series:
        head: list[Value] = [number] if len(panels) > 1 else []
        head += [series.name] if named else []
        rows += [[*head, *_fitting(point, len(names))] for point in series.points if _counts(series, point)]
    heads = (*(("panel",) if len(panels) > 1 else ()), *(("series",) if named else ()), *names)
    columns = tuple(Column(name, "", [row[place] for row in rows]) for place, name in enumerate(heads))
    return Table(len(rows), columns)


def _counts(series: Series, point: Sequence[Value]) -> bool:
    """A bar of nothing is no point."""
    return point[-1] is not None and not (series.type in ("bar", "hist") and point[-1] == 0)


def _fitting(point: Sequence[Value], width: int) -> list[Value]:
    return [*point[:width], *([None] * (width - len(point)))]


def unread(figures: Sequence[Figure]) -> str:
    """Why the figure that would be judged cannot be read; empty when it can, or there is none."""
    last = next((figure for figure in reversed(figures) if figure.answer), figures[-1] if figures else None)
    return last.problem if last is not None else ""
