"""What a SQL query does on the way to its result, in the same facts as code.

Everything in a query reaches its result, so nothing is dead. Columns are those of the schema, in its spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from karat.suites.codegen.records import Aggregation, CodeFacts, Filter, Join, Link, Order, Schema

if TYPE_CHECKING:
    from sqlglot import exp

    Named = Callable[[exp.Expr | None], str]
    """The column of the schema that an expression is about; empty when there is none."""

_COMPARED = {"EQ": "==", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
MOST_LINKED = 40
"""Conditions whose links are read: their number grows with the square."""
_STATISTICS = {
    "Avg": "mean",
    "Sum": "sum",
    "Max": "max",
    "Min": "min",
    "Count": "count",
    "Median": "median",
    "Stddev": "std",
    "StddevPop": "std",
    "StddevSamp": "std",
    "Variance": "var",
    "VariancePop": "var",
}


def sql_facts(query: str, schema: Schema) -> CodeFacts:
    """The facts of a query; only its error where it cannot be read."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(query, dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        details = getattr(error, "errors", None) or [{}]
        line = int(details[0].get("line") or 1)
        said = str(details[0].get("description") or error).splitlines()[0][:200]
        return CodeFacts(syntax_error=f"line {line}: {said}", error_line=line)
    known = {name.casefold(): name for name in schema.columns}

    def column(node: exp.Expr | None) -> str:
        found = node.find(exp.Column) if node is not None else None
        return known.get(found.name.casefold(), "") if found is not None else ""

    names = [known[found.name.casefold()] for found in tree.find_all(exp.Column) if found.name.casefold() in known]
    names += [
        known[name.casefold()]
        for using in tree.find_all(exp.Join)
        for name in _using(using)
        if name.casefold() in known
    ]
    tables = {name.casefold(): name for name in schema.tables}
    read = [tables[table.name.casefold()] for table in tree.find_all(exp.Table) if table.name.casefold() in tables]
    if any(isinstance(star.parent, exp.Select) for star in tree.find_all(exp.Star)):
        names += [name for table in read for name in schema.tables[table]]
    conditions = list(_conditions(tree, column))
    filters = tuple(filter_ for _, filter_ in conditions)
    groups = tuple(
        name
        for node in tree.find_all(exp.Group)
        for part in node.expressions
        if (name := column(_position(node, part)))
    )
    aggregations = tuple(
        Aggregation(_STATISTICS[type(node).__name__], column(node))
        for node in tree.find_all(exp.AggFunc)
        if type(node).__name__ in _STATISTICS
    )
    joins = tuple(
        Join("merge", tuple(filter(None, (*_using(node), column(node.args.get("on"))))))
        for node in tree.find_all(exp.Join)
    )
    operations = [
        *(one.function for one in aggregations),
        *(["groupby"] if groups else []),
        *(["merge"] if joins else []),
    ]
    operations += ["sort_values"] if tree.find(exp.Order) else []
    operations += ["unique"] if tree.find(exp.Distinct) else []
    return CodeFacts(
        columns=tuple(dict.fromkeys(names)),
        operations=tuple(dict.fromkeys(operations)),
        filters=filters,
        links=tuple(_links(conditions)),
        group_keys=tuple(dict.fromkeys(groups)),
        orders=tuple(_orders(tree, column)),
        joins=joins,
        aggregations=aggregations,
        tables=tuple(dict.fromkeys(read)),
    )


def sets_order(query: str) -> bool:
    """Whether the rows of the query's own result are in an order that it asks for."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(query, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return False
    while isinstance(tree, exp.Subquery | exp.Paren):
        tree = tree.this
    return tree.args.get("order") is not None


def sql_constants(query: str) -> Iterator[str | int | float]:
    """The numbers and texts that a query names."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(query, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return
    for node in tree.find_all(exp.Literal):
        if node.is_string:
            yield node.name
        elif node.is_int:
            yield int(node.name)
        else:
            yield float(node.name)


def _using(join: exp.Expr) -> list[str]:
    return [part.name for part in join.args.get("using") or ()]


def _position(group: exp.Expr, part: exp.Expr) -> exp.Expr:
    """``GROUP BY 1`` is the first thing that is selected."""
    from sqlglot import exp

    select = group.parent
    if isinstance(part, exp.Literal) and part.is_int and isinstance(select, exp.Select):
        place = int(part.name) - 1
        if 0 <= place < len(select.expressions):
            found: exp.Expr = select.expressions[place]
            return found
    return part


def _conditions(tree: exp.Expr, column: Named) -> Iterator[tuple[exp.Expr, Filter]]:
    """The comparisons in WHERE, HAVING and QUALIFY."""
    from sqlglot import exp

    for clause in tree.find_all(exp.Where, exp.Having, exp.Qualify):
        for node in clause.find_all(exp.Predicate):
            kind = type(node).__name__
            name = column(node)
            if kind in _COMPARED:
                yield node, Filter(name, _COMPARED[kind], _constant(node.expression) or _constant(node.this))
            elif isinstance(node, exp.Between):
                yield node, Filter(name, ">=", _constant(node.args["low"]))
                yield node, Filter(name, "<=", _constant(node.args["high"]))
            elif isinstance(node, exp.In):
                for value in node.expressions:
                    yield node, Filter(name, "in", _constant(value))
            elif isinstance(node, exp.Like | exp.ILike):
                yield node, Filter(name, "contains", _constant(node.expression).strip("%"))
            elif isinstance(node, exp.Is):
                yield node, Filter(name, "notnull" if isinstance(node.parent, exp.Not) else "isnull", "")


def _constant(node: exp.Expr | None) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Neg):
        return f"-{_constant(node.this)}"
    if isinstance(node, exp.Cast):
        return _constant(node.this)
    return str(node.name) if isinstance(node, exp.Literal) else ""


def _links(conditions: list[tuple[exp.Expr, Filter]]) -> Iterator[Link]:
    """Two conditions and the nearest AND or OR above both."""
    from sqlglot import exp

    conditions = conditions[:MOST_LINKED]
    for place, (node, first) in enumerate(conditions):
        for other, second in conditions[place + 1 :]:
            if node is other:
                yield Link("or" if first.operator == "in" else "and", first, second)
                continue
            above = _ancestors(other)
            common = next((one for one in _ancestors(node) if any(one is its for its in above)), None)
            while common is not None and not isinstance(common, exp.And | exp.Or | exp.Where | exp.Having | exp.Query):
                common = common.parent
            yield Link("or" if isinstance(common, exp.Or) else "and", first, second)


def _ancestors(node: exp.Expr) -> list[exp.Expr]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def _orders(tree: exp.Expr, column: Named) -> Iterator[Order]:
    from sqlglot import exp

    for node in tree.find_all(exp.Order):
        if not isinstance(node.parent, exp.Query):
            continue
        descending = [bool(part.args.get("desc")) for part in node.expressions]
        aliases = (
            {one.alias: one for one in node.parent.expressions if one.alias}
            if isinstance(node.parent, exp.Select)
            else {}
        )
        columns = tuple(filter(None, (column(aliases.get(part.this.name, part)) for part in node.expressions)))
        limit = node.parent.args.get("limit")
        count = int(limit.expression.name) if limit is not None and isinstance(limit.expression, exp.Literal) else None
        ascending = not descending[0] if descending else True
        yield Order("sort", columns, ascending)
        if limit is not None:
            yield Order("smallest" if ascending else "largest", columns, ascending, count)
    for cut in tree.find_all(exp.Limit):
        parent = cut.parent
        bare = isinstance(parent, exp.Query) and parent.args.get("order") is None
        if bare and isinstance(cut.expression, exp.Literal):
            yield Order("head", (), None, int(cut.expression.name))
