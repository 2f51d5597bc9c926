"""SQL as an answer (``language: sql``): one query over the task's tables.

The query passes the guard of the engines first, in this process: one SELECT, nothing that writes, no files, no network.
Then it runs in the sandbox, in a DuckDB in memory with one thread. The tables are views there; access to anything else
is off, and the settings are locked. Everything that runs code gets a small Python program around the query.
"""

from __future__ import annotations

import ast
import re

import msgspec

from karat.core.installed.extras import install_command
from karat.core.problems import UserError
from karat.engines import EngineError
from karat.sandbox import Outcome
from karat.suites.codegen.records import Attempt, ErrorClass, Task

DIALECT = "duckdb"
MEMORY_SHARE = 0.75
"""Of the task's memory that DuckDB may plan with. Beyond it a query ends with an error, before the process does."""
_LINE = re.compile(r"^LINE (\d+):", re.MULTILINE)
_CLASSES: dict[str, ErrorClass] = {
    "BinderException": "column_error",
    "ParserException": "syntax_error",
    "SyntaxException": "syntax_error",
    "ConversionException": "type_error",
    "InvalidTypeException": "type_error",
    "TypeMismatchException": "type_error",
    "OutOfRangeException": "value_error",
    "InvalidInputException": "value_error",
}

_PROGRAM = """\
import duckdb as _duckdb
def _answer(query, views):
    engine = _duckdb.connect(":memory:", config={{"threads": 1, "memory_limit": "{memory}MB"}})
    for name, view in views.items():
        engine.register(name, view)
    engine.execute("SET python_enable_replacements = false")
    engine.execute("SET enable_external_access = false")
    engine.execute("SET lock_configuration = true")
    return engine.execute(query)
result = _answer({query!r}, tables)
"""


def in_python(task: Task) -> Task:
    """The task with its reference as a Python program; ``reference_language`` still says what it was.

    Raises EngineError when the guard refuses the reference.
    """
    if not task.reference.strip() or reference_language(task) != "sql":
        return task
    return msgspec.structs.replace(task, reference=program_of(task, task.reference), reference_language="sql")


def reference_language(task: Task) -> str:
    """What the reference is written in: what the task says, else what answers are written in."""
    return task.reference_language or task.language


def program_of(task: Task, query: str) -> str:
    """The Python program that runs the query. Raises EngineError when the guard refuses it."""
    return _PROGRAM.format(memory=max(16, int(MEMORY_SHARE * task.memory_mb)), query=guarded(query))


def query_in(code: str) -> str | None:
    """The query of a program that ``program_of`` made; None for any other code."""
    head, call, rest = code.partition("\nresult = _answer(")
    if not call or not head.startswith("import duckdb as _duckdb\ndef _answer("):
        return None
    found = ast.literal_eval(rest.rstrip().removesuffix(", tables)"))
    return str(found)


def guarded(query: str) -> str:
    """The query as it may be run."""
    from karat.engines.query.guard import check

    try:
        return check(query, DIALECT)
    except ModuleNotFoundError as error:
        raise UserError(f"SQL answers need {error.name}", hint=f"Install it: {install_command('sql')}.") from error


def refused(code: str, error: EngineError) -> tuple[Attempt, Outcome]:
    """What becomes of a query that is not run."""
    outcome = Outcome("refused" if error.kind == "refused" else "error", detail=error.message)
    kind: ErrorClass = "other_error" if error.kind == "refused" else "syntax_error"
    line = re.search(r"\bline (\d+)", error.message)
    return Attempt(code, False, kind, str(error), int(line[1]) if line else 0, outcome.status), outcome


def in_sql_words(attempt: Attempt, outcome: Outcome, query: str, task: Task) -> Attempt:
    """The attempt of the program as that of the query: its own text, the line that DuckDB names, DuckDB's errors."""
    attempt = msgspec.structs.replace(attempt, code=query, line=0)
    raised = outcome.error
    if raised is None:
        return attempt
    if raised.class_ == "OutOfMemoryException":
        return msgspec.structs.replace(attempt, error=f"tried to use more than {task.memory_mb:,} MB", outcome="memory")
    place = _LINE.search(raised.message)
    return msgspec.structs.replace(
        attempt,
        error=f"{raised.class_}: {raised.message.partition(chr(10))[0]}",
        error_class=_CLASSES.get(raised.class_, attempt.error_class),
        line=int(place[1]) if place else 0,
    )
