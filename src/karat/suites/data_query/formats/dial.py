"""DIAL chat completions as StatGPT answers them: ``custom_content.state.tool_messages[]``, each tool with the state it
left.

A tool that selects says so in ``dimension_id_to_name``, also when it selects nothing (``{}``). A completion in which no
tool does says nothing about a selection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from karat.core.json_types import JsonMapping
from karat.core.suite import Unreadable
from karat.suites.data_query.formats.misspelt_keys import refuse_misspelt
from karat.suites.data_query.periods.filters import is_time, with_period
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Period, Selection, Term

SELECTED = "dimension_id_to_name"
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def dial_states(custom_content: JsonMapping) -> list[JsonMapping]:
    """The states of the tools, if one of them says what was selected; else none."""
    states = _states(custom_content)
    return states if any(SELECTED in state for state in states) else []


def refuse_misspelt_states(custom_content: JsonMapping) -> None:
    """Raise Unreadable where a tool says what was selected under a key that is nearly the one we know."""
    for state in _states(custom_content):
        refuse_misspelt(state, (SELECTED,), "the state of a tool")


def _states(custom_content: JsonMapping) -> list[JsonMapping]:
    tools = _mapping(custom_content, "state").get("tool_messages")
    return [_mapping(_mapping(tool, "custom_content"), "state") for tool in tools] if isinstance(tools, list) else []


def dial_selection(states: Iterable[JsonMapping], today: str = "") -> Selection:
    """What all tools together selected. Terms of the time dimension are the period where no tool states one."""
    parts: list[DatasetSelection] = []
    periods: set[Period] = set()
    for state in states:
        names = _mapping(state, "indexed_datasets_id_map")
        here: list[tuple[str, tuple[Dimension, ...]]] = []
        selected = state.get(SELECTED)
        if selected is not None and not isinstance(selected, Mapping):
            raise Unreadable(f"{SELECTED} is {_kind(selected)}, not an object")
        for key, dimensions in (selected or {}).items():
            if not isinstance(dimensions, Mapping):
                raise Unreadable(f'{SELECTED}["{key}"] is {_kind(dimensions)}, not an object')
            if key not in names and _UUID.fullmatch(str(key)):
                raise Unreadable(f'indexed_datasets_id_map does not say which dataset "{key}" is')
            here.append((str(names.get(key, key)), tuple(_dimensions(dimensions))))
        when = _mapping(state, "date_time_query_response")
        own = None
        if when.get("start") or when.get("end"):
            own = Period(_text(when.get("start")), _text(when.get("end")))
            periods.add(own)
        parts.extend(DatasetSelection(dataset, dimensions, own) for dataset, dimensions in here)
    if periods:
        parts = [_without_time(part) for part in parts]
    if len(periods) == 1:  # one tool may find the period and another the terms
        parts = [DatasetSelection(part.dataset_id, part.dimensions) for part in parts]
        return Selection(tuple(parts), period=periods.pop())
    return with_period(Selection(tuple(parts)), today)


def _without_time(part: DatasetSelection) -> DatasetSelection:
    others = tuple(one for one in part.dimensions if not is_time(one.dimension_name))
    return DatasetSelection(part.dataset_id, others, part.period)


def _dimensions(dimensions: JsonMapping) -> Iterable[Dimension]:
    for name, terms in dimensions.items():
        if not isinstance(terms, Mapping):
            raise Unreadable(f'the terms of dimension "{name}" are {_kind(terms)}, not an object of id: name')
        yield Dimension(name, tuple(Term(str(code), _text(label) or "") for code, label in terms.items()))


def _mapping(holder: object, key: str) -> JsonMapping:
    value = holder.get(key) if isinstance(holder, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str | None:
    return None if value is None or value == "" else str(value)


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", bool: "a boolean", type(None): "null"}.get(type(value), "a number")
