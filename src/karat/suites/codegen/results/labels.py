"""Columns are found by what they hold; where both tables name them, the names must not say otherwise.

Gold has ``min`` and ``max``; a result whose ``min`` holds the maxima and whose ``max`` holds the minima has the right
cells under the wrong labels. So has one whose ``min`` holds the maxima, whatever its other column is called. A name
that only one side has says nothing.

Where every name of gold is there, :mod:`karat.tables.explain.labels` says so already, for all suites. Here the names
that both have count, also when others are missing: code was asked for these columns, while an answer as a table may
call them what it likes.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import Table
from karat.tables.values.cells import folded


def swapped_labels(
    gold: Table, given: Table, mapping: Sequence[int | None], *, ordered: bool, options: CompareOptions
) -> list[str]:
    """The labels that are over another column's values, in gold's order; none when the labels agree."""
    if gold.height == 0 or not any(place is not None for place in mapping):
        return []
    headers = [folded(name) for name in given.names]
    used = {place for place in mapping if place is not None}
    shared: list[tuple[int, int]] = []
    wrong: list[str] = []
    for place, name in enumerate(gold.names):
        label = folded(name)
        unique = label and headers.count(label) == 1 and [folded(other) for other in gold.names].count(label) == 1
        if not unique:
            continue
        at = headers.index(label)
        shared.append((place, at))
        if at != mapping[place] and at in used:
            wrong.append(name)
    if wrong and _agree_by_label(gold, given, shared, ordered=ordered, options=options):
        return []  # equal columns: they were only paired the other way round
    return wrong


def _agree_by_label(
    gold: Table, given: Table, shared: Sequence[tuple[int, int]], *, ordered: bool, options: CompareOptions
) -> bool:
    """Whether the columns of the same label hold the same rows."""
    one, other = gold.select([place for place, _ in shared]), given.select([at for _, at in shared])
    match = match_tables(one, other, ignore_order=not ordered, options=options, explained=False)
    return match.passed and all(at == place for place, at in enumerate(match.mapping))
