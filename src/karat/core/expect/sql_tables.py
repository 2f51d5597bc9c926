"""The tables that SQL reads and writes, and names of tables in a case.

The names of WITH are not tables where they are visible: inside their own query, and not before they are defined, unless
the WITH is recursive. Functions that return rows are not tables either. A name is compared by its last parts: ``a.b.c``
is ``c``, ``b.c`` or ``a.b.c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec

from karat.core.expect.patterns import fits

if TYPE_CHECKING:
    from sqlglot import exp

_COMMENT = re.compile(r"\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(
    r"\(*\s*(?:(?:select|with|insert|update|delete|merge|replace|create|drop|alter|truncate|explain|from|values|copy)\b"
    r"|begin(?:\s+(?:transaction|work))?\s*(?:;|\Z)|pragma\s+\w|(?:grant|revoke)\s+[\w,]+(?:\s+[\w,]+)*\s+on\b"
    r"|(?:call|exec|execute)\s+[\w.]+\s*[(;]"
    r"|show\s+(?:full\s+)?(?:tables|columns|create|databases|schemas|views|index)\b|desc(?:ribe)?\s+[\w.\"`]+\s*(?:;|\Z)"
    r"|set\s+[\w.@]+\s*(?:=|to\b)|use\s+[\w.\"`]+\s*;)",
    re.IGNORECASE,
)
_PART = re.compile(r'"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|([^.]+)')
SENSITIVE = frozenset({"bigquery", "mysql", "doris", "starrocks", "clickhouse"})
"""Kinds of databases that tell names of tables apart by case."""
UPPER = frozenset({"snowflake", "oracle", "db2", "exasol"})
LOWER = frozenset({"postgres", "redshift", "materialize", "risingwave"})
"""Kinds that fold names without quotes, to upper and to lower case. All others take no notice of case."""


class NotSql(Exception):
    """SQL that does not parse: which tables it uses cannot be said."""


class Table(msgspec.Struct, frozen=True):
    """A table as SQL names it: its parts, the most general first, folded as the database does."""

    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """As people write it."""
        return ".".join(self.parts)


def looks_like_sql(text: str) -> bool:
    """Whether a text begins like a statement, after comments."""
    place = 0
    while found := _COMMENT.match(text, place):
        place = found.end()
    return _STATEMENT.match(text, place) is not None


@lru_cache(maxsize=512)
def tables_of(sql: str, dialect: str = "") -> tuple[Table, ...]:
    """Every table of the statements, once, in the order of their names."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(sql, dialect=dialect or None)
        found = {
            _table(table, dialect)
            for statement in statements
            if statement is not None
            for table in statement.find_all(exp.Table)
            if _is_table(table, dialect)
        }
        # A text with a slip, such as "selec * frm pay", is parsed as an expression, which is no statement.
        unread = any(isinstance(statement, exp.Command | exp.Condition | exp.Alias) for statement in statements)
    except (SqlglotError, ValueError, RecursionError) as error:
        raise NotSql(f"the SQL does not parse: {_first_line(error)}") from None
    if unread:
        raise NotSql("the SQL has a statement that cannot be read")
    return tuple(sorted(found, key=lambda table: table.parts))


def _first_line(error: BaseException) -> str:
    text = re.sub(r"\x1b\[\d*m", "", str(error)).strip()
    return text.splitlines()[0][:120] if text else type(error).__name__


def _is_table(table: exp.Table, dialect: str) -> bool:
    from sqlglot import exp

    if not isinstance(table.this, exp.Identifier):
        return False
    if table.args.get("db") is not None:
        return not (dialect in ("bigquery", "redshift") and _is_column(table))
    name = table.name.casefold()
    inner: exp.Expr = table
    own: exp.Expr | None = None
    while (above := inner.parent) is not None:
        if isinstance(inner, exp.CTE) and isinstance(above, exp.With):
            own = inner
        defined = above.args.get("with_") or above.args.get("with")
        if defined is not None and name in _visible(defined, own if inner is defined else None):
            return False
        inner = above
    return True


def _visible(defined: exp.Expr, own: exp.Expr | None) -> Iterator[str]:
    """The names of a WITH, as seen from the query that it belongs to; from inside one of its own queries, those before
    it, or all where it is recursive."""
    for one in defined.expressions:
        if one is own and not defined.args.get("recursive"):
            return
        yield one.alias.casefold()


def _is_column(table: exp.Table) -> bool:
    """``FROM t, t.items``: the rows of a column of another table."""
    from sqlglot import exp

    select = table.find_ancestor(exp.Select)
    others = select.find_all(exp.Table) if select is not None else ()
    return any(one is not table and one.alias_or_name == table.db for one in others) and not table.catalog


def _table(table: exp.Table, dialect: str) -> Table:
    parts = [part for part in table.parts if part.name]
    return Table(tuple(_folded(part.name, dialect, quoted=bool(part.args.get("quoted"))) for part in parts))


def _folded(name: str, dialect: str, *, quoted: bool) -> str:
    if dialect in SENSITIVE:
        return name
    if dialect in UPPER:
        return name if quoted else name.upper()
    if dialect in LOWER:
        return name if quoted else name.lower()
    return name.casefold()


def named_table(name: str, dialect: str = "") -> Table:
    """A table, or a pattern of tables, as people write it: parts in quotes keep their case."""
    found = [(match[1] or match[2] or match[3], match[4]) for match in _PART.finditer(name.strip())]
    parts = (_folded(q if q is not None else p, dialect, quoted=q is not None) for q, p in found if q or p.strip())
    return Table(tuple(parts))


Fit = Literal["yes", "no", "unclear"]


def table_fit(pattern: str, table: Table, dialect: str = "") -> Fit:
    """Whether a table is one that a name with ``*`` stands for. ``unclear``: the SQL leaves out the schema that the
    name has, and the rest is equal."""
    wanted, given = named_table(pattern, dialect).parts, table.parts
    if len(wanted) <= len(given):
        return "yes" if _all_fit(wanted, given[len(given) - len(wanted) :]) else "no"
    if wanted[-1].strip("*") and _all_fit(wanted[len(wanted) - len(given) :], given):
        return "unclear"
    return "no"


def table_fits(pattern: str, table: Table, dialect: str = "") -> bool:
    """Whether it certainly is."""
    return table_fit(pattern, table, dialect) == "yes"


def _all_fit(wanted: Sequence[str], given: Sequence[str]) -> bool:
    return bool(wanted) and all(fits(*pair) for pair in zip(wanted, given, strict=True))
