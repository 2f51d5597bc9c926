"""How hard a gold query is by Spider's rule: easy, medium, hard or extra, from the clauses that it has."""

from __future__ import annotations

from functools import lru_cache

from karat.suites.answers.text_to_sql.queries.parsed import parsed


@lru_cache(maxsize=8192)
def hardness(sql: str, dialect: str) -> str:
    """Empty for what cannot be parsed."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = parsed(sql, dialect)
    except (SqlglotError, RecursionError):
        return ""
    queries = list(tree.find_all(exp.Select))
    combined = len(list(tree.find_all(exp.SetOperation)))
    first = queries[0] if queries else tree
    nested = max(0, len(queries) - 1 - combined) + combined
    own = [node for node in first.walk() if node.find_ancestor(exp.Select) is first]
    where, group = first.args.get("where"), first.args.get("group")
    conditions = [
        node for node in own if isinstance(node, exp.Predicate) and not isinstance(node, exp.SubqueryPredicate)
    ]
    in_where = [node for node in conditions if node.find_ancestor(exp.Where) is where] if where is not None else []
    clauses = (
        sum(first.args.get(name) is not None for name in ("where", "group", "order", "limit"))
        + len(first.args.get("joins") or ())
        + sum(isinstance(node, exp.Or) for node in own)
        + sum(isinstance(node, exp.Like) for node in own)
    )
    others = (
        (sum(isinstance(node, exp.AggFunc) for node in own) > 1)
        + (len(first.expressions) > 1)
        + (len(in_where) > 1)
        + (group is not None and len(group.expressions) > 1)
    )
    return level(clauses, nested, others)


def level(clauses: int, nested: int, others: int) -> str:
    """Spider's thresholds."""
    if clauses <= 1 and others == 0 and nested == 0:
        return "easy"
    if nested == 0 and ((others <= 2 and clauses <= 1) or (clauses <= 2 and others < 2)):
        return "medium"
    if nested == 0 and ((others > 2 and clauses <= 2) or (2 < clauses <= 3 and others <= 2)):
        return "hard"
    return "hard" if clauses <= 1 and others == 0 and nested <= 1 else "extra"
