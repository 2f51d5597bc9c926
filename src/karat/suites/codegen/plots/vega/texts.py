"""Layers of text in Vega-Lite: they must say what the marks at their places show."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import Json
from karat.sandbox.server.figures.said_fields import are_proportional, are_shares, fields_problem
from karat.sandbox.server.figures.said_numbers import Label, Shown, claims, marks_of, other_values
from karat.suites.codegen.plots.records import Series, Value
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.channels import drawn_value
from karat.suites.codegen.plots.vega.marks import Unit
from karat.suites.codegen.plots.vega.values import Row

READ = ("bar", "line", "step", "area", "hist")


def check_texts(units: Sequence[Unit], encodings: Sequence[Json], series: Sequence[Series]) -> None:
    """Raise CannotRead for a text that says another number than the mark at its place."""
    shown = [
        Shown(point[0], number, float(point[-1]), float(point[-1]))
        for number, one in enumerate(series)
        if one.type in READ
        for point in one.points
        if isinstance(point[-1], int | float)
    ]
    marks = marks_of(shown)
    names = [str(one.place) for one in shown if isinstance(one.place, str)] + [one.name for one in series]
    labels: list[Label] = []
    for unit, encoding in zip(units, encodings, strict=True):
        if unit.kind != "text":
            continue
        for row in unit.rows[:3000]:
            text = _text(unit, encoding, row)
            if not text:
                continue
            values = [drawn_value(row, channel) for channel in (unit.x, unit.y) if channel is not None]
            there = [at for at, one in enumerate(shown) if one.place in values]
            same = [at for at in there if any(_number(value) == shown[at].value for value in values)]
            labels.append(Label(text, tuple(marks[at] for at in same or there)))
        _fields(unit, encoding, series)
        _wedges(unit, encoding)
    wrong = other_values(labels, names=names)
    if wrong:
        raise CannotRead(f'a text says "{wrong[:40]}" at a mark that shows another number')


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _text(unit: Unit, encoding: Json, row: Row) -> str:
    """What is written for a row: a field, or one text for all."""
    channel = unit.channels.get("text")
    if channel is not None:
        value = drawn_value(row, channel)
    else:
        stated = encoding.get("text") if isinstance(encoding, dict) else None
        part = stated if isinstance(stated, dict) else {}
        found = part.get("value", part.get("datum", unit.mark.get("text")))
        value = found if isinstance(found, str | int | float) else None
    return f"{value:.9g}" if isinstance(value, float) else "" if value is None else str(value)


def _fields(unit: Unit, encoding: Json, series: Sequence[Series]) -> None:
    heat = [point for one in series if one.type == "heatmap" for point in one.points]
    fields = [(place, row, float(value)) for place, row, value in heat if isinstance(value, int | float)]
    if not fields or unit.x is None or unit.y is None:
        return
    said = []
    for row in unit.rows:
        at = drawn_value(row, unit.x), drawn_value(row, unit.y)
        field = next((one for one in fields if one[:2] == at), None)
        if field is not None:
            said.append((claims(_text(unit, encoding, row)), field))
    wrong = fields_problem(said, fields)
    if wrong:
        raise CannotRead(f'a text says "{wrong[:40]}" at a field that shows another number')


def _wedges(unit: Unit, encoding: Json) -> None:
    theta = unit.channels.get("theta")
    if theta is None:
        return
    names = {
        str(drawn_value(row, one)).casefold()
        for row in unit.rows
        for one in unit.channels.values()
        if one.name in ("color", "fill", "detail")
    }
    sizes = [(row, float(value)) for row in unit.rows if isinstance(value := drawn_value(row, theta), int | float)]
    total = sum(size for _, size in sizes)
    said = [
        (claim, size / total) for row, size in sizes if total for claim in claims(_text(unit, encoding, row), names)
    ]
    shares, others = [one for one in said if "%" in one[0]], [one for one in said if "%" not in one[0]]
    if not are_shares(shares) or not (are_proportional(others) or are_shares(others)):
        raise CannotRead("a text says another number than its wedge")
