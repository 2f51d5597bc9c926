"""The strict verdict on one prediction against one gold query.

Rows are a multiset and columns are one-to-one in any order, with the values of :mod:`karat.tables`. Order counts when
the gold has an outermost ORDER BY and the question asks for it: rows with equal sort keys may then be in any order.
Where a LIMIT cuts rows with equal keys, any choice among them passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import msgspec

from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.strict.tables import from_match
from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.running.result_row import Row
from karat.suites.answers.text_to_sql.strict.asks_order import asks_order
from karat.suites.answers.text_to_sql.strict.gold_query import GoldQuery, read_gold, with_keys
from karat.suites.answers.text_to_sql.strict.limit_ties import in_other_order, other_choice
from karat.suites.answers.text_to_sql.strict.number_like_texts import other_text
from karat.suites.answers.text_to_sql.strict.tables import numbers_as_texts, table_of
from karat.suites.answers.text_to_sql.strict.window_ties import WindowCut, legal_choice, window_cut
from karat.tables.matching import Match, match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import Table

Texts = tuple[tuple[str, ...], tuple[tuple[str | None, ...], ...], int]
"""A table: names, columns, height."""
NO_QUESTION = (
    "gold orders its rows, and there is no question that says whether the order counts (order: yes or no says so)"
)
MOST_REMEMBERED = 2_000
"""Cells of two results whose match is remembered."""


class Asked(msgspec.Struct, frozen=True):
    """The question, and what its case and the options say about comparing."""

    question: str
    order: bool | None = None
    options: CompareOptions = CompareOptions()
    extra_columns: str = "allow"
    duplicates: str = "count"


def judge(
    sql: str, dialect: str, gold: Ran, given: Ran, asked: Asked, run: Callable[[str], Ran], text: str = ""
) -> Verdict:
    """``run`` executes further forms of the gold, where they are needed to settle order and ties. ``text``: the SQL of
    the answer. Where there is no question, nobody knows whether the order of an ordered gold counts: an answer that has
    the right rows in another order is for a person."""
    query = read_gold(sql, dialect)
    judged = partial(_judged, sql, dialect, gold, given, run=run, text=text)
    if asked.question.strip() or asked.order is not None or not query.ordered or len(gold.rows) < 2:
        return judged(asked)
    found = judged(msgspec.structs.replace(asked, order=True))
    if found.state != "wrong" or not (other := judged(msgspec.structs.replace(asked, order=False))):
        return found
    return Verdict("needs_review", "order_differs", {**found.evidence, "problem": NO_QUESTION}, other.normalised)


def _judged(
    sql: str, dialect: str, gold: Ran, given: Ran, asked: Asked, *, run: Callable[[str], Ran], text: str
) -> Verdict:
    query = read_gold(sql, dialect)
    ordered = order_counts(query, asked)
    free = query.ordered and not ordered and len(gold.rows) > 1
    ours, theirs = _counted(gold.rows, asked), _counted(given.rows, asked)
    notes = []
    if len(given.names) > len(gold.names):
        if asked.extra_columns == "deny":
            gold_size, pred_size = [len(ours), len(gold.names)], [len(theirs), len(given.names)]
            return wrong("extra_columns", gold_size=gold_size, pred_size=pred_size)
        notes.append("extra_columns")
    if not _contradicting(gold.names, given.names) and _same(ours, theirs, ordered=ordered):
        if free and list(ours) != list(theirs):
            notes.append("order_not_asked")
        return right(normalised=tuple(notes))
    options = msgspec.structs.replace(asked.options, null_word=False, no_header=False)
    left, other = table_of(gold.names, ours), table_of(given.names, theirs)
    match = _matched(left, other, options, ordered=ordered)
    if not match.passed and match.reason == "order_differs":
        match = in_other_order(with_keys(sql, dialect), gold, given, options, run) or match
    elif not match.passed and match.settled and query.limit is not None and query.ordered:
        match = other_choice(query, with_keys(sql, dialect), gold, given, options, run, match, ordered=ordered)
    if not match.passed and match.settled and (cut := window_cut(sql, dialect)) is not None:
        match = _with_window_ties(cut, gold, given, options, run, match, ordered=ordered)
    if match.passed and (two := other_text(gold.rows, given.rows, match.mapping, (sql, text), dialect)) is not None:
        said = f"the database keeps both as texts, and {two[0]!r} is not {two[1]!r}"
        return wrong(
            "values_differ", gold_size=[left.height, left.width], pred_size=[other.height, other.width], problem=said
        )
    if match.passed:
        found = from_match(match)
        if numbers_as_texts(ours, theirs, match.mapping):
            notes.append("number_as_text")
        if free and not _same(ours, theirs, ordered=True) and len(gold.names) == len(given.names):
            notes.append("order_not_asked")
        return msgspec.structs.replace(found, normalised=tuple(dict.fromkeys((*found.normalised, *notes))))
    if match.reason == "duplicates" and left.height == 1:
        match = msgspec.structs.replace(match, reason="row_count")
    if match.reason == "missing_column" and left.width == other.width == 1:  # there is only the one column
        match = msgspec.structs.replace(match, reason="values_differ")
    return from_match(match)


def _matched(gold: Table, given: Table, options: CompareOptions, *, ordered: bool) -> Match:
    """Systems often go wrong in the same way: what was found out of two small results is known the next time."""
    if (gold.height + 1) * gold.width + (given.height + 1) * given.width > MOST_REMEMBERED:
        return match_tables(gold, given, ignore_order=not ordered, options=options)
    texts = [(table.names, tuple(map(tuple, table.columns)), table.height) for table in (gold, given)]
    return _remembered(*texts, options, ordered)


@lru_cache(maxsize=1024)
def _remembered(gold: Texts, given: Texts, options: CompareOptions, ordered: bool) -> Match:
    tables = [Table(names, tuple(map(list, columns)), height) for names, columns, height in (gold, given)]
    return match_tables(*tables, ignore_order=not ordered, options=options)


def order_counts(query: GoldQuery, asked: Asked) -> bool:
    """Whether the order of rows is part of the answer."""
    if asked.order is not None:
        return asked.order
    return query.ordered and query.limit != 1 and asks_order(asked.question, query.free_keys)


def _counted(rows: Sequence[Row], asked: Asked) -> Sequence[Row]:
    return tuple(dict.fromkeys(rows)) if asked.duplicates == "ignore" else rows


def _contradicting(gold: Sequence[str], given: Sequence[str]) -> bool:
    """Whether headers may contradict the cells, so that more than the cells must be looked at."""
    return tuple(gold) != tuple(given) and set(gold) <= set(given)


def _same(gold: Sequence[Row], given: Sequence[Row], *, ordered: bool) -> bool:
    """The quick test: the same values in the same columns."""
    if len(gold) != len(given) or (gold and len(gold[0]) != len(given[0])):
        return False
    return list(gold) == list(given) or (not ordered and Counter(gold) == Counter(given))


def _with_window_ties(
    cut: WindowCut,
    gold: Ran,
    given: Ran,
    options: CompareOptions,
    run: Callable[[str], Ran],
    match: Match,
    *,
    ordered: bool,
) -> Match:
    """The same for a gold that takes the first rows of each partition."""
    choice = legal_choice(cut, gold.rows, given.rows, run)
    if choice is None:
        return match
    other = table_of(given.names, given.rows)
    if len(given.rows) == len(choice.every):
        every = match_tables(table_of(gold.names, choice.every), other, ignore_order=True, options=options)
        if every.passed:
            said = "it returns all rows that are tied where gold takes the first of a partition"
            evidence = {"tied_rows": len(choice.every), "problem": said}
            return msgspec.structs.replace(every, passed=False, settled=False, reason="ties_all", evidence=evidence)
    legal = match_tables(table_of(gold.names, choice.nearest), other, ignore_order=not ordered, options=options)
    if not legal.passed:
        return match
    return msgspec.structs.replace(legal, normalised=tuple(dict.fromkeys((*legal.normalised, "ties"))))
