"""Which changed queries a filling tells from the gold queries themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any  # Any: cells of made rows

import msgspec

from karat.suites.answers.text_to_sql.fillings.scratch import Filling, Scratch


class Told(msgspec.Struct, frozen=True):
    """The places of the pairs that a filling tells apart, and the rows that the schema let in."""

    places: tuple[int, ...]
    rows: dict[str, list[tuple[Any, ...]]]


def told_apart(scratch: Scratch, filling: Filling, pairs: Sequence[tuple[str, str]]) -> Told:
    """Fill the tables and run both queries of each pair."""
    if not scratch.fill(filling):
        return Told((), {})
    places = tuple(place for place, pair in enumerate(pairs) if _differ(scratch, *pair))
    return Told(places, scratch.rows())


def _differ(scratch: Scratch, gold: str, mutant: str) -> bool:
    ours, theirs = scratch.run(gold), scratch.run(mutant)
    if ours.result is None or theirs.result is None:
        return False
    return Counter(ours.rows) != Counter(theirs.rows)
