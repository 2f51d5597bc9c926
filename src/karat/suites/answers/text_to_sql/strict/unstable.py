"""Whether a gold has one result, by its text and by running it again."""

from __future__ import annotations

from collections.abc import Callable

from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.strict.gold_query import read_gold, with_keys, without_cut
from karat.suites.answers.text_to_sql.strict.gold_status import moves, same_rows
from karat.suites.answers.text_to_sql.strict.limit_ties import ties_explain
from karat.suites.answers.text_to_sql.strict.moments import a_little_apart, at_moment, depends_on_today
from karat.suites.answers.text_to_sql.strict.nondeterminism import chance_in
from karat.suites.answers.text_to_sql.strict.tables import table_of
from karat.suites.answers.text_to_sql.strict.window_ties import legal_choice, window_cut
from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions

CUT = "it has LIMIT without ORDER BY, and more rows to choose from"


def why_unstable(sql: str, dialect: str, gold: Ran, backwards: Ran | None, run: Callable[[str], Ran]) -> str:
    """Why a gold does not have one result; empty where it has, or where only ties make it move. ``backwards``: the
    result with unordered rows the other way round."""
    chance = chance_in(sql, dialect)
    if chance.random:
        return "its result is chance: it uses random numbers, or a sample"
    if _moves_within_a_day(sql, dialect, gold, run):
        return "its result depends on the time of day at which it is run (as_of fixes the day and the time)"
    query = read_gold(sql, dialect)
    if query.cut_unordered and gold.rows and (backwards is None or backwards.result is None):
        whole = run(without_cut(sql, dialect))
        more = whole.result is not None and len(whole.rows) > len(gold.rows) and not _all_alike(whole)
        return CUT if more or whole.kind == "too_large" else ""
    why = moves(gold, backwards, query)
    if not why and chance.windows:
        backwards = run(chance.windows)
        why = moves(gold, backwards, query)
    if why and backwards is not None and query.ordered and query.limit is not None:
        return "" if ties_explain(query, with_keys(sql, dialect), gold, backwards, run) else why
    if why and backwards is not None:
        cut = window_cut(sql, dialect)
        legal = legal_choice(cut, gold.rows, backwards.rows, run) if cut is not None else None
        return "" if legal is not None and same_rows(legal.nearest, backwards.rows) else why
    if chance.bare is not None:
        low, high = (run(text) for text in chance.bare)
        if low.result is not None and high.result is not None and not same_rows(low.rows, high.rows):
            return (
                "it selects a column that it neither groups by nor aggregates, any value of a group, or a list in no "
                "order, and the rows of a group differ in it"
            )
    return ""


def _moves_within_a_day(sql: str, dialect: str, gold: Ran, run: Callable[[str], Ran]) -> bool:
    """Whether a moment later, or sooner, on the same day it gives another result than what strict takes as equal. What
    depends on the day alone is the same for gold and answer."""
    if not gold.rows or not depends_on_today(sql):
        return False
    other = at_moment(sql, *a_little_apart(), dialect)
    if other == sql:
        return False
    ran = run(other)
    if ran.result is None or same_rows(gold.rows, ran.rows):
        return False
    tables = (table_of(one.names, one.rows) for one in (gold, ran))
    return not match_tables(*tables, ignore_order=True, options=CompareOptions()).passed


def _all_alike(ran: Ran) -> bool:
    return all(row == ran.rows[0] for row in ran.rows)
