"""SQL inside Python: ``duckdb.sql(…)``, ``con.execute(…)``, ``pd.read_sql(…)``, ``df.sql(…)``, ``pl.SQLContext``.

The tables of a query are those that were registered under a name, the code's own variables, and the given ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.state import Scope, State
from karat.suites.codegen.analysis.reader.values import Value
from karat.suites.codegen.analysis.sql.parse import statements_of
from karat.suites.codegen.analysis.sql.query import query_result

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERYING = frozenset(
    {"sql", "query", "execute", "read_sql", "read_sql_query", "sqldf", "from_query", "query_df", "exec"}
)
REGISTERING = frozenset({"register", "to_sql", "create_view", "to_table", "create", "register_many"})
_QUERY = re.compile(r"(?:\s|--[^\n]*\n|\()*(?:select|with|from|create|pivot)\s", re.IGNORECASE)


def query_call(state: State, call: Call) -> Value | None:
    """What a call with a query in it gives; None where it has none."""
    if call.name == "SQLContext":
        _register(state, call.named)
        return None
    if call.name in REGISTERING:
        _register_call(state, call)
        return None
    if call.name not in QUERYING:
        return None
    texts = [value.const for value in call.given[:2] if isinstance(value.const, str)]
    text = next((text for text in texts if _QUERY.match(text)), None)
    if text is None:
        return None
    if call.receiver.kind == "frame":
        state.registered["self"] = call.receiver
        if len(texts) == 2 and texts[0] != text:
            state.registered[texts[0].casefold()] = call.receiver
    return run_query(state, text)


def run_query(state: State, text: str) -> Value | None:
    """The result of the last statement of a text; None when it cannot be read."""
    from sqlglot import exp

    statements = statements_of(text)
    if not statements:
        return None
    found: Value | None = None
    for statement in statements:
        if isinstance(statement, exp.Create) and statement.expression is not None:
            found = query_result(state, statement.expression, tables_in_sight(state))
            state.registered[statement.this.name.casefold()] = found
        else:
            found = query_result(state, statement, tables_in_sight(state))
    return found


def tables_in_sight(state: State) -> dict[str, Value]:
    """Every frame by its name, in lower case."""
    found = {name.casefold(): state.table(name) for name in state.schema.tables}
    for names in reversed(list(_scopes(state.scope))):
        found |= {name.casefold(): value for name, value in names.items() if value.kind == "frame"}
    return found | state.registered


def _scopes(scope: Scope | None) -> Iterator[dict[str, Value]]:
    while scope is not None:
        yield scope.names
        scope = scope.outer


def _register(state: State, named: dict[str, Value]) -> None:
    for name, value in named.items():
        if value.kind == "frame":
            state.registered[name.casefold()] = value
        elif name == "frames" and value.shared is not None and value.shared.pairs:
            _register(state, {str(key): one for key, one in value.shared.pairs.items()})


def _register_call(state: State, call: Call) -> None:
    """``con.register("people", df)``, ``df.to_sql("people", con)``."""
    names = [value.const for value in call.given if isinstance(value.const, str)]
    frames = [value for value in (call.receiver, *call.given) if value.kind == "frame"]
    if names and frames:
        state.registered[names[0].casefold()] = frames[0]
