"""Ties in a gold that orders its rows: rows with equal sort keys may be in any order, and where LIMIT or OFFSET cuts
among them, any of them may be left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby

import msgspec

from karat.suites.answers.strict.ties import match_with_ties
from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.running.result_row import Row
from karat.suites.answers.text_to_sql.strict.gold_query import GoldQuery, WithKeys
from karat.suites.answers.text_to_sql.strict.gold_status import same_rows
from karat.suites.answers.text_to_sql.strict.tables import table_of, with_blocks
from karat.suites.answers.text_to_sql.strict.window_ties import picked, wished_rows
from karat.tables.matching import Match, match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import LARGE, TableError

Run = Callable[[str], Ran]

MOST_UNCUT = 20_000
"""Rows of a gold without its LIMIT that are looked at for ties."""


def in_other_order(query: WithKeys, gold: Ran, given: Ran, options: CompareOptions, run: Run) -> Match | None:
    """The same rows, where those with equal sort keys may be in any order."""
    found = _keyed(query, query.keyed, run)
    if found is None or Counter(found[0]) != Counter(gold.rows):
        return None
    rows, keys = found
    match = _by_blocks(gold, rows, _blocks(keys), given, options)
    return _noted(match) if match.passed else None


def other_choice(
    query: GoldQuery,
    forms: WithKeys,
    gold: Ran,
    given: Ran,
    options: CompareOptions,
    run: Run,
    match: Match,
    *,
    ordered: bool,
) -> Match:
    """Any legal choice among rows that are tied where gold is cut passes; all of them together are for a person.
    ``ordered``: whether the order of rows is part of the answer."""
    found = _keyed(forms, forms.uncut, run) if gold.rows else None
    if found is None or len(found[0]) > MOST_UNCUT or Counter(gold.rows) - Counter(found[0]):
        return match
    rows, keys = found
    if query.offset:
        return _between(query.offset, rows, _blocks(keys), gold, given, options, match, ordered=ordered)
    at = len(gold.rows)
    if len(rows) <= at or keys[at] != keys[at - 1]:
        return match
    end = next((place for place in range(at, len(keys)) if keys[place] != keys[at - 1]), len(keys))
    if end >= LARGE:
        return match
    tied = table_of(gold.names, rows[:end])
    other = table_of(given.names, given.rows)
    if len(given.rows) == end:
        every = match_tables(tied, other, ignore_order=True, options=options)
        if every.passed:
            evidence = {"ties_at": at, "tied_rows": end, "problem": "it returns all rows that are tied at gold's LIMIT"}
            return msgspec.structs.replace(every, passed=False, settled=False, reason="ties_all", evidence=evidence)
    blocks = _blocks(keys[:end])
    if ordered and other.height <= end:
        other = with_blocks(other, blocks[: other.height])
    try:
        legal = match_with_ties(
            with_blocks(tied, blocks),
            other,
            {"by": [tied.width], "at": at},
            columns=None if ordered else list(range(tied.width)),
            ignore_order=True,
            options=options,
        )
    except TableError:
        return match
    if ordered:
        legal = msgspec.structs.replace(legal, mapping=legal.mapping[:-1])
    return legal if legal.passed or not legal.settled else match


def ties_explain(query: GoldQuery, forms: WithKeys, gold: Ran, other: Ran, run: Run) -> bool:
    """Whether two results of one gold are both legal choices among tied rows; so where that cannot be found out."""
    found = _keyed(forms, forms.uncut, run)
    if found is None or len(found[0]) > MOST_UNCUT:
        return True
    rows, keys = found
    return all(
        same_rows([rows[place] for place in _nearest(query.offset, len(gold.rows), rows, _blocks(keys), one)], one)
        for one in (gold.rows, other.rows)
    )


def _between(
    start: int,
    rows: Sequence[Row],
    blocks: Sequence[int],
    gold: Ran,
    given: Ran,
    options: CompareOptions,
    match: Match,
    *,
    ordered: bool,
) -> Match:
    """Rows may be tied at both ends of what OFFSET and LIMIT leave: of those on an end, as many as gold has."""
    chosen = _nearest(start, len(gold.rows), rows, blocks, given.rows)
    numbers = [blocks[place] for place in chosen]
    nearest = [rows[place] for place in chosen]
    if ordered:
        legal = _by_blocks(gold, nearest, numbers, given, options)
    else:
        tables = table_of(gold.names, nearest), table_of(given.names, given.rows)
        legal = match_tables(*tables, ignore_order=True, options=options)
    return _noted(legal) if legal.passed else match


def _nearest(start: int, count: int, rows: Sequence[Row], blocks: Sequence[int], given: Sequence[Row]) -> list[int]:
    """The places of the legal choice that has most in common with an answer."""
    wished = wished_rows(rows, given)
    chosen: list[int] = []
    for _, group in groupby(range(len(rows)), key=lambda place: blocks[place]):
        places = list(group)
        inside = sum(start <= place < start + count for place in places)
        chosen += picked(places, rows, wished, inside) if 0 < inside < len(places) else places[:inside]
    return chosen


def _by_blocks(gold: Ran, rows: Sequence[Row], blocks: Sequence[int], given: Ran, options: CompareOptions) -> Match:
    """The rows with the number of their block: those of one block may be in any order, the blocks may not."""
    if len(given.rows) != len(rows):
        return Match(False)
    left, right = (with_blocks(table_of(*one), blocks) for one in ((gold.names, rows), (given.names, given.rows)))
    match = match_tables(left, right, ignore_order=True, options=options)
    return msgspec.structs.replace(match, mapping=match.mapping[:-1]) if match.passed else match


def _noted(match: Match) -> Match:
    return msgspec.structs.replace(match, normalised=tuple(dict.fromkeys((*match.normalised, "ties"))))


def _blocks(keys: Sequence[Row]) -> list[int]:
    return [number for number, (_, group) in enumerate(groupby(keys)) for _ in group]


def _keyed(query: WithKeys, text: str, run: Run) -> tuple[list[Row], list[Row]] | None:
    """Rows as gold shows them, and the sort keys of each."""
    ran = run(text) if text else None
    if ran is None or ran.result is None:
        return None
    width = len(ran.names) - query.hidden
    try:
        return [row[:width] for row in ran.rows], [tuple(row[place] for place in query.places) for row in ran.rows]
    except IndexError:
        return None
