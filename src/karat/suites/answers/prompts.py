"""The default prompt of this suite: the tables of the database, and how to answer. In templates, the tables are
``schema``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.core.records import AnyCase
from karat.core.suite_prompt import Hint, Prompting
from karat.suites.answers.comparison import database_of
from karat.suites.answers.options import Options
from karat.suites.answers.records import Queries

if TYPE_CHECKING:
    from karat.engines.table_names import TableColumns

MOST_TABLES = 200
MOST_COLUMNS = 2_000
"""Of all tables together."""

DEFAULT = """\
{% if schema %}
You answer questions about a {{ dialect }} database with one SQL query.

Its tables:
{% for table in schema %}
- {{ table.name }}({% for column in table.columns %}{{ column.name }}{{ " " ~ column.type if column.type }}{{ ", " if not loop.last }}{% endfor %})
{% endfor %}

Question: {{ question }}
{% if evidence %}
What to know: {{ evidence }}
{% endif %}

Write one SELECT statement that returns exactly what is asked for, and nothing that changes data.
Put it into one fenced block, and write no other SQL:

```sql
SELECT ...
```
{% else %}
Question: {{ question }}

Reply with the answer alone: the number, name or date that is asked for, without a sentence around it.
{% endif %}
"""


def schema(case: AnyCase, options: Options) -> list[JsonObject]:
    """The tables of the case's database, cut to a bounded size; none when no engine is configured for it."""
    from karat.engines.protocol import EngineError
    from karat.suites.answers.sql.execution import runner_for

    queries = _queries(case)
    if queries is None and not options.runs_sql(case.id):
        return []
    try:
        tables = _tables(queries, options) if queries else runner_for(options).tables(case.id, database_of(case))
    except EngineError as error:
        raise UserError(f'the tables of the database of "{case.id}" cannot be read: {error.message}') from error
    found: list[JsonObject] = []
    room = MOST_COLUMNS
    for table in tables[:MOST_TABLES]:
        columns = [{"name": name, "type": kind} for name, kind in table.columns[:room]]
        room -= len(columns)
        if columns:
            found.append({"name": table.name, "columns": columns})
    return found


def _queries(case: AnyCase) -> Queries | None:
    return next((turn.target.queries for turn in case.conversation if turn.target is not None), None)


def _tables(queries: Queries, options: Options) -> Sequence[TableColumns]:
    from karat.suites.answers.text_to_sql.running.case_engine import bench_for

    bench = bench_for(queries, options)
    return bench.databases.tables(bench.settings)


def evidence(case: AnyCase, _options: Options) -> str:
    """What the question file tells beside the question, such as BIRD's evidence."""
    queries = _queries(case)
    return queries.evidence if queries is not None else ""


def dialect(case: AnyCase, options: Options) -> str:
    """The kind of the case's database; empty when none is configured."""
    queries = _queries(case)
    if queries is not None:
        from karat.suites.answers.text_to_sql.running.databases import engine_settings

        return str(engine_settings(options.databases, queries.database)["engine"])
    engine = options.engine_for(case.id)
    if engine is not None:
        return engine.engine
    if not options.databases:
        return ""
    from karat.suites.answers.sql.by_prefix import settings_by_prefix

    return str(settings_by_prefix(case.id, options.databases, database_of(case))["engine"])


def answer_schema(cases: Sequence[AnyCase], options: Options) -> JsonMapping:
    """SQL where there is a database to run it on, else the answer itself; either of the two where only some cases have
    a database."""
    names = {"sql" if _queries(case) or options.runs_sql(case.id) else "answer" for case in cases}
    names = names or {"sql" if options.engines else "answer"}
    kind = "string" if len(names) == 1 else ["string", "null"]
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name in sorted(names)},
        "required": sorted(names),
        "additionalProperties": False,
    }


PROMPTING = Prompting(
    DEFAULT,
    {
        "schema": Hint("the tables of the case's database: name, columns (name, type)", schema),
        "dialect": Hint("the kind of the case's database, such as sqlite", dialect),
        "evidence": Hint("what the question file tells beside the question", evidence),
    },
    answer_schema,
)
