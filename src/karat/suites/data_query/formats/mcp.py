"""MCP tool results: ``structuredContent.queries[] {datasetUrn, filters[] {dimensionId, operator, values, isDefault}}``.

Keys that Karat does not know are left alone, unless they look like a misspelt one: ``value`` for ``values`` would read
as "nothing was selected".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import JsonMapping
from karat.core.suite import Unreadable
from karat.suites.data_query.formats.misspelt_keys import (
    CONDITIONS,
    NEGATIONS,
    refuse_lost_conditions,
    refuse_misspelt,
    refuse_other_joints,
    refuse_switched_off,
)
from karat.suites.data_query.formats.operators import meaning, on_codes
from karat.suites.data_query.periods.filters import common_period, is_time, period_of
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Selection, Term, short_dataset


class Value(msgspec.Struct, frozen=True):
    """A code in a filter. What else is said of it does not matter here. ``null`` is as good as left out."""

    id: str
    name: str | None = ""


class Filter(msgspec.Struct, frozen=True):
    """A condition on one dimension."""

    dimensionId: str
    operator: str | None = "in"
    values: tuple[Value | str, ...] | None = ()
    """None is allowed where an operator needs none: in a list it would be read as "nothing selected"."""
    isDefault: bool | None = False


class Query(msgspec.Struct, frozen=True):
    """A query of one dataset."""

    datasetUrn: str
    filters: tuple[Filter, ...] = ()


def mcp_selection(content: JsonMapping, today: str = "") -> Selection:
    """The queries as a selection, an entry for each."""
    refuse_misspelt_queries(content["queries"])
    try:
        queries = msgspec.convert(content["queries"], tuple[Query, ...])
    except msgspec.ValidationError as error:
        said = shape_in_words(error, "structuredContent.queries")
        raise Unreadable(f"structuredContent.queries cannot be read: {said}") from error
    return common_period([_entry(query, today) for query in queries])


def _entry(query: Query, today: str) -> DatasetSelection:
    dimensions: dict[str, Dimension] = {}
    times = []
    for item in query.filters:
        name = item.dimensionId
        given = item.operator or "in"
        if item.values is None and meaning(given) not in ("all", "excluded"):
            raise Unreadable(f"the filter on {name} has no values: they are null")
        terms = tuple(Term(v) if isinstance(v, str) else Term(v.id, v.name or "") for v in item.values or ())
        if is_time(name):
            times.append((given, [term.id for term in terms]))
        elif (operator := on_codes(given, name)) != "excluded":
            one = Dimension(name, terms, operator, item.isDefault or False)
            dimensions[name] = _both(dimensions[name], one) if name in dimensions else one
    return DatasetSelection(short_dataset(query.datasetUrn), tuple(dimensions.values()), period_of(times, today))


def _both(left: Dimension, right: Dimension) -> Dimension:
    """What passes two filters on one dimension: the filters of a query intersect."""
    if not left.values or left.everything:
        return right
    if not right.values or right.everything:
        return left
    default = left.is_default and right.is_default
    if left.operator == right.operator == "not_in":
        both = tuple(dict.fromkeys((*left.values, *right.values)))
        return Dimension(left.dimension_name, both, "not_in", default)
    kept, other = (left, right) if left.operator == "in" else (right, left)
    ids = {term.id for term in other.values}
    values = tuple(term for term in kept.values if (term.id in ids) == (other.operator == "in"))
    if not values:
        raise Unreadable(f"no code passes the filters on {left.dimension_name} of one query")
    return Dimension(left.dimension_name, values, "in", default)


def refuse_misspelt_queries(queries: object) -> None:
    """Raise Unreadable for a key of a query that is nearly one we know, or that would cut it further."""
    for query in _objects(queries):
        refuse_misspelt(query, Query.__struct_fields__, "a query")
        refuse_other_joints(query, "a query")
        refuse_switched_off(query, "a query")
        refuse_lost_conditions(query, CONDITIONS, "a query", "Write it as a filter, a period as one on TIME_PERIOD.")
        for item in _objects(query.get("filters")):
            refuse_misspelt(item, Filter.__struct_fields__, "a filter")
            refuse_switched_off(item, "a filter")
            refuse_lost_conditions(item, NEGATIONS, "a filter", 'Write it as "operator": "not_in".')
            for value in _objects(item.get("values")):
                refuse_misspelt(value, Value.__struct_fields__, "a value")
                refuse_switched_off(value, "a value")


def _objects(items: object) -> Iterable[JsonMapping]:
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else ()
