"""Whether a gold has one result, by its text and by running it again."""

from __future__ import annotations

from collections.abc import Callable

from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.strict.chance import chance_in
from karat.suites.answers.text_to_sql.strict.gold_query import read_gold
from karat.suites.answers.text_to_sql.strict.gold_status import moves, same_rows
from karat.suites.answers.text_to_sql.strict.window_ties import legal_choice, window_cut


def why_unstable(sql: str, dialect: str, gold: Ran, backwards: Ran | None, run: Callable[[str], Ran]) -> str:
    """Why a gold does not have one result; empty where it has, or where only ties make it move. ``backwards``: the
    result with unordered rows the other way round."""
    chance = chance_in(sql, dialect)
    if chance.random:
        return "its result is chance: it uses random numbers"
    why = moves(gold, backwards, read_gold(sql, dialect))
    if why and backwards is not None:
        cut = window_cut(sql, dialect)
        legal = legal_choice(cut, gold.rows, backwards.rows, run) if cut is not None else None
        return "" if legal is not None and same_rows(legal.nearest, backwards.rows) else why
    if chance.bare is not None:
        low, high = (run(text) for text in chance.bare)
        if low.result is not None and high.result is not None and not same_rows(low.rows, high.rows):
            return (
                "it selects a column that it neither groups by nor aggregates, or a list in no order, "
                "and the rows of a group differ in it"
            )
    return ""
