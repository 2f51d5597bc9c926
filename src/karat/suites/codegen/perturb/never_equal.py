"""Pairs of columns that hold the same texts and are never equal in a row, where chance would have made some equal: the
home team and its guest, where a parcel comes from and where it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from karat.suites.codegen.records import Columns

BY_CHANCE = 2.0
"""This many equal rows would be expected of two columns that have nothing to do with each other."""
WIDEST = 40
"""Columns beyond these are not looked at."""


def never_equal(table: Columns, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Such pairs among these columns of texts or foreign keys."""
    found = []
    for first, second in combinations(names[:WIDEST], 2):
        rows = list(zip(table[first], table[second], strict=True))
        pairs = [row for row in rows if None not in row]
        counts = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
        expected = sum(counts[0][value] * counts[1][value] for value in counts[0]) / max(1, len(pairs))
        if expected >= BY_CHANCE and all(one != other for one, other in pairs):
            found.append((first, second))
    return tuple(found)
