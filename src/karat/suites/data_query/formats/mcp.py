"""MCP tool results: ``structuredContent.queries[] {datasetUrn, filters[] {dimensionId, operator, values, isDefault}}``.

Keys that Karat does not know are left alone, unless they look like a misspelt one: ``value`` for ``values`` would read
as "nothing was selected".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from karat.core.files.shapes import shape_in_words
from karat.core.json_types import JsonMapping
from karat.core.suite import Unreadable
from karat.suites.data_query.formats.misspelt_keys import refuse_misspelt
from karat.suites.data_query.formats.operators import on_codes
from karat.suites.data_query.periods.filters import TIME_DIMENSION, common_period, period_of
from karat.suites.data_query.selection import DatasetSelection, Dimension, Selection, Term


class Value(msgspec.Struct, frozen=True):
    """A code in a filter. What else is said of it does not matter here."""

    id: str
    name: str = ""


class Filter(msgspec.Struct, frozen=True):
    """A condition on one dimension."""

    dimensionId: str
    operator: str = "in"
    values: tuple[Value | str, ...] = ()
    isDefault: bool = False


class Query(msgspec.Struct, frozen=True):
    """A query of one dataset."""

    datasetUrn: str
    filters: tuple[Filter, ...] = ()


def mcp_selection(content: JsonMapping, today: str = "") -> Selection:
    """The queries as a selection, an entry for each."""
    _refuse_misspelt_keys(content["queries"])
    try:
        queries = msgspec.convert(content["queries"], tuple[Query, ...])
    except msgspec.ValidationError as error:
        said = shape_in_words(error, "structuredContent.queries")
        raise Unreadable(f"structuredContent.queries cannot be read: {said}") from error
    return common_period([_entry(query, today) for query in queries])


def _entry(query: Query, today: str) -> DatasetSelection:
    dimensions = []
    times = []
    for item in query.filters:
        terms = tuple(Term(v) if isinstance(v, str) else Term(v.id, v.name) for v in item.values)
        if item.dimensionId == TIME_DIMENSION:
            times.append((item.operator, [term.id for term in terms]))
        elif (operator := on_codes(item.operator, item.dimensionId)) != "excluded":
            dimensions.append(Dimension(item.dimensionId, terms, operator, item.isDefault))
    return DatasetSelection(_dataset_of_urn(query.datasetUrn), tuple(dimensions), period_of(times, today))


def _refuse_misspelt_keys(queries: object) -> None:
    for query in _objects(queries):
        refuse_misspelt(query, Query.__struct_fields__, "a query")
        for item in _objects(query.get("filters")):
            refuse_misspelt(item, Filter.__struct_fields__, "a filter")
            for value in _objects(item.get("values")):
                refuse_misspelt(value, Value.__struct_fields__, "a value")


def _objects(items: object) -> Iterable[JsonMapping]:
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else ()


def _dataset_of_urn(urn: str) -> str:
    """``urn:sdmx:…Dataflow=IMF.RES:WEO(9.0.0)`` → ``IMF.RES:WEO(9.0.0)``; anything else as it is."""
    return urn.rpartition("=")[2] if urn.startswith("urn:") else urn
