"""SQL that was written for another kind of database: what it is, and the same query in the words of the one at hand.

A translation is offered where the text fails and its translation runs. It is used only with the option ``transpile``,
and what was translated is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from karat.suites.answers.options import TRANSPILED
from karat.suites.answers.text_to_sql.queries.parsed import tree_of
from karat.suites.answers.text_to_sql.queries.sqlite_dates import for_sqlite
from karat.suites.answers.text_to_sql.running.execution import Ran

if TYPE_CHECKING:
    from sqlglot import exp

DIALECTS = ("postgres", "mysql", "sqlite", "duckdb", "tsql")
"""Tried in this order, where neither the question file nor the option says what the SQL is."""
LIKELY = 4
"""The first N of them may explain a text for which no translation runs."""
NAMES = {"postgresql": "postgres", "mariadb": "mysql", "sqlserver": "tsql", "mssql": "tsql", "sqlite3": "sqlite"}
"""Other names that files use → sqlglot's."""
_FUNCTION = re.compile(r"\bfunction:?\s+`?(?:\w+\.)?`?(\w+)", re.IGNORECASE)

Run = Callable[[str], Ran]


class Translation(msgspec.Struct, frozen=True):
    """A query in the words of another database."""

    source: str
    target: str
    sql: str
    function: str = ""
    """The first function or expression that has another form there."""

    @property
    def name(self) -> str:
        return f"{self.source} → {self.target}"


def translated(sql: str, ran: Ran, dialect: str, kind: str, run: Run) -> tuple[Translation, Ran] | None:
    """The translation of a text that fails as it is; None where there is none that runs. Two readings of the text that
    give different results settle nothing."""
    found = _running(sql, ran, dialect, kind, run)
    return found[0] if found and all(_same(found[0][1], other) for _, other in found[1:]) else None


def offer(sql: str, ran: Ran, dialect: str, kind: str, run: Run) -> str:
    """What is said of a text that fails and is SQL of another kind of database; empty for any other."""
    found = _running(sql, ran, dialect, kind, run)
    if found and all(_same(found[0][1], other) for _, other in found[1:]):
        return f" (dialect: {found[0][0].name}: {_failing(ran, found[0][0])}--transpile translates it)"
    if found:
        sources = " or ".join(one.source for one, _ in found)
        said = f"the readings give different results, so name one: --option transpile={found[0][0].source}"
        return f" (dialect: {sources} → {dialect}: {said})"
    if not _fails(ran):
        return ""
    for source in _sources(kind)[:LIKELY]:
        function = _foreign(sql, source, dialect, _FUNCTION.search(ran.message)) if source != dialect else ""
        if function:
            said = f"{function} has no translation, so --transpile does not help: rewrite the query"
            return f" (dialect: {source} → {dialect}: {said})"
    return ""


def _running(sql: str, ran: Ran, dialect: str, kind: str, run: Run) -> list[tuple[Translation, Ran]]:
    """The likeliest translations that run."""
    if not _fails(ran):
        return []
    found = ((one, run(one.sql)) for one in _translations(sql, dialect, _sources(kind)))
    return [(one, again) for one, again in found if again.result is not None]


def _fails(ran: Ran) -> bool:
    return ran.kind == "sql_error" and not ran.message.startswith("not a query")


def _sources(kind: str) -> tuple[str, ...]:
    named = NAMES.get(kind.lower(), kind.lower())
    return (named,) if named in TRANSPILED else DIALECTS


def _same(one: Ran, other: Ran) -> bool:
    return one.rows == other.rows


def _failing(ran: Ran, found: Translation) -> str:
    named = _FUNCTION.search(ran.message)
    function = named[1] if named else found.function
    return f"{function} has another form there, " if function else ""


def _foreign(sql: str, source: str, target: str, named: re.Match[str] | None) -> str:
    """The first function of a text that the source knows: the one that the database does not, or one with another
    form."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = tree_of(sql, source)
    except (SqlglotError, RecursionError, ValueError):
        return ""
    if named is not None:
        unknown = {node.name.lower() for node in tree.find_all(exp.Anonymous)}
        return "" if named[1].lower() in unknown else named[1]
    return next((_name(node) for node in tree.walk() if _has_other_form(node, source, target)), "")


def as_it_runs(sql: str, first: Ran, *, dialect: str, kind: str, run: Run) -> Ran:
    """What became of a text, or of its translation where the text itself fails."""
    found = translated(sql, first, dialect, kind, run)
    return first if found is None else found[1]


def translation_note(sql: str, dialect: str, kind: str, run: Run) -> str:
    """``transpiled: postgres → sqlite`` where the text was translated; empty where it runs as it is."""
    found = translated(sql, run(sql), dialect, kind, run)
    return f"transpiled: {found[0].name}" if found is not None else ""


@lru_cache(maxsize=4096)
def _translations(sql: str, target: str, sources: tuple[str, ...]) -> tuple[Translation, ...]:
    """The different translations from those dialects that know most of the functions in the text."""
    from sqlglot import ErrorLevel, exp
    from sqlglot.errors import SqlglotError

    found: list[tuple[int, Translation]] = []
    for source in sources:
        if source == target:
            continue
        try:
            tree = tree_of(sql, source)
            fitted = for_sqlite(tree.copy()) if target == "sqlite" else tree
            # What would be lost is no translation.
            text = fitted.sql(dialect=target, unsupported_level=ErrorLevel.RAISE)
        except (SqlglotError, RecursionError, ValueError):
            continue
        unknown = sum(1 for _ in tree.find_all(exp.Anonymous))
        other = next((_name(node) for node in tree.walk() if _has_other_form(node, source, target)), "")
        found.append((unknown, Translation(source, target, text, other)))
    least = min((unknown for unknown, _ in found), default=0)
    kept: dict[str, Translation] = {}
    for unknown, one in found:
        if unknown == least:
            kept.setdefault(one.sql, one)
    return tuple(kept.values())


def _name(node: exp.Expr) -> str:
    from sqlglot import exp

    return node.sql_name() if isinstance(node, exp.Func) and not isinstance(node, exp.Cast) else node.key.upper()


def _has_other_form(node: exp.Expr, source: str, target: str) -> bool:
    """Whether a function, a cast or the like is written otherwise in the other dialect."""
    from sqlglot import ErrorLevel, exp

    if isinstance(node, exp.Extract | exp.Interval | exp.ILike):
        return True
    if not isinstance(node, exp.Func | exp.Cast):
        return False
    level = ErrorLevel.IGNORE
    return node.sql(dialect=source, unsupported_level=level) != node.sql(dialect=target, unsupported_level=level)
