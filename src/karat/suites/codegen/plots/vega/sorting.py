"""The order of categories on an axis of Vega-Lite: by name unless the channel says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import Json
from karat.suites.codegen.plots.plotly.arrays import value_of
from karat.suites.codegen.plots.records import Value
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.channels import Channel, drawn_value
from karat.suites.codegen.plots.vega.transforms import reduced
from karat.suites.codegen.plots.vega.values import Row, field_of


def domain(rows: Sequence[Row], channel: Channel, channels: dict[str, Channel], raw: Sequence[Row]) -> list[Value]:
    """The categories that a channel shows, in their order."""
    names = list(dict.fromkeys(drawn_value(row, channel) for row in rows))
    stated = channel.scale.get("domain")
    sort: Json = channel.stated.get("sort", "ascending")
    if isinstance(stated, list) and channel.discrete:
        order = [value_of(name) for name in stated]
    elif isinstance(sort, list):
        order = [value_of(name) for name in sort]
    elif sort is None:
        order = names
    elif isinstance(sort, dict):
        order = _by_object(names, rows, channel, channels, raw, sort)
    else:
        order = _by_word(names, rows, channel, channels, str(sort))
    order = [name for name in order if name in names] + [name for name in names if name not in order]
    return order[::-1] if channel.scale.get("reverse") is True else order


def _by_word(
    names: list[Value], rows: Sequence[Row], channel: Channel, channels: dict[str, Channel], sort: str
) -> list[Value]:
    if sort in ("ascending", "descending"):
        keys = _natural(rows, channel)
        return sorted(names, key=lambda name: keys[name], reverse=sort == "descending")
    other = channels.get(sort.removeprefix("-"))
    if other is None:
        raise CannotRead(f'the order "{sort[:40]}"')
    return _by_sum(names, rows, channel, other, descending=sort.startswith("-"))


def _by_sum(
    names: list[Value], rows: Sequence[Row], channel: Channel, other: Channel, *, descending: bool
) -> list[Value]:
    sums = dict.fromkeys(names, 0.0)
    for row in rows:
        value = row.get(other.key)
        sums[drawn_value(row, channel)] += value if isinstance(value, int | float) else 0.0
    return sorted(names, key=lambda name: -sums[name] if descending else sums[name])


def _by_object(
    names: list[Value],
    rows: Sequence[Row],
    channel: Channel,
    channels: dict[str, Channel],
    raw: Sequence[Row],
    sort: dict[str, Json],
) -> list[Value]:
    descending = sort.get("order") == "descending"
    if isinstance(sort.get("encoding"), str):
        word = f"-{sort['encoding']}" if descending else str(sort["encoding"])
        return _by_word(names, rows, channel, channels, word)
    field, op = sort.get("field"), str(sort.get("op") or "min")
    if not isinstance(field, str) and op != "count":
        raise CannotRead("an order by nothing")
    groups: dict[Value, list[Json]] = {name: [] for name in names}
    for row in raw:
        name = value_of(field_of(row, channel.field))
        if name in groups:
            groups[name].append(field_of(row, str(field)) if field else 1)
    keys = {name: reduced(op, values) for name, values in groups.items()}
    return sorted(names, key=lambda name: _number(keys[name]), reverse=descending)


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _natural(rows: Sequence[Row], channel: Channel) -> dict[Value, tuple[float, str]]:
    """Numbers by size, months by the calendar, texts by their letters."""
    found: dict[Value, tuple[float, str]] = {}
    for row in rows:
        name = drawn_value(row, channel)
        placed, edges = row.get(f"{channel.key} sorted"), row.get(channel.key)
        if isinstance(placed, int | float):
            found[name] = (float(placed), "")
        elif isinstance(edges, tuple):
            found[name] = (float(edges[0]), "")
        else:
            found[name] = (float(name), "") if isinstance(name, int | float) else (0.0, str(name))
    return found
