"""What a gold query is worth as a judge: whether its result proves anything, and whether it stays the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.running.result_row import Row
from karat.suites.answers.text_to_sql.strict.gold_query import GoldQuery

_QUOTED = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])""")
_COMMENT = re.compile(rf"{_QUOTED.pattern}|--[^\n]*|/\*.*?\*/", re.DOTALL)
"""A comment, or a quoted text, in which no comment begins."""


def proves_little(rows: Sequence[Row]) -> bool:
    """No rows, one row of nulls, or a lone 0: many a wrong query gives the same."""
    if not rows:
        return True
    if len(rows) > 1:
        return False
    return all(cell is None for cell in rows[0]) or (len(rows[0]) == 1 and rows[0][0] == 0)


def moves(gold: Ran, backwards: Ran | None, query: GoldQuery) -> str:
    """Why a gold does not have one result; empty where it has."""
    if backwards is None or backwards.result is None or same_rows(gold.rows, backwards.rows):
        return ""
    why = "it has LIMIT without ORDER BY" if query.cut_unordered else "its rows depend on the order of unordered rows"
    return f"run a second time, with unordered rows the other way round, it gives another result: {why}"


def same_rows(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """In any order. A sum of floats in another order may differ in its last digits, which is no other result; nor is a
    value that is not a number, which does not equal itself."""
    if len(one) != len(other):
        return False
    return Counter(one) == Counter(other) or Counter(map(_rounded, one)) == Counter(map(_rounded, other))


def _rounded(row: Row) -> Row:
    return tuple("nan" if cell != cell else float(f"{cell:.10g}") if type(cell) is float else cell for cell in row)


def same_text(one: str, other: str) -> bool:
    """Whether two queries are the same but for case, blanks, comments and a semicolon at the end."""
    return one_spelling(one) == one_spelling(other)


@lru_cache(maxsize=8192)
def one_spelling(sql: str) -> str:
    """The text in lower case but for what is quoted, without comments and needless blanks. To compare, not to run."""
    parts = _QUOTED.split(_COMMENT.sub(lambda found: found[1] or " ", sql) if "--" in sql or "/*" in sql else sql)
    plain = [part if place % 2 else _blanks_out(part) for place, part in enumerate(parts)]
    return "".join(plain).rstrip("; ").lstrip()


def _blanks_out(part: str) -> str:
    """Text outside quotes: one blank between words, none beside signs."""
    text = re.sub(r"\s+", " ", part.lower())
    return re.sub(r" ?([(),=<>+*/-]) ?", r"\1", text)
