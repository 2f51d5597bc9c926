"""defog's comparison of frames without pandas, for results where pandas has no quirks: no nulls, columns of one kind,
names that differ, and no order asked for. Whatever else comes is not settled here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any  # Any: the cells of two columns of unlike kinds

from karat.suites.answers.text_to_sql.result_row import Row

EXACT = 2**53
"""From here on a float does not hold every whole number."""
RELATIVE, ABSOLUTE = 1e-5, 1e-8
"""How far apart two floats of equal columns may be."""


def kinds_of(names: Sequence[str], rows: Sequence[Row]) -> tuple[str, ...] | None:
    """``text``, ``whole`` or ``float`` for each column; None where a frame would not be plain."""
    if not rows or len(set(names)) != len(names):
        return None
    found = []
    for column in zip(*rows, strict=True):
        kinds = {type(cell) for cell in column}
        if kinds == {str}:
            found.append("text")
        elif kinds <= {int, float} and all(abs(cell) < EXACT for cell in column):
            found.append("float" if float in kinds else "whole")
        else:
            return None
    return tuple(found)


def same_rows(names: Sequence[str], rows: Sequence[Row], others: Sequence[str], given: Sequence[Row]) -> bool:
    """The same different rows, with the columns of each in the order of their names."""
    return set(_by_name(names, rows)) == set(_by_name(others, given))


def _by_name(names: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    order = sorted(range(len(names)), key=lambda place: names[place])
    return [tuple(row[place] for place in order) for row in rows]


def holds_columns(
    names: Sequence[str], rows: Sequence[Row], kinds: Sequence[str], given: Sequence[Row], given_kinds: Sequence[str]
) -> bool:
    """Each gold column is one of the prediction's, sorted on its own, and with those the rows are the same too."""
    free, matched = list(range(len(given_kinds))), []
    theirs = [sorted(column) for column in zip(*given, strict=True)]
    for place, column in enumerate(zip(*rows, strict=True)):
        ours = sorted(column)
        for other in free:
            if _close(ours, theirs[other], kinds[place], given_kinds[other]):
                free.remove(other)
                matched.append(other)
                break
        else:
            return False
    order = sorted(range(len(names)), key=lambda place: names[place])
    gold_rows = sorted({tuple(row[place] for place in order) for row in rows})
    given_rows = sorted({tuple(row[matched[place]] for place in order) for row in given})
    if len(gold_rows) != len(given_rows):
        return False
    columns = zip(zip(*gold_rows, strict=True), zip(*given_rows, strict=True), order, strict=True)
    return all(_close(a, b, kinds[place], given_kinds[matched[place]]) for a, b, place in columns)


def _close(one: Sequence[Any], other: Sequence[Any], kind: str, other_kind: str) -> bool:
    if (kind == "text") != (other_kind == "text") or len(one) != len(other):
        return False
    if kind == "float" and other_kind == "float":
        pairs = zip(one, other, strict=True)
        return all(math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE) for a, b in pairs)
    return list(one) == list(other)
