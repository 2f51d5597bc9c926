"""A query whose tables give their rows the other way round, for engines that have no setting for that, and for groups
in SQLite, whose setting does not reach them.

Every table ``t`` becomes ``(SELECT * FROM t ORDER BY rowid DESC) AS t``: what then comes out otherwise depends on
chance. Views have no such column, and the query fails; nothing is known then.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from karat.suites.answers.text_to_sql.queries.parsed import dialect_of, parsed

if TYPE_CHECKING:
    from sqlglot import exp

ROW_COLUMNS = {"duckdb": "rowid", "postgres": "ctid", "sqlite": "rowid"}
"""Dialect → the hidden column with the place of a row."""


@lru_cache(maxsize=8192)
def reversed_rows(sql: str, dialect: str) -> str:
    """The query; empty where it has no tables, or where it cannot be read."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = parsed(sql, dialect).copy()
        made = {one.alias.lower() for one in tree.find_all(exp.CTE)}
        tables = [one for one in tree.find_all(exp.Table) if one.db or one.name.lower() not in made]
        if not tables or any(_sampled(table) for table in tables):
            return ""
        for table in tables:
            alias = table.args.get("alias")
            bare = exp.Table(**{key: table.args.get(key) for key in ("this", "db", "catalog")})
            key = exp.Ordered(this=exp.column(ROW_COLUMNS[dialect]), desc=True)
            rows = exp.select("*").from_(bare).order_by(key)
            rows = rows.limit(-1) if dialect == "sqlite" else rows  # without it, SQLite drops the ORDER BY
            inner = rows.subquery(table.name, copy=False)
            if alias is not None:
                inner.set("alias", alias)
            inner.set("joins", table.args.get("joins"))
            table.replace(inner)
        return tree.sql(dialect_of(dialect))
    except (SqlglotError, RecursionError, AttributeError, KeyError, ValueError):
        return ""


def _sampled(table: exp.Table) -> bool:
    """Whether it is more than a name: a table function, a sample, a version of another day."""
    from sqlglot import exp

    plain = isinstance(table.this, exp.Identifier)
    known = ("this", "db", "catalog", "alias", "joins")
    return not plain or any(value for key, value in table.args.items() if key not in known)
