"""A query with every column under the name of its table, so that two queries can be compared part by part.

A table that is used once goes by its own name, one that is used several times by its name and a number. Most queries
are one SELECT over tables of the schema: those are done here. Sub-queries, CTEs, set operations, stars and names that
more than one table has are left to sqlglot's optimizer, which takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from karat.suites.answers.text_to_sql.components.named_tables import with_ctes_inside, without_aliases
from karat.suites.answers.text_to_sql.queries.parsed import dialect_of

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.schema import MappingSchema

Schema = tuple[tuple[str, tuple[str, ...]], ...]
"""Tables with their columns."""
Required = frozenset[tuple[str, str]]
"""(table, column) of the columns that hold no null, in lower case."""
NONE_REQUIRED: Required = frozenset()
Columns = Mapping[str, frozenset[str]]
"""The same, in lower case."""


def qualified(tree: exp.Expr, sql: str, dialect: str, schema: Schema) -> exp.Expr:
    """The query, changed; ``sql`` is the text that it was parsed from. Raises SqlglotError."""
    columns = _columns(schema)
    if dialect == "sqlite" and schema and '"' in sql:
        _make_texts(tree, sql, columns)
    return tree if _in_one_scope(tree, columns) else _by_optimizer(tree, dialect, schema)


@lru_cache(maxsize=64)
def _columns(schema: Schema) -> Columns:
    return {table.lower(): frozenset(map(str.lower, columns)) for table, columns in schema}


def _make_texts(tree: exp.Expr, sql: str, columns: Columns) -> None:
    """SQLite takes a name in double quotes that no column has for a text: ``country = "FR"``."""
    from sqlglot import exp

    quoted = [one for one in tree.find_all(exp.Column) if not one.args.get("table") and _in_double_quotes(one, sql)]
    if not quoted:
        return
    known = {name for table in tree.find_all(exp.Table) for name in columns.get(table.name.lower(), ())}
    known |= {one.alias.lower() for one in tree.find_all(exp.Alias)} | {"rowid", "oid", "_rowid_"}
    known |= {one.name.lower() for alias in tree.find_all(exp.TableAlias) for one in alias.columns}
    for column in quoted:
        if column.name.lower() not in known:
            column.replace(exp.Literal.string(column.name))


def _in_double_quotes(column: exp.Expr, sql: str) -> bool:
    """What is in backticks or brackets is always a name."""
    start = column.this.meta.get("start")
    return isinstance(start, int) and sql[start : start + 1] == '"'


def _in_one_scope(tree: exp.Expr, columns: Columns) -> bool:
    """Name the tables of all columns, where that takes no more than a look at the schema. Else nothing is changed."""
    from sqlglot import exp

    source = tree.args.get("from_") or tree.args.get("from")
    if type(tree) is not exp.Select or source is None:
        return False
    joins = tree.args.get("joins") or ()
    if any(join.args.get("using") or join.args.get("method") for join in joins):
        return False
    sources = _sources([source.this, *(join.this for join in joins)], columns)
    if sources is None or _has_places(tree):
        return False
    aliases = {one.alias.lower() for one in tree.expressions if type(one) is exp.Alias}
    named: list[tuple[exp.Expr, str, str]] = []
    for node in tree.walk():
        if type(node) is exp.Column:
            name, table = node.name.lower(), node.table.lower()
            if node.args.get("db") or isinstance(node.this, exp.Star) or (table and table not in sources):
                return False
            holders = [table] if table else [one for one, (_, known) in sources.items() if name in known]
            if len(holders) > 1 or (not table and name in aliases):
                return False
            named.append((node, name, sources[holders[0]][0] if holders else ""))
        elif node is not tree and isinstance(node, _left_to_optimizer()):
            return False
    for node, name, table in named:
        node.set("this", exp.to_identifier(name))
        if table:
            node.set("table", exp.to_identifier(table))
    return True


@lru_cache(maxsize=1)
def _left_to_optimizer() -> tuple[type[exp.Expr], ...]:
    from sqlglot import exp

    return exp.Query, exp.CTE, exp.UDTF, exp.Window, exp.Pivot, exp.Lambda, exp.Hint


def _sources(tables: Iterable[exp.Expr], columns: Columns) -> dict[str, tuple[str, frozenset[str]]] | None:
    """Alias → (the name it goes by, columns); None where one is no plain table of the schema."""
    from sqlglot import exp

    found: dict[str, tuple[str, frozenset[str]]] = {}
    used: dict[str, int] = {}
    for table in tables:
        alias = table.alias_or_name.lower()
        plain = type(table) is exp.Table and not any(
            value for key, value in table.args.items() if key not in ("this", "alias")
        )
        name = table.name.lower()
        if not plain or alias in found or name not in columns:
            return None
        used[name] = used.get(name, 0) + 1
        found[alias] = (name if used[name] == 1 else f"{name} {used[name]}", columns[name])
    return found


def _has_places(tree: exp.Expr) -> bool:
    """Whether it groups or orders by the number of a column."""
    from sqlglot import exp

    clauses = [clause for name in ("group", "order") if (clause := tree.args.get(name)) is not None]
    keys = [one.this if type(one) is exp.Ordered else one for clause in clauses for one in clause.expressions]
    return any(type(key) is exp.Literal for key in keys)


def _by_optimizer(tree: exp.Expr, dialect: str, schema: Schema) -> exp.Expr:
    """CTEs and sub-queries are merged where that is possible."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.merge_subqueries import merge_subqueries
    from sqlglot.optimizer.qualify import qualify

    stars = _kept_stars(with_ctes_inside(tree), schema)
    try:
        tree = qualify(
            tree,
            schema=_known(schema, dialect),
            dialect=dialect_of(dialect),
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
            expand_stars=True,
        )
        if tree.find(exp.Subquery, exp.CTE) is not None:
            tree = merge_subqueries(tree)
    except SqlglotError:
        pass  # an unknown column, which the execution has reported already
    for star in stars:
        star.replace(exp.Star())
    return without_aliases(tree)


def _kept_stars(tree: exp.Expr, schema: Schema) -> list[exp.Expr]:
    """What is put in the place of ``*`` in the outermost query, as long as that reads plain tables: all their columns
    in its place are no help to a reader. Elsewhere a star becomes the columns that it stands for."""
    from sqlglot import exp

    source = tree.args.get("from_") or tree.args.get("from")
    if not isinstance(tree, exp.Select) or source is None:
        return []
    known = _columns(schema)
    sources = [source.this, *(join.this for join in tree.args.get("joins") or ())]
    if not all(isinstance(one, exp.Table) and one.name.lower() in known for one in sources):
        return []
    plain = [one for one in tree.expressions if type(one) is exp.Star and not any(one.args.values())]
    return [one.replace(exp.var("*")) for one in plain]


@lru_cache(maxsize=64)
def _known(schema: Schema, dialect: str) -> MappingSchema:
    """The tables as sqlglot has them; for many queries on one database they are made once."""
    from sqlglot.schema import MappingSchema

    known: dict[str, object] = {table: dict.fromkeys(columns, "text") for table, columns in schema}
    return MappingSchema(known, dialect=dialect_of(dialect))
