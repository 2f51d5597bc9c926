"""Rows that tie may be in any order: when a column that gold has in order is the same in both, the order that was
asked for is kept.

A column is in order when its values rise or fall and its nulls, if any, are all at one end (``na_position``). Nulls
tie with each other. Where the question names several columns, rows that tie in the first are in the order of the next,
as far as gold has them so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from karat.tables.matching import Match, match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import Table
from karat.tables.values.cells import folded


def but_for_ties(gold: Table, given: Table, differs: Match, compare: CompareOptions, keys: Sequence[str] = ()) -> Match:
    """The match of two tables that differ in nothing but the order of rows that tie; else the difference that was
    found. ``keys`` are the columns that rows are sorted by."""
    match = match_tables(gold, given, ignore_order=True, options=compare)
    for place in _in_turn(gold, keys):
        other = match.mapping[place] if place < len(match.mapping) else None
        if other is not None and not _same(gold, place, given, other, compare):
            return differs
    for place, other in enumerate(match.mapping):
        if other is None or not in_order_with_ties(gold.texts(place)):
            continue
        if _same(gold, place, given, other, compare):
            return msgspec.structs.replace(match, normalised=(*match.normalised, "ties"))
    return differs


def _same(gold: Table, place: int, given: Table, other: int, compare: CompareOptions) -> bool:
    """Whether two columns are the same row by row."""
    return match_tables(gold.select([place]), given.select([other]), options=compare, explained=False).passed


def _in_turn(gold: Table, keys: Sequence[str]) -> list[int]:
    """The columns of gold of these names, as long as each is in order among the rows that are equal in those before."""
    names = [folded(name) for name in gold.names]
    places = [names.index(folded(key)) for key in keys if names.count(folded(key)) == 1]
    found: list[int] = []
    groups: dict[tuple[str | None, ...], list[int]] = {(): list(range(gold.height))}
    for place in places:
        texts = gold.texts(place)
        columns = [[texts[row] for row in rows] for rows in groups.values()]
        ways = [way for way in map(_ways, columns) if way]
        if ways and not set.intersection(*ways) - {0}:
            break
        found.append(place)
        groups = _split(groups, texts)
    return found


def _split(
    groups: dict[tuple[str | None, ...], list[int]], texts: Sequence[str | None]
) -> dict[tuple[str | None, ...], list[int]]:
    parts: dict[tuple[str | None, ...], list[int]] = {}
    for key, rows in groups.items():
        for row in rows:
            parts.setdefault((*key, texts[row]), []).append(row)
    return parts


def _ways(texts: Sequence[str | None]) -> set[int]:
    """The ways in which these values go: 1 up, -1 down; both in a column with no two different ones; none in one
    without an order, which is 0."""
    known = [text for text in texts if text is not None]
    nulls = len(texts) - len(known)
    if nulls and known != list(texts[nulls:]) and known != list(texts[: len(known)]):
        return {0}
    for key in (_key, _folded):
        keys = [key(text) for text in known]
        steps = {(a < b) - (a > b) for a, b in pairwise(keys)} - {0}
        if len(steps) < 2:
            return steps
    return {0}


def in_order_with_ties(texts: Sequence[str | None]) -> bool:
    """Whether a column rises or falls, with ties, and is not the same all over."""
    known = [text for text in texts if text is not None]
    nulls = len(texts) - len(known)
    if nulls and known != list(texts[nulls:]) and known != list(texts[: len(known)]):
        return False
    for key in (_key, _folded):
        keys = [key(text) for text in known]
        steps = [(a < b) - (a > b) for a, b in pairwise(keys)]
        if (1 in steps) and (-1 in steps):
            continue
        ties = 0 in steps or nulls > 1
        return ties and (any(steps) or bool(nulls and known))
    return False


def _key(text: str) -> tuple[int, float, str]:
    try:
        return (0, float(text), "")
    except ValueError:
        return (1, 0.0, text)


def _folded(text: str) -> tuple[int, float, str]:
    return _key(text.casefold())
