"""Calls of the code's own functions: the body is read with the arguments in its own names."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from karat.suites.codegen.analysis.pandas_api.aggregates import by_rule
from karat.suites.codegen.analysis.pandas_api.iteration import through
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.function_calls.dialects import call_function, call_method
from karat.suites.codegen.analysis.reader.function_calls.objects import OBJECT, attribute_of, instance_of
from karat.suites.codegen.analysis.reader.state import DEPTH, INLINED, RECURSION, Scope, State
from karat.suites.codegen.analysis.reader.values import Function, Shared, Value, fresh, join, unknown


def apply(state: State, function: Value, arguments: Sequence[Value], named: Mapping[str, Value] | None = None) -> Value:
    """What a call of this function gives."""
    given = dict(named or {})
    if function.kind == "name":
        call = Call(function, function.name, list(arguments), given)
        made = through(state, call)
        return made if made is not None else call_function(state, call)
    if isinstance(function.const, str) and arguments:
        return by_rule(state, arguments[0], function)
    if function.kind == "function" and function.inner is not None and function.function is None:
        return call_method(state, Call(function.inner, function.name, list(arguments), given))
    called = attribute_of(state, function, "__call__") if function.name == OBJECT else None
    if called is not None:
        return state.apply(called, arguments, given)
    code = function.function
    if code is not None:
        arguments, given = [*code.first, *arguments], {**code.named, **given}
    again = code is not None and state.inside.count(id(code.code)) >= RECURSION
    if code is None or again or state.depth >= DEPTH or state.steps > INLINED:
        return unknown(state.reach(function, *arguments, *given.values()), state.line)
    if isinstance(code.code, ast.ClassDef):
        return instance_of(state, code, code.code, arguments, given)
    return _inlined(state, function, code, code.code, arguments, given)


def _inlined(
    state: State,
    value: Value,
    function: Function,
    code: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    arguments: Sequence[Value],
    named: dict[str, Value],
) -> Value:
    """The function's body, read with these arguments in its own names."""
    outside, line, returned = state.scope, state.line, state.returned
    state.scope = Scope(function.scope)
    state.depth += 1
    state.inside.append(id(code))
    state.returned = []
    _bind_arguments(state, code.args, arguments, named)
    if isinstance(code, ast.Lambda):
        results = [state.evaluate(code.body)]
    else:
        state.run(code.body)
        results = state.returned
    state.scope, state.line, state.returned = outside, line, returned
    state.depth -= 1
    state.inside.pop()
    if not results:
        return state.const(None)
    found = results[0]
    for other in results[1:]:
        found = join(found, other, state.line)
    return fresh(found, node=state.node((found.node, value.node)))


def _bind_arguments(state: State, code: ast.arguments, arguments: Sequence[Value], named: dict[str, Value]) -> None:
    parameters = [*code.posonlyargs, *code.args]
    defaults = dict(
        zip([one.arg for one in parameters[len(parameters) - len(code.defaults) :]], code.defaults, strict=True)
    )
    defaults |= {one.arg: default for one, default in zip(code.kwonlyargs, code.kw_defaults, strict=True) if default}
    names = state.scope.names
    for parameter, argument in zip(parameters, arguments, strict=False):
        names[parameter.arg] = argument
    if code.vararg is not None:
        names[code.vararg.arg] = state.list_of(arguments[len(parameters) :])
    if code.kwarg is not None:
        own = {one.arg for one in (*parameters, *code.kwonlyargs)}
        pairs: dict[str | int | float, Value] = {name: one for name, one in named.items() if name not in own}
        node = state.node(state.reach(*pairs.values()))
        names[code.kwarg.arg] = Value("dict", node, shared=Shared(pairs=pairs))
    for parameter in [*parameters, *code.kwonlyargs]:
        if parameter.arg in named:
            names[parameter.arg] = named[parameter.arg]
        elif parameter.arg not in names:
            default = defaults.get(parameter.arg)
            names[parameter.arg] = state.evaluate(default) if default is not None else unknown(())
