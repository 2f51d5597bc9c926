"""What prompt templates of this suite can use: ``tables``, ``answer`` and ``instructions``; and the default prompt.

The system message of a task (``default_prompt``) is written by the suite and sent in any case, unless a ``system_prompt``
takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.records import Case
from karat.core.suite_prompt import Hint, Prompting
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.default_prompt import MOST_COLUMNS
from karat.suites.codegen.records import Task
from karat.suites.codegen.tasks.schemas import first_rows, head

MOST_TABLES = 20
FIRST_ROWS = 5
LONGEST_CELL = 80

DEFAULT = """\
{% if tables %}
These {{ "tables" if language == "sql" else "pandas data frames" }} are there:
{% for table in tables %}

{{ table.name }}
columns: {% for column in table.columns %}{{ column.name }} ({{ column.type }}){{ ", " if not loop.last }}{% endfor %}

first rows:
{% for row in table.rows %}
{{ row | join(" | ") }}
{% endfor %}
{% endfor %}

{% endif %}
{{ question }}

{% if language == "sql" %}
Reply with one SELECT (DuckDB) in one fenced block, and no other block:

```sql
SELECT ...
```
{% else %}
Reply with Python code in one fenced block, and no other block:

```python
{% if answer %}
{{ answer }} = ...
{% else %}
...
{% endif %}
```
{% if answer %}

Leave the answer in the variable `{{ answer }}`; do not print it.
{% endif %}
{% endif %}
"""


def _task(case: Case[Task]) -> Task:
    return next((turn.target for turn in reversed(case.conversation) if turn.target is not None), Task())


def tables(case: Case[Task], options: Options) -> list[JsonObject]:  # noqa: ARG001 (the signature of a hint)
    """The tables of a task: their columns with types, and their first rows."""
    found = []
    for name, source in list(_task(case).tables.items())[:MOST_TABLES]:
        columns = [{"name": column.name, "type": column.kind} for column in head(source)[:MOST_COLUMNS]]
        rows = [[_cell(cell) for cell in row[:MOST_COLUMNS]] for row in first_rows(source, FIRST_ROWS)]
        found.append({"name": name, "columns": columns, "rows": rows})
    return found


def _cell(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def answer(case: Case[Task], options: Options) -> str:  # noqa: ARG001 (the signature of a hint)
    """The variable that the answer is left in; empty where the task says in its own words where it goes."""
    task = _task(case)
    only_files = task.expected is not None and task.expected.only_files
    return "" if task.template or task.harness is not None or only_files else task.answer


def language(case: Case[Task], options: Options) -> str:  # noqa: ARG001 (the signature of a hint)
    """What the answer is written in."""
    return _task(case).language


def instructions(case: Case[Task], options: Options) -> str:  # noqa: ARG001 (the signature of a hint)
    """The system message of the task, as it is sent without a ``system_prompt``."""
    return "\n\n".join(turn.content for turn in case.conversation if turn.role == "system")


def answer_schema(cases: Sequence[Case[Task]], options: Options) -> JsonMapping:  # noqa: ARG001 (always the same)
    """Code as a text."""
    return {
        "type": "object",
        "properties": {"code": {"type": "string"}},
        "required": ["code"],
        "additionalProperties": False,
    }


PROMPTING = Prompting(
    DEFAULT,
    {
        "tables": Hint("the tables of the task: name, columns (name, type), rows (the first five)", tables),
        "answer": Hint("the variable that the answer is left in", answer),
        "language": Hint("what the answer is written in: python or sql", language),
        "instructions": Hint("the system message of the task", instructions),
    },
    answer_schema,
    own_system_message=True,
)
