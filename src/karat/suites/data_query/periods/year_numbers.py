"""Years that an answer gives as JSON numbers: ``{"start": 2015}`` is the year 2015, as ``"2015"`` is.

Only a whole number of four digits, in the place of a period: any other number there stays a mistake, and so does a
number in the place of a code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.suites.data_query.periods.filters import is_time

Changing = Callable[[JsonObject], None]


def with_years(value: JsonMapping) -> JsonMapping:
    """An answer in any of the forms, its years as texts."""
    found: JsonObject = dict(value)
    _in_period(found, "period")
    _each(found, "indicator_selection", _entry)
    _each(found, "queries", _query)
    if isinstance(content := found.get("structuredContent"), Mapping):
        found["structuredContent"] = with_years(content)
    return found


def year_as_text(value: Json) -> Json:
    """``2015`` as ``"2015"``; anything else as it is."""
    is_year = isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 9999
    return str(value) if is_year else value


def _entry(entry: JsonObject) -> None:
    _in_period(entry, "period")
    _each(entry, "dimensions", lambda one: _of_time(one, "dimension_name"))


def _query(query: JsonObject) -> None:
    _each(query, "filters", lambda one: _of_time(one, "dimensionId"))


def _in_period(found: JsonObject, key: str) -> None:
    if isinstance(period := found.get(key), Mapping):
        found[key] = copy = dict(period)
        _span(copy)


def _span(span: JsonObject) -> None:
    span.update({end: year_as_text(span[end]) for end in ("start", "end") if end in span})
    _each(span, "also", _span)


def _of_time(one: JsonObject, key: str) -> None:
    """Values are objects with an id; in a filter of MCP also the id alone."""
    name, values = one.get(key), one.get("values")
    if isinstance(name, str) and is_time(name) and isinstance(values, list):
        one["values"] = [
            {**value, "id": year_as_text(value["id"])}
            if isinstance(value, Mapping) and "id" in value
            else year_as_text(value)
            if key == "dimensionId"
            else value
            for value in values
        ]


def _each(found: JsonObject, key: str, change: Changing) -> None:
    """Changes a copy of every object in a list."""
    if isinstance(items := found.get(key), list):
        copies = [dict(item) if isinstance(item, Mapping) else item for item in items]
        for item in copies:
            if isinstance(item, dict):
                change(item)
        found[key] = copies
