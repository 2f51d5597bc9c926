"""The facts of an answer, read where it is: a function that a template calls is not dead code."""

from __future__ import annotations

import msgspec

from karat.suites.codegen.analysis import analyse
from karat.suites.codegen.analysis.records import CodeFacts, Filter, Link
from karat.suites.codegen.analysis.sql_facts import sql_facts
from karat.suites.codegen.records import Schema, Task
from karat.suites.codegen.running.execution import Snippet, snippet_of
from karat.suites.codegen.running.sql_programs import query_in


def facts_of(task: Task, code: str, schema: Schema) -> CodeFacts:
    """What the code does on the way to its result; lines are counted in the code itself."""
    query = query_in(code)
    if query is not None:
        return sql_facts(query, schema)
    if not task.template:
        return analyse(code, schema, task.answer)
    # Without the setup: what that makes is in the schema, and would be read as made by the code.
    snippet = snippet_of(msgspec.structs.replace(task, setup="", answer="result", harness=None), code)
    return _in_own_lines(analyse(snippet.code, schema, task.answer), snippet)


def _in_own_lines(facts: CodeFacts, snippet: Snippet) -> CodeFacts:
    def own(line: int) -> int:
        return snippet.own_line(line)

    def moved(one: Filter) -> Filter:
        return msgspec.structs.replace(one, line=own(one.line))

    return msgspec.structs.replace(
        facts,
        filters=tuple(moved(one) for one in facts.filters),
        links=tuple(Link(one.word, moved(one.first), moved(one.second)) for one in facts.links),
        orders=tuple(msgspec.structs.replace(one, line=own(one.line)) for one in facts.orders),
        joins=tuple(msgspec.structs.replace(one, line=own(one.line)) for one in facts.joins),
        aggregations=tuple(msgspec.structs.replace(one, line=own(one.line)) for one in facts.aggregations),
        dead_lines=tuple(own(line) for line in facts.dead_lines if own(line)),
        unused_names=tuple((name, own(line)) for name, line in facts.unused_names if own(line)),
        error_line=own(facts.error_line),
    )
