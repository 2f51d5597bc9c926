"""What a task touches, and what there is to touch: tables, columns, functions and the kinds of steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from karat.core.problems import UserError
from karat.core.records import Case
from karat.engines import EngineError
from karat.suites.codegen.analysis.answer_facts import facts_of
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Schema, Task
from karat.suites.codegen.running.sql_programs import in_python
from karat.suites.codegen.tasks.schemas import schema_of

STEPS = ("filter", "group", "order", "join", "aggregation")


def covers(case: Case[Task], _options: Options) -> Mapping[str, Iterable[str]]:
    """Kind → what the reference uses. A task without a reference touches only its tables."""
    found: dict[str, list[str]] = {"table": [], "column": [], "function": [], "step": []}
    for turn in case.conversation:
        task = turn.target
        if task is None:
            continue
        schema = _schema(task)
        try:
            facts = facts_of(task, in_python(task).reference, schema)
        except EngineError:
            facts = CodeFacts()
        found["table"] += facts.tables or task.tables
        found["column"] += [name for name in _named(schema) if name.partition(".")[2] in facts.columns]
        found["function"] += facts.operations
        steps = (facts.filters, facts.group_keys, facts.orders, facts.joins, facts.aggregations)
        found["step"] += [name for name, used in zip(STEPS, steps, strict=True) if used]
    return found


def coverable(cases: Sequence[Case[Task]], _options: Options) -> Mapping[str, Iterable[str]]:
    """Kind → everything that the tables of the tasks have."""
    schemas = [_schema(turn.target) for case in cases for turn in case.conversation if turn.target is not None]
    return {
        "table": [name for schema in schemas for name in schema.tables],
        "column": [name for schema in schemas for name in _named(schema)],
        "step": STEPS,
    }


def _named(schema: Schema) -> list[str]:
    return [f"{table}.{column}" for table, columns in schema.tables.items() for column in columns]


def _schema(task: Task) -> Schema:
    try:
        return schema_of(task)
    except (UserError, OSError):  # karat check says what is wrong with the table
        return Schema({})
