"""Full Vega: marks over data that is written out. What has transforms or signals cannot be read."""

from __future__ import annotations

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.records import Panel, PlotType, Point, Series
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.channels import title_text
from karat.suites.codegen.plots.vega.values import Row, field_of, rows_of, shown

MARKS: dict[str, PlotType] = {"rect": "bar", "line": "line", "area": "area", "symbol": "scatter"}


def read_full(spec: JsonMapping) -> tuple[tuple[Panel, ...], str]:
    """One panel of the marks at the top."""
    sets = _data(spec.get("data"))
    series: list[Series] = []
    for mark in _objects(spec.get("marks")):
        series += _mark(mark, sets)
    if not series:
        raise CannotRead("no mark with data that is written out")
    axes = {str(axis.get("orient")): title_text(axis.get("title")) for axis in _objects(spec.get("axes"))}
    scales = {str(scale.get("name")): str(scale.get("type", "linear")) for scale in _objects(spec.get("scales"))}
    kinds = [scales.get(name, "linear") for name in ("x", "y")]
    x_scale, y_scale = (kind if kind in ("log", "symlog") else "linear" for kind in kinds)
    panel = Panel(
        tuple(series),
        title_text(spec.get("title")),
        axes.get("bottom", ""),
        axes.get("left", ""),
        x_scale=x_scale,
        y_scale=y_scale,
    )
    return (panel,), ""


def _objects(found: Json) -> list[JsonMapping]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _data(found: Json) -> dict[str, list[Row]]:
    sets: dict[str, list[Row]] = {}
    for one in _objects(found):
        if one.get("transform") or "source" in one:
            raise CannotRead("data that is computed where it is shown")
        sets[str(one.get("name"))] = rows_of(one, {})
    return sets


def _mark(mark: JsonMapping, sets: dict[str, list[Row]]) -> list[Series]:
    if mark.get("type") in ("text", "rule"):
        return []
    kind = MARKS.get(str(mark.get("type")))
    source = mark.get("from")
    rows = sets.get(str(source.get("data"))) if isinstance(source, dict) else None
    if kind is None or rows is None:
        raise CannotRead(f'the mark "{str(mark.get("type"))[:40]}", or its data')
    fields, flat = _fields(mark.get("encode"))
    first, second = (fields.get(name) for name in (("y", "x") if flat else ("x", "y")))
    if first is None or second is None:
        raise CannotRead("a mark whose x or y is no field")
    split = fields.get("fill") or fields.get("stroke")
    groups: dict[str, list[Point]] = {}
    for row in rows:
        name = str(field_of(row, split)) if split else ""
        groups.setdefault(name, []).append((shown(field_of(row, first), ""), shown(field_of(row, second), "")))
    return [Series(kind, tuple(group), name, flat and kind == "bar") for name, group in groups.items()]


def _fields(encode: Json) -> tuple[dict[str, str], bool]:
    """Which field is where, and whether the height of a mark is a band of a scale: then bars lie."""
    fields: dict[str, str] = {}
    flat = False
    for part in ("enter", "update"):
        stated = encode.get(part) if isinstance(encode, dict) else None
        for name, value in (stated if isinstance(stated, dict) else {}).items():
            if isinstance(value, dict):
                if isinstance(value.get("field"), str):
                    fields.setdefault(name, value["field"])
                flat = flat or (name == "height" and "band" in value)
    return fields, flat
