"""Texts that a database keeps and that look like numbers: a version, a postal code, a number of an account.

As numbers ``1.10`` and ``1.1`` are equal, and a query that formats its result may write either. Where both queries show
a text as it is in a column, they show two different entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from karat.suites.answers.text_to_sql.queries.parsed import parsed
from karat.suites.answers.text_to_sql.running.result_row import Row


def other_text(
    gold: Sequence[Row], given: Sequence[Row], mapping: Sequence[int | None], queries: tuple[str, str], dialect: str
) -> tuple[str, str] | None:
    """A text of gold that looks like a number, and another one in its place; None where there is none, or where one of
    the queries makes its texts itself."""
    for ours, theirs in enumerate(mapping):
        if theirs is None:
            continue
        columns = [row[ours] for row in gold], [row[theirs] for row in given]
        if not all(cell is None or isinstance(cell, str) for column in columns for cell in column):
            continue
        missing, extra = ([*(Counter(a) - Counter(b))] for a, b in (columns, columns[::-1]))
        two = next(((a, b) for a in missing for b in extra if _equal_numbers(a, b)), None)
        if two and all(_kept(sql, dialect, place) for sql, place in zip(queries, (ours, theirs), strict=True)):
            return two
    return None


def _equal_numbers(one: str | None, other: str | None) -> bool:
    try:
        return one is not None and other is not None and float(one) == float(other)
    except ValueError:
        return False


@lru_cache(maxsize=1024)
def _kept(sql: str, dialect: str, place: int) -> bool:
    """Whether a column of the result is one of a table, as it is; False where that is not sure."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = parsed(sql, dialect)
    except (SqlglotError, RecursionError):
        return False
    while isinstance(tree, exp.Subquery | exp.Paren):
        tree = tree.this
    if not isinstance(tree, exp.Select) or tree.find(exp.CTE) is not None:
        return False
    source = tree.args.get("from_") or tree.args.get("from")
    sources = [source.this if source is not None else None, *(join.this for join in tree.args.get("joins") or ())]
    if not all(isinstance(one, exp.Table) for one in sources):
        return False
    shown = [one.unalias() for one in tree.selects]
    if any(one.is_star for one in shown):
        return all(isinstance(one, exp.Column | exp.Star) for one in shown)
    one = shown[place] if place < len(shown) else None
    if isinstance(one, exp.Min | exp.Max):
        one = one.this
    return isinstance(one, exp.Column)
