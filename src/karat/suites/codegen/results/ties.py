"""Rows that tie may be in any order: when a column that gold has in order is the same in both, the order that was
asked for is kept.

A column is in order when its values rise or fall and its nulls, if any, are all at one end (``na_position``). Nulls
tie with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from karat.tables.matching import Match, match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import Table


def but_for_ties(gold: Table, given: Table, differs: Match, compare: CompareOptions) -> Match:
    """The match of two tables that differ in nothing but the order of rows that tie; else the difference that was
    found."""
    match = match_tables(gold, given, ignore_order=True, options=compare)
    for place, other in enumerate(match.mapping):
        if other is None or not in_order_with_ties(gold.texts(place)):
            continue
        one, its = gold.select([place]), given.select([other])
        if match_tables(one, its, options=compare, explained=False).passed:
            return msgspec.structs.replace(match, normalised=(*match.normalised, "ties"))
    return differs


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
