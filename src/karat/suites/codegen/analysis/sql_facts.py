"""What a SQL query does on the way to its result, in the same facts as code.

Columns are those of the schema, in its spelling. What an inner query makes and nobody uses counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from karat.suites.codegen.analysis.reader.collected import collected, reached_from
from karat.suites.codegen.analysis.reader.state import ExhaustedError, State
from karat.suites.codegen.analysis.reader.values import Value, reach, unknown
from karat.suites.codegen.analysis.records import CodeFacts, Link
from karat.suites.codegen.analysis.sql.parse import DIALECT, LONGEST
from karat.suites.codegen.analysis.sql.query import query_result
from karat.suites.codegen.records import Schema

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr


def sql_facts(query: str, schema: Schema) -> CodeFacts:
    """The facts of a query; only its error where it cannot be read."""
    if len(query) > LONGEST:
        return CodeFacts(syntax_error=f"line 1: longer than {LONGEST:,} characters", error_line=1)
    tree = _tree(query)
    if not isinstance(tree, CodeFacts):
        try:
            return _facts(tree, schema)
        except RecursionError:
            return CodeFacts(syntax_error="line 1: nested too deeply to be read", error_line=1)
        except ExhaustedError:
            return CodeFacts(syntax_error="line 1: expands into too much to be read", error_line=1)
    return tree


def _tree(query: str) -> Expression | CodeFacts:
    """The query as a tree, or the error that it cannot be read for."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        return sqlglot.parse_one(query, dialect=DIALECT)
    except (SqlglotError, RecursionError) as error:
        details = getattr(error, "errors", None) or [{}]
        line = int(details[0].get("line") or 1)
        said = (str(details[0].get("description") or error).splitlines() or ["cannot be parsed"])[0][:200]
        return CodeFacts(syntax_error=f"line {line}: {said}", error_line=line)


def _facts(tree: Expression, schema: Schema) -> CodeFacts:
    state = State(schema, {}, _no_call, lambda _state, _statements: False)
    tables = {name.casefold(): state.table(name) for name in schema.tables}
    result = query_result(state, tree, tables)
    facts = collected(reached_from(reach(result, 0)), schema)
    return msgspec.structs.replace(facts, links=tuple(sorted(facts.links, key=lambda link: _places(facts, link))))


def _places(facts: CodeFacts, link: Link) -> tuple[int, int]:
    return facts.filters.index(link.first), facts.filters.index(link.second)


def _no_call(state: State, _function: Value, given: Sequence[Value], _named: Mapping[str, Value] | None) -> Value:
    """A query has no functions of its own."""
    return unknown(state.reach(*given), state.line)


def sets_order(query: str) -> bool:
    """Whether the rows of the query's own result are in an order that it asks for."""
    from sqlglot import exp

    tree = _tree(query)
    if isinstance(tree, CodeFacts):
        return False
    while isinstance(tree, exp.Subquery | exp.Paren):
        tree = tree.this
    return tree.args.get("order") is not None


def sql_constants(query: str) -> Iterator[str | int | float]:
    """The numbers and texts that a query names."""
    from sqlglot import exp

    tree = _tree(query)
    if isinstance(tree, CodeFacts):
        return
    for node in tree.find_all(exp.Literal):
        if node.is_string:
            yield node.name
        elif node.is_int:
            yield int(node.name)
        else:
            yield float(node.name)
