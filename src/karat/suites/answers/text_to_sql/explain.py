"""Why an answer to gold SQL is right or not, as people see it: the parts that differ, both queries line by line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from karat.core.explanation import Group, Line, Part, differing_lines

if TYPE_CHECKING:
    from karat.suites.answers.details import SqlDetails

_BREAKS = re.compile(
    r"(?<!\s)\s+(?=(?:from|where|group\s+by|order\s+by|having|limit|(?:(?:left|inner|right|full|cross)\s+(?:outer\s+)?)?join"
    r"|union|intersect|except)\b)",
    re.IGNORECASE,
)
_JOIN = re.compile(r"\b(left|inner|right|full|cross|outer)\s*\n\s*(?=join|outer)", re.IGNORECASE)


def parts_of(sql: SqlDetails) -> tuple[Part, ...]:
    """The parts in which the queries differ."""
    return tuple(Part(one.part, missing=one.missing, extra=one.extra) for one in sql.components)


def lines_of(sql: SqlDetails) -> tuple[Line, ...]:
    """Gold and answer as one text, a clause in each line."""
    if not sql.sql or not sql.components:
        return ()
    return differing_lines(broken(sql.gold_sql), broken(sql.sql))


def groups_of(sql: SqlDetails) -> tuple[Group, ...]:
    """What a comparison of two runs is broken down by."""
    found = [("database", sql.db), ("difficulty", sql.difficulty), *(("part", one.part) for one in sql.components)]
    return tuple(Group(kind, name) for kind, name in dict.fromkeys(found) if name)


def broken(sql: str) -> str:
    """A query with each clause on a line of its own, unless it is broken into lines already."""
    return _JOIN.sub(r"\1 ", _BREAKS.sub("\n", " ".join(sql.split()) if "\n" not in sql else sql))
