"""The facts that can be reached from a result."""

from __future__ import annotations

from karat.suites.codegen.analysis.reader.values import GroupKey, Node, Operation, TableRead, Unread, Used
from karat.suites.codegen.analysis.records import Aggregation, CodeFacts, Filter, Join, Link, Order
from karat.suites.codegen.records import Schema


def reached_from(end: Node) -> list[Node]:
    """All nodes on the way to this one, the earliest first as far as that is known."""
    seen: set[int] = set()
    found: list[Node] = []
    stack: list[tuple[Node, bool]] = [(end, False)]
    while stack:
        node, done = stack.pop()
        if done:
            found.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((parent, False) for parent in reversed(node.parents) if id(parent) not in seen)
    return found


def collected(reached: list[Node], schema: Schema) -> CodeFacts:
    """The facts of these nodes. Without a table in the schema every value counts."""
    anything = not schema.tables
    facts = dict.fromkeys(fact for node in reached if node.tabular or anything for fact in node.facts)
    used = {fact.column for fact in facts if isinstance(fact, Used)}
    return CodeFacts(
        columns=tuple(column for column in schema.columns if column in used),
        operations=tuple(dict.fromkeys(fact.name for fact in facts if isinstance(fact, Operation))),
        filters=tuple(fact for fact in facts if isinstance(fact, Filter)),
        links=tuple(fact for fact in facts if isinstance(fact, Link)),
        group_keys=tuple(dict.fromkeys(fact.column for fact in facts if isinstance(fact, GroupKey) and fact.column)),
        orders=tuple(fact for fact in facts if isinstance(fact, Order)),
        joins=tuple(fact for fact in facts if isinstance(fact, Join)),
        aggregations=tuple(fact for fact in facts if isinstance(fact, Aggregation)),
        unread=any(isinstance(fact, Unread) for node in reached for fact in node.facts),
        tables=tuple(dict.fromkeys(fact.name for fact in facts if isinstance(fact, TableRead))),
    )
