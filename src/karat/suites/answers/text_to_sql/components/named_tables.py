"""A query in which every table goes by its own name, and every CTE stands where it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

DERIVED = "sub_query"
"""The name of a query in FROM."""
MOST_TABLES = 60
"""Of a query with its CTEs inside: one that is read often, and reads another that is, grows without limit."""


def with_ctes_inside(tree: exp.Expr) -> exp.Expr:
    """The query, changed: each CTE where it is read. One that is recursive, or names its columns, stays."""
    from sqlglot import exp

    head = tree.args.get("with_") or tree.args.get("with")
    if head is None or head.args.get("recursive"):
        return tree
    bodies: dict[str, exp.Query] = {}
    for cte in head.expressions:
        names = cte.args.get("alias")
        reads = {table.name.lower() for table in cte.find_all(exp.Table)}
        if names is None or names.columns or cte.alias.lower() in reads or not isinstance(cte.this, exp.Query):
            return tree
        if not _put_inside(cte.this, bodies):
            return tree
        bodies[cte.alias.lower()] = cte.this
    before = tree.copy()
    head.pop()
    return tree if _put_inside(tree, bodies) else tree.replace(before)


def _put_inside(query: exp.Expr, bodies: Mapping[str, exp.Query]) -> bool:
    """Whether all could be done."""
    from sqlglot import exp

    tables = [one for one in query.find_all(exp.Table) if not one.db and one.name.lower() in bodies]
    plain = all(not value for one in tables for key, value in one.args.items() if key not in ("this", "alias"))
    grown = sum(len(list(bodies[one.name.lower()].find_all(exp.Table))) for one in tables)
    if not plain or grown > MOST_TABLES:
        return False
    for one in tables:
        one.replace(bodies[one.name.lower()].copy().subquery(one.alias_or_name, copy=False))
    return True


def without_aliases(tree: exp.Expr) -> exp.Expr:
    """The query, changed: columns under the names of their tables, which are numbered where a query reads the same
    table again, or looks at one around it that does. A query in FROM goes by DERIVED: its alias has no meaning."""
    from sqlglot import exp

    known: dict[int, dict[str, str]] = {}
    counts: dict[int, dict[str, int]] = {}
    selects = list(tree.find_all(exp.Select))  # outer ones first
    for select in selects:
        outer = _around(select)
        used = dict(counts[id(outer)]) if outer is not None and _looks_outside(select) else {}
        counts[id(select)], names = used, known.setdefault(id(select), {})
        for source in _sources(select):
            name = source.name.lower() if isinstance(source, exp.Table) else DERIVED
            used[name] = used.get(name, 0) + 1
            names[source.alias_or_name.lower()] = name if used[name] == 1 else f"{name} {used[name]}"
    for column in tree.find_all(exp.Column):
        table = column.table.lower()
        column.set("this", exp.to_identifier(column.name.lower()))
        if table:
            column.set("table", exp.to_identifier(_meant(column, table, known)))
    for select in selects:
        _drop_aliases(select, known[id(select)], keep=select is tree)
    return tree


def _sources(select: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    source = select.args.get("from_") or select.args.get("from")
    found = [source.this if source is not None else None, *(join.this for join in select.args.get("joins") or ())]
    return [one for one in found if isinstance(one, exp.Table | exp.Subquery)]


def _around(node: exp.Expr) -> exp.Expr | None:
    """The SELECT around a node."""
    from sqlglot import exp

    return node.find_ancestor(exp.Select)


def _in_from(select: exp.Expr) -> bool:
    """Whether it is what another query reads, which sees none of the tables there."""
    from sqlglot import exp

    above = select.find_ancestor(exp.From, exp.Join, exp.CTE, exp.Select)
    return not isinstance(above, exp.Select)


def _looks_outside(select: exp.Expr) -> bool:
    """Whether it has columns of a query around it."""
    from sqlglot import exp

    own = {source.alias_or_name.lower() for one in select.find_all(exp.Select) for source in _sources(one)}
    return any(column.table and column.table.lower() not in own for column in select.find_all(exp.Column))


def _meant(column: exp.Expr, table: str, known: Mapping[int, Mapping[str, str]]) -> str:
    select = _around(column)
    while select is not None:
        if table in known.get(id(select), {}):
            return known[id(select)][table]
        select = _around(select)
    return table


def _drop_aliases(select: exp.Expr, names: Mapping[str, str], *, keep: bool) -> None:
    """Names that nobody needs: of tables, and of columns where a condition asks for the values alone."""
    from sqlglot import exp

    for source in _sources(select):
        name = names.get(source.alias_or_name.lower(), "")
        needed = name != source.name.lower() if isinstance(source, exp.Table) else bool(name)
        source.set("alias", exp.TableAlias(this=exp.to_identifier(name)) if needed else None)
    if keep:
        return
    for one in list(select.expressions):
        if isinstance(one, exp.Alias) and (not _in_from(select) or one.alias.lower() == one.this.name.lower()):
            one.replace(one.this)
