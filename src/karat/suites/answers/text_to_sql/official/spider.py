"""Spider's execution match (``spider_exec``) and test-suite match (``spider_suite``): the texts that are run, and how
two results compare.

The prediction has ``1`` for every ``value``; both texts have ``> =``, ``< =`` and ``! =`` joined, 2020 for
``YEAR(CURDATE())``, no ``distinct`` and only their first statement. The order of rows matters when gold's text has
``order by`` with one blank. Two empty results are equal; else as many rows and columns, and some order of the predicted
columns gives the same list, or the same multiset where order does not matter. Bytes that are not UTF-8 are dropped from
texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from karat.suites.answers.text_to_sql.running.result_row import Row

_YEAR = re.compile(r"YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*", re.IGNORECASE)
_TOKEN = re.compile(
    r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`[^`]*`|\[[^\]\[]+\]|--[^\n]*|/\*.*?\*/|\w+|;|.""", re.DOTALL
)
STATEMENT_END = ";"
_MOST_STEPS = 200_000
LONGEST = 30_000
"""Characters of a query that is taken apart. Comments and quotes that nobody closes make that slow."""


def prediction_text(sql: str) -> str:
    """The text that is run for a prediction."""
    return _run_text(sql.replace("value", "1"))


def gold_text(sql: str) -> str:
    """The text that is run for gold."""
    return _run_text(sql)


def order_matters(sql: str) -> bool:
    """By gold's text as it is run."""
    return "order by" in sql.lower()


@lru_cache(maxsize=4096)
def _run_text(sql: str) -> str:
    joined = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
    if len(joined) <= LONGEST and ("istinct" in joined.lower() or ";" in joined):
        kept: list[str] = []
        for token in _TOKEN.findall(joined):
            if token.lower() != "distinct":
                kept.append(token)
            if token == STATEMENT_END and "".join(kept).strip(" \n\t\r;"):
                break
        joined = "".join(kept)
    return _YEAR.sub("2020", joined)


def same_result(gold: Sequence[Row], given: Sequence[Row], *, ordered: bool) -> bool:
    """Whether the predicted columns, in some order, give the rows of gold."""
    if not gold and not given:
        return True
    if len(gold) != len(given) or len(gold[0]) != len(given[0]):
        return False
    if tuple(gold) == tuple(given) and _same_types(gold, given):
        return True
    ours, theirs = _without_broken(gold), _without_broken(given)
    if Counter(chain.from_iterable(ours)) != Counter(chain.from_iterable(theirs)):
        return False  # no order of columns and rows can give the same
    if not _alike(ours, theirs, ordered):
        return False
    return _some_order(ours, theirs, ordered)


def _same_types(gold: Sequence[Row], given: Sequence[Row]) -> bool:
    """1 equals 1.0, and yet the first look may tell them apart."""
    return list(map(type, chain.from_iterable(gold))) == list(map(type, chain.from_iterable(given)))


def _alike(gold: Sequence[Row], given: Sequence[Row], ordered: bool) -> bool:
    """The first look: each row with its cells sorted by their text and type. 1 and 1.0 may sort to other places among
    their neighbours, and are then not alike."""
    ours, theirs = [_sorted(row) for row in gold], [_sorted(row) for row in given]
    return ours == theirs if ordered else set(ours) == set(theirs)


def _sorted(row: Row) -> Row:
    return row if len(row) == 1 else tuple(sorted(row, key=lambda cell: f"{cell}{type(cell)}"))


def _some_order(gold: Sequence[Row], given: Sequence[Row], ordered: bool) -> bool:
    """Search over the orders of columns, one column after another; rows that already differ are not looked at again."""
    width = len(gold[0])
    columns, candidates = list(zip(*given, strict=True)), []
    counted = [None if ordered else Counter(column) for column in columns]
    for column in zip(*gold, strict=True):
        count = None if ordered else Counter(column)
        fitting = [
            place for place in range(width) if (columns[place] == column if ordered else counted[place] == count)
        ]
        if not fitting:
            return False
        candidates.append(fitting)
    if ordered:
        return _distinct_choice(candidates)
    steps = 0
    prefixes = [Counter(row[: depth + 1] for row in gold) for depth in range(width)]

    def search(chosen: list[int]) -> bool:
        nonlocal steps
        depth = len(chosen)
        if depth == width:
            return True
        tried: set[Row] = set()
        for place in candidates[depth]:
            if place in chosen or columns[place] in tried:
                continue
            tried.add(columns[place])
            steps += 1
            if steps > _MOST_STEPS:
                return False
            more = [*chosen, place]
            if Counter(zip(*(columns[one] for one in more), strict=True)) == prefixes[depth] and search(more):
                return True
        return False

    return search([])


def _distinct_choice(candidates: Sequence[Sequence[int]]) -> bool:
    """Whether each column can have a place of its own: equal columns have equal candidates, so counting is enough."""
    need = Counter(tuple(fitting) for fitting in candidates)
    return all(count <= len(fitting) for fitting, count in need.items())


def _without_broken(rows: Sequence[Row]) -> Sequence[Row]:
    if all(not isinstance(cell, str) or cell.isascii() for row in rows for cell in row):
        return rows
    return [tuple(_dropped(cell) if isinstance(cell, str) else cell for cell in row) for row in rows]


def _dropped(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "ignore")
