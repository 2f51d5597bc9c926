"""defog's verdicts: ``defog_exact`` (the frames are equal), ``defog_correct`` (gold's columns are in the prediction).

Any gold may pass. Frames are pandas', and so are their quirks: a comparison of values broadcasts shapes, a column of
numbers with a null holds floats, and a null counts as -99999 at the end. Most results are settled by looking at the
rows; only what is left over is given to pandas itself, which is imported then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple  # Any: cells, and pandas where its own comparison is needed

from karat.suites.answers.text_to_sql.official.plain_frames import (
    FILLER,
    SortOrder,
    holds_columns,
    kinds_of,
    null_kinds,
    same_by_broadcast,
    same_in_order,
    same_rows,
    same_with_nulls,
    sortable,
)
from karat.suites.answers.text_to_sql.running.result_row import Row

_ASKS_ORDER = re.compile(r"\b(order|sort|arrange)\b", re.IGNORECASE)
_ORDER_BY = re.compile(r"ORDER BY[\s\S]*", re.IGNORECASE)
_FIRST_KEY = re.compile(r"(?<=ORDER BY)(.*?)(?=;|,|\)|$)", re.IGNORECASE)
_NO_COLUMN = ("desc", "asc", "nulls", "last", "first", "limit")


NO_FILLER = "a column of texts cannot hold the filler"
"""What pandas 3 says."""


class Frame(NamedTuple):
    """A result with the names of its columns, and the text of the query that orders it."""

    names: tuple[str, ...]
    rows: Sequence[Row]
    sql: str


def verdicts(golds: Sequence[Frame], given: Frame, question: str, category: str) -> tuple[bool, bool]:
    """(exact, correct) against any of the golds, in their order; the first that is exact decides."""
    correct = False
    asked = category == "order_by" or _ASKS_ORDER.search(question) is not None
    try:
        for gold in golds:
            if _is_exact(gold, given, asked):
                return True, True
            correct = correct or _is_subset(gold, given, asked)
    except (TypeError, ValueError, KeyError):  # what ends that code with an error counts as not right there
        return False, False
    return False, correct


def _is_exact(gold: Frame, given: Frame, asked: bool) -> bool:
    if _same_values(gold, given):
        return True
    if not sortable(gold.names, gold.rows) or not sortable(given.names, given.rows):
        return _exact_by_pandas(gold, given, asked)  # which may end that code with an error
    wide, spread = len(gold.names) == len(given.names), _may_broadcast(gold, given)
    if not wide and not spread:
        return False
    same_shape = wide and len(gold.rows) == len(given.rows)
    if (spread or same_shape) and not (gold.rows and given.rows):
        return True  # a comparison of no cells at all
    if _texts_with_null(gold.rows) or _texts_with_null(given.rows):
        # Such a null equals nothing, and it cannot be filled: that ends the code, unless the shapes differ by then.
        if wide and len(set(gold.rows)) == len(set(given.rows)):
            raise TypeError(NO_FILLER)
        return False
    plain = not _has_null(gold.rows) and not _has_null(given.rows)
    if not spread and (plain or not asked) and len(set(gold.rows)) != len(set(given.rows)):
        return False  # without their repeats, the frames have other heights
    settled = _plainly_exact(gold, given, asked, spread) if plain else _exact_with_nulls(gold, given, asked, spread)
    return _exact_by_pandas(gold, given, asked) if settled is None else settled


def _plainly_exact(gold: Frame, given: Frame, asked: bool, spread: bool) -> bool | None:
    """None where only pandas knows."""
    if not kinds_of(gold.names, gold.rows) or not kinds_of(given.names, given.rows):
        return None
    if spread and same_by_broadcast(gold.rows, given.rows):
        return True
    if len(gold.names) != len(given.names) or len(set(gold.rows)) != len(set(given.rows)):
        return False
    if not asked:
        return same_rows(gold.names, gold.rows, given.names, given.rows)
    orders = _sort_order(gold.sql, gold.names), _sort_order(given.sql, given.names)
    return same_in_order(gold.names, gold.rows, orders[0], given.names, given.rows, orders[1])


def _exact_with_nulls(gold: Frame, given: Frame, asked: bool, spread: bool) -> bool | None:
    """None where only pandas knows."""
    kinds, given_kinds = null_kinds(gold.names, gold.rows), null_kinds(given.names, given.rows)
    if asked or spread or kinds is None or given_kinds is None:
        return None
    if len(set(gold.rows)) != len(set(given.rows)):
        return False
    return same_with_nulls(gold.names, gold.rows, kinds, given.names, given.rows, given_kinds)


def _same_values(gold: Frame, given: Frame) -> bool:
    """The same cells in the same places, and no null among them, which may not equal itself."""
    if not gold.rows or len(gold.names) != len(given.names):
        return False
    return tuple(gold.rows) == tuple(given.rows) and not _has_null(gold.rows)


def _may_broadcast(gold: Frame, given: Frame) -> bool:
    sizes = (len(gold.rows), len(gold.names)), (len(given.rows), len(given.names))
    return sizes[0] != sizes[1] and all(a == b or 1 in (a, b) for a, b in zip(*sizes, strict=True))


def _texts_with_null(rows: Sequence[Row]) -> bool:
    return any({type(cell) for cell in column} == {str, type(None)} for column in zip(*rows, strict=True))


def _has_null(rows: Sequence[Row]) -> bool:
    return any(cell is None for row in rows for cell in row)


def _is_subset(gold: Frame, given: Frame, asked: bool) -> bool:
    if not gold.rows or not gold.names:
        return False
    if not sortable(gold.names, gold.rows) or not sortable(given.names, given.rows):
        return _subset_by_pandas(gold, given, asked)  # which may end that code with an error
    if len(gold.rows) != len(given.rows) or len(gold.names) > len(given.names):
        return False
    columns = [_rough(column) for column in zip(*given.rows, strict=True)]
    if any(all(_rough(column) != other for other in columns) for column in zip(*gold.rows, strict=True)):
        return False
    kinds, given_kinds = kinds_of(gold.names, gold.rows), kinds_of(given.names, given.rows)
    # Where the question asks for an order, pandas' own tolerance decides between whole numbers and others.
    if kinds and given_kinds and not (asked and {"whole", "float"} <= {*kinds, *given_kinds}):
        return holds_columns(gold.names, gold.rows, kinds, given.rows, given_kinds, ordered=asked)
    return _subset_by_pandas(gold, given, asked)


def _rough(column: Row) -> Counter[Any]:
    """What two columns that pandas calls equal have in common: their texts, and how many numbers and nulls."""
    return Counter(cell if isinstance(cell, str | bytes) else cell is None for cell in column)


# -- with pandas ------------------------------------------------------------------------------------------------------


def _frame(one: Frame) -> Any:
    import pandas

    return pandas.DataFrame(list(one.rows), columns=list(one.names))


def _exact_by_pandas(gold: Frame, given: Frame, asked: bool) -> bool:
    left, right = _frame(gold), _frame(given)
    with suppress(AttributeError, ValueError):  # shapes that do not broadcast
        if (left.values == right.values).all():
            return True
    left, right = _normalised(left, gold.sql, asked), _normalised(right, given.sql, asked)
    if left.shape != right.shape:
        return False
    if _texts_with_null(gold.rows) or _texts_with_null(given.rows):
        raise TypeError(NO_FILLER)
    return bool((left.fillna(FILLER).values == right.fillna(FILLER).values).all())


def _subset_by_pandas(gold: Frame, given: Frame, asked: bool) -> bool:
    from pandas.testing import assert_frame_equal, assert_series_equal

    left, right = _own_names(_frame(gold)), _own_names(_frame(given))
    free, matched = list(right.columns), []
    for name in left.columns:
        column = left[name].sort_values().reset_index(drop=True)
        for other in free:
            ordered = right[other].sort_values().reset_index(drop=True)
            if _equal(assert_series_equal, column, ordered, check_names=False):
                free.remove(other)
                matched.append(other)
                break
        else:
            return False
    chosen = right[matched].rename(columns=dict(zip(matched, left.columns, strict=True)))
    # No text of a query comes along here, so that rows stay as they are where the question asks for an order.
    return _equal(assert_frame_equal, _normalised(left, "", asked), _normalised(chosen, "", asked))


def _equal(check: Callable[..., None], one: Any, other: Any, **more: bool) -> bool:
    try:
        check(one, other, check_dtype=False, **more)
    except AssertionError:
        return False
    return True


def _normalised(frame: Any, sql: str, asked: bool) -> Any:
    """Without repeats, columns by name, rows by their values or, where the question asks for an order, by the first key
    of the text's ORDER BY."""
    frame = frame.drop_duplicates()
    frame = frame.reindex(sorted(frame.columns), axis=1)
    if not asked:
        frame = frame.sort_values(by=list(frame.columns), na_position="first")
    elif order := _sort_order(sql, list(frame.columns)):
        keys, ascending = order
        others = [name for name in frame.columns if name not in keys]
        frame = frame.sort_values(by=[*keys, *others], ascending=ascending)[[*others, *keys]]
    return _own_names(frame).reset_index(drop=True)


def _sort_order(sql: str, names: Sequence[str]) -> SortOrder:
    """What the first key of the text's ORDER BY makes of the rows: all of its words that are names of columns."""
    clause = _ORDER_BY.search(sql)
    if clause is None:
        return None
    words = _FIRST_KEY.findall(clause[0])
    keys = [word.strip().rsplit(".", 1)[-1] for word in (words[0].split() if words else [])]
    upper = [key.upper() for key in keys]
    keys = [key.replace(",", "").replace("(", "") for key in keys]
    keys = [key for key in keys if key.lower() not in _NO_COLUMN]
    return [key for key in keys if key in names], "DESC" not in upper and "ASC" in upper


def _own_names(frame: Any) -> Any:
    """Columns of one name get numbers, so that each has a name of its own."""
    names = list(frame.columns)
    if len(set(names)) == len(names):
        return frame
    seen: Counter[str] = Counter()
    own = []
    for name in names:
        own.append(f"{name}_{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return frame.set_axis(own, axis=1)
