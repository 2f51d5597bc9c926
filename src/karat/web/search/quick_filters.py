"""Filters at one click, each with its number of cases: by outcome, by what changed, by slowness, by review, by set; and
the less frequent ones, by reason and by figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.store import RunRow, run_name
from karat.store.cases.case_pages import CaseQuery
from karat.store.verdicts.judged_cases import JUDGED
from karat.web.compare.changed_verdicts import Newly
from karat.web.formatting import STATES
from karat.web.page import Viewer
from karat.web.run_page.figures import Figure, headline, main_figure
from karat.web.run_page.where_it_fails import Tally
from karat.web.search.filters import Filters

REASONS = 8
SLOW = 0.1
"""The share of cases that counts as slow."""


class Chip(msgspec.Struct, frozen=True):
    """A filter to click; ``on``: it is on, and a click takes it off."""

    text: str
    link: str
    on: bool
    count: int | None = None


class Quick(msgspec.Struct, frozen=True):
    """The chips that are shown at once, and those behind a fold."""

    near: list[Chip]
    more: list[Chip]


def quick_filters(
    viewer: Viewer,
    row: RunRow,
    figures: Sequence[Figure],
    filters: Filters,
    base: str,
    states: Mapping[str, int],
    tally: Tally,
    changed: tuple[RunRow | None, Newly],
) -> Quick:
    """A chip that would find nothing is left out, unless it is on."""
    scoring, main = row.scoring or 0, main_figure(figures)

    def chip(text: str, count: int | None = None, **wanted: object) -> Chip:
        on = filters.is_on(**wanted)
        changed = dict.fromkeys(wanted) if on else wanted
        return Chip(text, filters.link(base, **changed), on, count)

    def waiting(word: str) -> int:
        return viewer.viewing.count(row.id, scoring, CaseQuery(review=word))

    near = [Chip("all", base, not filters.narrows, sum(states.values()))]
    if main is not None and main.kind != "quantity":
        near.append(chip("wrong", tally.wrong, **_not_full(main)))
    near += _changed(chip, *changed)
    near += [chip(STATES.get(word, word), number, status=word) for word, number in states.items() if word != "scored"]
    near += _slow(viewer, scoring, figures, chip)
    near.append(chip("waiting for review", waiting("open"), review="open"))
    near.append(chip("reviewed", waiting("done"), review="done"))
    near += _judged(viewer, row, chip)
    near += [chip(item.name, item.cases, set=item.name) for item in viewer.viewing.sets(row.suite)]
    reasons = viewer.kept_small(("reasons", scoring), lambda: viewer.viewing.reasons(scoring, REASONS))
    more = [chip(reason, number, reason=reason) for reason, number in reasons]
    more += [
        chip(f"{item.title} below 1" if item.higher_is_better else f"{item.title} above 0", **_not_full(item))
        for item in headline(figures)
        if item.kind != "quantity" and item is not main
    ]
    more += [chip(STATES["scored"], states[word], status=word) for word in states if word == "scored"]
    return Quick([item for item in near if item.count or item.on], more)


def _changed(chip: Callable[..., Chip], base: RunRow | None, found: Newly) -> list[Chip]:
    if base is None:
        return []
    against = run_name(base.id)
    return [
        chip("newly wrong", len(found.wrong), change="newly_wrong", against=against),
        chip("newly right", len(found.right), change="newly_right", against=against),
    ]


def _judged(viewer: Viewer, row: RunRow, chip: Callable[..., Chip]) -> list[Chip]:
    """By what the newest judge says, where one was asked."""
    counts = Counter(word for words in viewer.viewing.judged(row.id).values() for word in words)
    return [chip(text, counts[word], judge=word) for word, text in JUDGED.items()]


def _not_full(item: Figure) -> JsonObject:
    """Below 1, or above 0 where less is better, whatever rounding does."""
    bounds = {"min": "", "max": "0.999999"} if item.higher_is_better else {"min": "0.000001", "max": ""}
    return {"metric": item.name, **bounds}


def _slow(viewer: Viewer, scoring: int, figures: Sequence[Figure], chip: Callable[..., Chip]) -> list[Chip]:
    found = next((item for item in figures if item.name == "latency"), None)
    if found is None or found.summary.n * SLOW < 1:
        return []
    index, place = found.index, max(0, int(found.summary.n * SLOW) - 1)
    seconds = viewer.kept_small(("slow", scoring), lambda: viewer.viewing.upper(scoring, index, place))
    if seconds is None:
        return []
    wanted = {"metric": "latency", "min": repr(seconds), "max": ""}
    query = CaseQuery(metric=index, at_least=seconds)
    count = viewer.kept_small(("slow cases", scoring), lambda: viewer.viewing.count(0, scoring, query))
    return [chip(f"slowest tenth: {seconds:.3g} s and more", count, **wanted, sort="-latency")]
