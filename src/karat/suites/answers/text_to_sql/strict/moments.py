"""The day and the time that a query asks for, and a fixed one in their place.

What is in quotes, in a comment, or the name of a column is none: ``'now'`` is a moment as the argument of a function of
dates, and where it is cast to one. SQLite keeps moments as texts; other databases get a literal of the type that their
function has.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
MIDNIGHT = "00:00:00"
APART = 100
"""Seconds between a gold's own run and the moment that it is asked for again."""
_ASKS = re.compile(
    r"['\"](?:now|today)['\"]|\b(?:current_(?:date|time|timestamp|datetime)|localtime(?:stamp)?)\b"
    r"|\b(?:now|curdate|curtime|getdate|today|sysdate|date|time|datetime|julianday|unixepoch)\s*\(\s*\)",
    re.IGNORECASE,
)
_PIECES = re.compile(
    r"""(?P<before>\b(?:(?:date|time|datetime|julianday|unixepoch|timediff)\s*\(\s*
          |strftime\s*\(\s*'[^']*'\s*,\s*|cast\s*\(\s*|(?:date|timestamp|timestamptz)\s+))(?P<now>'now'|"now")
      |(?P<cast>'now'|'today')(?=\s*::)
      |(?P<bare>\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*)(?=\))
      |'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/
      |(?<![\w.])(?:
         (?P<day>current_date\b(?:\s*\(\s*\))?|(?:curdate|today)\s*\(\s*\))
        |(?P<moment>(?:current_timestamp|current_datetime|localtimestamp)\b(?:\s*\(\s*\d*\s*\))?
          |(?:now|sysdate|getdate)\s*\(\s*\d*\s*\))
        |(?P<time>(?:current_time|localtime)\b(?:\s*\(\s*\d*\s*\))?|curtime\s*\(\s*\)))(?!\s*\()""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_ZONED = ("postgres", "duckdb")
"""Dialects whose ``now()`` has a time zone."""


@lru_cache(maxsize=8192)
def depends_on_today(sql: str) -> bool:
    """Whether the query asks what day or what time it is."""
    return _ASKS.search(sql) is not None


def at_date(sql: str, date: str, dialect: str = "sqlite") -> str:
    """The query with the beginning of a day in the place of now; as it is where ``date`` is no day."""
    return at_moment(sql, date, MIDNIGHT, dialect) if DAY.fullmatch(date) else sql


def a_little_apart(now: float | None = None) -> tuple[str, str]:
    """Another moment of the same day in UTC: (day, time)."""
    at = int(time.time() if now is None else now)
    day = at % 86_400
    there = at + APART if day < 43_200 else at - APART
    found = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(there))
    return found[:10], found[11:]


@lru_cache(maxsize=4096)
def at_moment(sql: str, day: str, clock: str, dialect: str) -> str:
    """The query with a fixed moment in the place of now."""
    if not depends_on_today(sql):
        return sql
    whole = day if clock == MIDNIGHT else f"{day} {clock}"

    def fixed(found: re.Match[str]) -> str:
        if found["now"]:
            return f"{found['before']}'{whole}'"
        if found["cast"]:
            return f"'{day if 'today' in found['cast'].lower() else whole}'"
        if found["bare"] and dialect == "sqlite":
            return f"{found['bare']}'{whole}'"
        if found["day"]:
            return _literal("DATE", day, dialect)
        if found["moment"]:
            local = found["moment"].lower().startswith(("localtimestamp", "current_datetime"))
            kind = "TIMESTAMPTZ" if dialect in _ZONED and not local else "TIMESTAMP"
            return _literal(kind, f"{day} {clock}", dialect)
        return _literal("TIME", clock, dialect) if found["time"] else found[0]

    return _PIECES.sub(fixed, sql)


def _literal(kind: str, text: str, dialect: str) -> str:
    return f"'{text}'" if dialect == "sqlite" else f"{kind} '{text}'"
