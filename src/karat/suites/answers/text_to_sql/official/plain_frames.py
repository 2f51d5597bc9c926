"""defog's comparison of frames without pandas, for results where pandas has no quirks: columns of one kind, names that
differ. Whatever else comes is not settled here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any  # Any: the cells of two columns of unlike kinds

from karat.suites.answers.text_to_sql.running.result_row import Row

EXACT = 2**53
"""From here on a float does not hold every whole number."""
FILLER = -99999
"""What stands for a null at the end."""
RELATIVE, ABSOLUTE = 1e-5, 1e-8
"""How far apart two floats of equal columns may be."""

SortOrder = tuple[Sequence[str], bool] | None
"""The columns that come first and whether they ascend; None where rows stay as they are."""


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


def sortable(names: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether pandas can sort by every column and finds the same repeats as Python does: texts or numbers, with or
    without nulls, under names that differ."""
    if len(set(names)) != len(names):
        return False
    for column in zip(*rows, strict=True):
        kinds = {type(cell) for cell in column} - {type(None)}
        if kinds <= {int, float}:
            if any(cell is not None and abs(cell) >= EXACT for cell in column):
                return False
        elif kinds != {str}:
            return False
    return True


def same_rows(names: Sequence[str], rows: Sequence[Row], others: Sequence[str], given: Sequence[Row]) -> bool:
    """The same different rows, with the columns of each in the order of their names."""
    return set(_by_name(names, rows)) == set(_by_name(others, given))


def _by_name(names: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    order = sorted(range(len(names)), key=lambda place: names[place])
    return [tuple(row[place] for place in order) for row in rows]


def same_by_broadcast(rows: Sequence[Row], given: Sequence[Row]) -> bool:
    """Whether all cells are equal when a lone row, or a lone column, stands for as many as the other side has. The
    shapes are known to allow that, and there is no null."""
    height, width = max(len(rows), len(given)), max(len(rows[0]), len(given[0]))
    return _spread(rows, height, width) == _spread(given, height, width)


def _spread(rows: Sequence[Row], height: int, width: int) -> list[Row]:
    wide = [row * width if len(row) < width else row for row in rows]
    return wide * height if len(wide) < height else wide


def null_kinds(names: Sequence[str], rows: Sequence[Row]) -> tuple[str, ...] | None:
    """As ``kinds_of`` for a result with nulls: ``text``, ``number`` (with or without nulls) or ``null`` (nothing else)
    for each column; None where a frame would not be plain, which a text beside a null is not."""
    if not rows or len(set(names)) != len(names):
        return None
    found = []
    for column in zip(*rows, strict=True):
        kinds = {type(cell) for cell in column}
        if kinds == {str}:
            found.append("text")
        elif kinds == {type(None)}:
            found.append("null")
        elif kinds <= {int, float, type(None)}:
            if any(cell is not None and (cell == FILLER or abs(cell) >= EXACT) for cell in column):
                return None
            found.append("number")
        else:
            return None
    return tuple(found)


def same_with_nulls(
    names: Sequence[str],
    rows: Sequence[Row],
    kinds: Sequence[str],
    others: Sequence[str],
    given: Sequence[Row],
    given_kinds: Sequence[str],
) -> bool:
    """Two results of one shape, of which one has nulls. A null that is alone in its column equals another such, as
    None does; beside numbers it is no number and equals nothing, until both are filled."""
    alone = {"text", "null"}
    if tuple(rows) == tuple(given) and set(kinds) <= alone and set(given_kinds) <= alone:
        return True
    return same_rows(names, rows, others, given)


def same_in_order(
    names: Sequence[str],
    rows: Sequence[Row],
    order: SortOrder,
    others: Sequence[str],
    given: Sequence[Row],
    given_order: SortOrder,
) -> bool:
    """The same different rows in the same order, each side sorted as its own text says."""
    return _sorted_frame(names, rows, order) == _sorted_frame(others, given, given_order)


def _sorted_frame(names: Sequence[str], rows: Sequence[Row], order: SortOrder) -> list[Row]:
    by_name = sorted(range(len(names)), key=lambda place: names[place])
    if order is None:
        return list(dict.fromkeys(tuple(row[place] for place in by_name) for row in rows))
    keys, ascending = order
    places = [names.index(key) for key in keys]
    rest = [place for place in by_name if place not in places]
    first = sorted(dict.fromkeys(rows), key=lambda row: [row[place] for place in places + rest], reverse=not ascending)
    return [tuple(row[place] for place in rest + places) for row in first]


def holds_columns(
    names: Sequence[str],
    rows: Sequence[Row],
    kinds: Sequence[str],
    given: Sequence[Row],
    given_kinds: Sequence[str],
    *,
    ordered: bool = False,
) -> bool:
    """Each gold column is one of the prediction's, sorted on its own, and with those the rows are the same too, in
    their order where that is asked for."""
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
    gold_rows = list(dict.fromkeys(tuple(row[place] for place in order) for row in rows))
    given_rows = list(dict.fromkeys(tuple(row[matched[place]] for place in order) for row in given))
    if len(gold_rows) != len(given_rows):
        return False
    if not ordered:
        gold_rows.sort()
        given_rows.sort()
    columns = zip(zip(*gold_rows, strict=True), zip(*given_rows, strict=True), order, strict=True)
    return all(_close(a, b, kinds[place], given_kinds[matched[place]]) for a, b, place in columns)


def _close(one: Sequence[Any], other: Sequence[Any], kind: str, other_kind: str) -> bool:
    if (kind == "text") != (other_kind == "text") or len(one) != len(other):
        return False
    if kind == "float" and other_kind == "float":
        pairs = zip(one, other, strict=True)
        return all(math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE) for a, b in pairs)
    return list(one) == list(other)
