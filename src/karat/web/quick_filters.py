"""Filters at one click: by status, by what is not fully right, by reason, by slowness, by review, by what people
saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.store import RunRow
from karat.web.figures import Figure, headline
from karat.web.filters import Filters
from karat.web.formatting import STATES
from karat.web.page import Viewer

REASONS = 8
SLOW = 0.1
"""The share of cases that counts as slow."""


class Chip(msgspec.Struct, frozen=True):
    """A filter to click; ``on``: it is on, and a click takes it off."""

    text: str
    link: str
    on: bool
    count: int | None = None


def quick_filters(
    viewer: Viewer, row: RunRow, figures: Sequence[Figure], filters: Filters, base: str, states: Mapping[str, int]
) -> list[tuple[str, list[Chip]]]:
    """(what they filter by, the chips), without groups that have none."""
    scoring = row.scoring or 0

    def chip(text: str, count: int | None = None, **wanted: object) -> Chip:
        on = filters.is_on(**wanted)
        changed = dict.fromkeys(wanted) if on else wanted
        return Chip(text, filters.link(base, **changed), on, count)

    reasons = viewer.kept_small(("reasons", scoring), lambda: viewer.viewing.reasons(scoring, REASONS))
    not_full = [
        chip(f"{item.title} below 1", **_not_full(item)) for item in headline(figures) if item.kind != "quantity"
    ]
    slow = [
        chip(f"slowest tenth: {seconds:.3g} s and more", **wanted)
        for seconds, wanted in _slow(viewer, scoring, figures)
    ]
    groups = [
        ("Status", [chip(STATES.get(word, word), number, status=word) for word, number in states.items()]),
        ("Metric", [*not_full, *slow]),
        ("Reason", [chip(reason, number, reason=reason) for reason, number in reasons]),
        ("Review", [chip("waiting", review="open"), chip("reviewed", review="done")]),
        ("Set", [chip(item.name, item.cases, set=item.name) for item in viewer.viewing.sets(row.suite)]),
    ]
    return [(name, chips) for name, chips in groups if chips]


def _not_full(item: Figure) -> JsonObject:
    """Below 1, or above 0 where less is better, whatever rounding does."""
    bounds = {"min": "", "max": "0.999999"} if item.higher_is_better else {"min": "0.000001", "max": ""}
    return {"metric": item.name, **bounds}


def _slow(viewer: Viewer, scoring: int, figures: Sequence[Figure]) -> list[tuple[float, JsonObject]]:
    found = next((item for item in figures if item.name == "latency"), None)
    if found is None:
        return []
    index, place = found.index, max(0, int(found.summary.n * SLOW) - 1)
    seconds = viewer.kept_small(("slow", scoring), lambda: viewer.viewing.upper(scoring, index, place))
    return (
        []
        if seconds is None
        else [(seconds, {"metric": "latency", "min": repr(seconds), "max": "", "sort": "-latency"})]
    )
