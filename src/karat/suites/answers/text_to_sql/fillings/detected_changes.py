"""Which changed queries a filling tells from the gold queries themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any  # Any: cells of made rows

import msgspec

from karat.suites.answers.text_to_sql.fillings.scratch import Filling, Scratch
from karat.suites.answers.text_to_sql.running.result_row import Row


class Told(msgspec.Struct, frozen=True):
    """The places of the pairs that a filling tells apart, and the rows that the schema let in."""

    places: tuple[int, ...]
    rows: dict[str, list[tuple[Any, ...]]]


def told_apart(scratch: Scratch, filling: Filling, pairs: Sequence[tuple[str, str]]) -> Told:
    """Fill the tables and run both queries of each pair."""
    if not scratch.fill(filling):
        return Told((), {})
    golds = {gold: _result(scratch, gold) for gold in dict.fromkeys(gold for gold, _ in pairs)}
    places = []
    for place, (gold, mutant) in enumerate(pairs):
        ours, theirs = golds[gold], _result(scratch, mutant)
        if ours is not None and theirs is not None and ours != theirs:
            places.append(place)
    return Told(tuple(places), scratch.rows())


def _result(scratch: Scratch, sql: str) -> Counter[Row] | None:
    ran = scratch.run(sql)
    return None if ran.result is None else Counter(ran.rows)
