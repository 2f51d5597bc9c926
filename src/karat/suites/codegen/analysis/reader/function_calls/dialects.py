"""Calls in whichever dialect they are written: polars where a name or an argument is polars' own, SQL where a text is a
query, else pandas."""

from __future__ import annotations

from karat.suites.codegen.analysis.pandas_api import functions as pandas_functions
from karat.suites.codegen.analysis.pandas_api import methods as pandas_methods
from karat.suites.codegen.analysis.polars_api import functions as polars_functions
from karat.suites.codegen.analysis.polars_api.deferred import is_deferred, lifted
from karat.suites.codegen.analysis.polars_api.expression_methods import of_expression
from karat.suites.codegen.analysis.polars_api.methods import polars_method
from karat.suites.codegen.analysis.polars_api.selectors import MODULES as SELECTORS
from karat.suites.codegen.analysis.polars_api.selectors import select_columns
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.function_calls.indirect_calls import HANDLERS
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value
from karat.suites.codegen.analysis.sql.calls import query_call

_BARE = frozenset({"col", "when", "lit"})
"""Functions of polars that nothing else is called by: ``from polars import col``."""


def call_function(state: State, call: Call) -> Value:
    """A call of a function by its name."""
    found = query_call(state, call)
    if found is not None:
        return found
    indirect = HANDLERS.get(call.name)
    if indirect is not None:
        return indirect(state, call)
    module = call.receiver.name
    if module in SELECTORS and call.receiver.kind == "name":
        return select_columns(state, call)
    if module in polars_functions.MODULES or call.name in _BARE:
        found = polars_functions.polars_function(state, call)
        if found is not None:
            return found
    if any(map(is_deferred, call.given)):
        names = list(call.named)
        count = len(call.arguments)
        return lifted(
            state,
            call.given,
            lambda given: pandas_functions.call_function(
                state,
                Call(call.receiver, call.name, list(given[:count]), dict(zip(names, given[count:], strict=True))),
            ),
        )
    return pandas_functions.call_function(state, call)


def call_method(state: State, call: Call) -> Value:
    """A method of a table's value, or of an expression."""
    if call.receiver.kind == "expr":
        return of_expression(state, call, call_method)
    found = query_call(state, call) or polars_method(state, call)
    return found if found is not None else pandas_methods.call_method(state, call)
