"""Columns are found by what they hold; where both tables name them, the names must not say otherwise.

Gold has ``min`` and ``max``; a result whose ``min`` holds the maxima and whose ``max`` holds the minima has the right
cells under the wrong labels. So has one whose ``min`` holds the maxima, whatever its other column is called. A name
that only one side has says nothing, unless two of them are crossed: for ``min_pay`` and ``max_pay``, the columns
``min`` and ``Max Pay`` say which is which.

Where every name of gold is there, :mod:`karat.tables.explain.labels` says so already, for all suites. Here the names
that both have count, also when others are missing: code was asked for these columns, while an answer as a table may
call them what it likes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.codegen.question.words import name_parts
from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import Table
from karat.tables.values.cells import folded

_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")


def swapped_labels(
    gold: Table, given: Table, mapping: Sequence[int | None], *, ordered: bool, options: CompareOptions
) -> list[str]:
    """The labels that are over another column's values, in gold's order; none when the labels agree."""
    if gold.height == 0 or not any(place is not None for place in mapping):
        return []
    headers = [folded(name) for name in given.names]
    labels = [folded(name) for name in gold.names]
    used = {place for place in mapping if place is not None}
    shared: list[tuple[int, int]] = []
    wrong: list[str] = []
    meant = _meant(gold.names, given.names)
    for place, label in enumerate(labels):
        if label and headers.count(label) == labels.count(label) == 1:
            at, crossed = headers.index(label), True
        elif place in meant:
            at, crossed = meant[place], mapping[place] in meant.values()
        else:
            continue
        shared.append((place, at))
        if at != mapping[place] and at in used and crossed:
            wrong.append(gold.names[place])
    if wrong and _agree_by_label(gold, given, shared, ordered=ordered, options=options):
        return []  # equal columns: they were only paired the other way round
    return wrong


def out_of_place(
    gold: Table, given: Table, mapping: Sequence[int | None], *, ordered: bool, options: CompareOptions, any_kind: bool
) -> list[str]:
    """The columns of gold that are at another place in the result, where one of the two has no names: nothing else says
    what they are. None when the columns agree place by place. Without ``any_kind``, a column of numbers and one of
    texts may be the other way round."""
    found = [at for at in mapping if at is not None]
    if len(found) < gold.width or len(mapping) > gold.width or max(found, default=0) >= given.width:
        return []
    in_turn = sorted(found)
    numbers = [all(_NUMBER.fullmatch(text) for text in gold.texts(place) if text) for place in range(gold.width)]
    moved = [
        gold.names[place]
        for place, (at, due) in enumerate(zip(found, in_turn, strict=True))
        if at != due and (any_kind or numbers[place] == numbers[found.index(due)])
    ]
    agree = moved and _agree_by_label(gold, given, list(enumerate(in_turn)), ordered=ordered, options=options)
    return [] if agree else moved


def _agree_by_label(
    gold: Table, given: Table, shared: Sequence[tuple[int, int]], *, ordered: bool, options: CompareOptions
) -> bool:
    """Whether the columns of the same label hold the same rows."""
    one, other = gold.select([place for place, _ in shared]), given.select([at for _, at in shared])
    match = match_tables(one, other, ignore_order=not ordered, options=options, explained=False)
    return match.passed and all(at == place for place, at in enumerate(match.mapping))


def _meant(gold: Sequence[str], given: Sequence[str]) -> dict[int, int]:
    """The columns that each name of gold means by its words, where only one on either side can be meant."""
    words = [frozenset(name_parts(name)) for name in gold]
    others = [frozenset(name_parts(name)) for name in given]
    found: dict[int, int] = {}
    for fits in (frozenset.__eq__, lambda one, other: one < other or other < one):
        pairs = [
            (place, at)
            for place, one in enumerate(words)
            for at, other in enumerate(others)
            if one and other and place not in found and at not in found.values() and fits(one, other)
        ]
        firsts, seconds = [place for place, _ in pairs], [at for _, at in pairs]
        found |= {place: at for place, at in pairs if firsts.count(place) == seconds.count(at) == 1}
    return found
