"""Reading statements: what is bound, changed in place, done under a condition, called.

Branches are both read and put together; a condition that is a constant picks its branch. A loop's body is read twice,
so that what one round leaves for the next is seen. ``STATEMENTS`` has a function for each kind; it gives True when
nothing after the statement is state. What follows a ``return``, ``raise``, ``break`` or ``continue`` is never read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any  # Any: each function takes the class of statement that it is listed under

from karat.suites.codegen.analysis.binding import annotated, assign, augment, bind, delete, import_
from karat.suites.codegen.analysis.calls import Call
from karat.suites.codegen.analysis.constants import truth_in
from karat.suites.codegen.analysis.masks import as_condition, label, negate
from karat.suites.codegen.analysis.pandas_api.aggregates import by_rule
from karat.suites.codegen.analysis.pandas_api.functions import call_function
from karat.suites.codegen.analysis.pandas_api.iteration import element_of, through
from karat.suites.codegen.analysis.state import DEPTH, INLINED, LOOPS, Scope, State
from karat.suites.codegen.analysis.values import Function, Value, fresh, join, unknown
from karat.suites.codegen.records import Aggregation


def block(state: State, statements: Sequence[ast.stmt]) -> bool:
    """Statements one after another; True when nothing after them runs."""
    control = state.control
    ended = False
    for statement in statements:
        state.line = statement.lineno
        handler = STATEMENTS.get(type(statement))
        if handler is not None and handler(state, statement):
            ended = True
            break
    state.control = control
    return ended


def _under(state: State, nodes: Sequence[Value], statements: Sequence[ast.stmt]) -> bool:
    """A block that is run only when these values allow it."""
    control = state.control
    state.control = (*control, state.node(state.reach(*nodes)))
    ended = block(state, statements)
    state.control = control
    return ended


def _if(state: State, statement: ast.If) -> bool:
    test = state.evaluate(statement.test)
    known = truth_in(test)
    if known is not None:
        return block(state, statement.body if known else statement.orelse)
    condition = _extreme_kept(state, statement) or as_condition(state, test)
    opposite = negate(state, condition) if condition.mask else condition
    names = state.scope.names
    state.scope.names = dict(names)
    first_ended = _under(state, [condition], statement.body)
    first = state.scope.names
    state.scope.names = dict(names)
    state.line = statement.lineno
    second_ended = _under(state, [opposite], statement.orelse)
    second = state.scope.names
    state.line = statement.lineno
    if first_ended != second_ended:
        state.scope.names = second if first_ended else first
        rest = opposite if first_ended else condition
        state.control = (*state.control, state.node(state.reach(rest)))
    else:
        state.scope.names = _merged(state, first, second)
    return first_ended and second_ended


def _merged(state: State, first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    found = dict(first)
    for name, value in second.items():
        found[name] = join(first[name], value, state.line) if name in first else value
    return found


def _extreme_kept(state: State, statement: ast.If) -> Value | None:
    """``if x > best: best = x``, also of rows by one of their columns, keeps a maximum: no condition on rows."""
    tests = statement.test.values if isinstance(statement.test, ast.BoolOp) else [statement.test]
    kept = [inner for inner in statement.body if isinstance(inner, ast.Assign) and len(inner.targets) == 1]
    for test in tests:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            continue
        left, right = ast.dump(test.left), ast.dump(test.comparators[0])
        for inner in kept:
            best, new = ast.dump(inner.targets[0]).replace("Store()", "Load()"), ast.dump(inner.value)
            if left.replace(new, best) == right != left or right.replace(new, best) == left != right:
                upwards = isinstance(test.ops[0], ast.Gt | ast.GtE) == (left.replace(new, best) == right)
                value = state.evaluate(test.left if left.replace(new, best) == right else test.comparators[0])
                told = Aggregation("max" if upwards else "min", label(value), state.line)
                return Value("scalar", state.node(state.reach(value), told))
    return None


def _for(state: State, statement: ast.For | ast.AsyncFor) -> None:
    iterable = state.evaluate(statement.iter)
    _loop(state, [Value("unknown", iterable.node)], statement.body, lambda: _next_of(state, statement, iterable))
    block(state, statement.orelse)


def _next_of(state: State, statement: ast.For | ast.AsyncFor, iterable: Value) -> None:
    bind(state, statement.target, element_of(state, iterable), told=False)


def _while(state: State, statement: ast.While) -> bool:
    test = state.evaluate(statement.test)
    known = truth_in(test)
    if known is False:
        return block(state, statement.orelse)
    _loop(state, [test], statement.body, lambda: None)
    block(state, statement.orelse)
    return False


def _loop(state: State, over: Sequence[Value], body: Sequence[ast.stmt], begin: Callable[[], None]) -> None:
    line = state.line
    state.loops += 1
    for _ in range(2 if state.loops <= LOOPS else 1):
        before = dict(state.scope.names)
        begin()
        _under(state, over, body)
        state.line = line
        state.scope.names = _merged(state, before, state.scope.names)
    state.loops -= 1


def _with(state: State, statement: ast.With | ast.AsyncWith) -> bool:
    for item in statement.items:
        value = state.evaluate(item.context_expr)
        if item.optional_vars is not None:
            bind(state, item.optional_vars, value)
    return block(state, statement.body)


def _try(state: State, statement: ast.Try) -> bool:
    before = dict(state.scope.names)
    ended = block(state, statement.body) or block(state, statement.orelse)
    after = state.scope.names
    for handler in statement.handlers:
        state.scope.names = dict(before)
        if not block(state, handler.body):
            after = _merged(state, after, state.scope.names) if not ended else state.scope.names
            ended = False
    state.scope.names = after
    return block(state, statement.finalbody) or ended


def _match(state: State, statement: ast.Match) -> None:
    subject = state.evaluate(statement.subject)
    names = state.scope.names
    found = dict(names)
    for case in statement.cases:
        state.scope.names = dict(names)
        if not _under(state, [subject], case.body):
            found = _merged(state, found, state.scope.names)
    state.scope.names = found


def _expression(state: State, statement: ast.Expr) -> None:
    state.evaluate(statement.value)


def _return(state: State, statement: ast.Return) -> bool:
    value = state.evaluate(statement.value) if statement.value is not None else state.const(None)
    state.returned.append(fresh(value, node=state.node((value.node, *state.control))))
    return True


def _end(_run: State, _statement: ast.stmt) -> bool:
    return True


def _define(state: State, statement: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    node = state.node(state.control)
    node.name = statement.name
    state.bindings.append(node)
    state.scope.names[statement.name] = Value("function", node, function=Function(statement, state.scope))


def apply(state: State, function: Value, arguments: Sequence[Value], named: Mapping[str, Value] | None = None) -> Value:
    """What a call of this function gives."""
    given = dict(named or {})
    if function.kind == "name":
        call = Call(function, function.name, list(arguments), given)
        made = through(state, call)
        return made if made is not None else call_function(state, call)
    if isinstance(function.const, str) and arguments:
        return by_rule(state, arguments[0], function)
    code = function.function
    again = code is not None and state.inside.count(id(code.code)) > 1
    if code is None or again or state.depth >= DEPTH or state.steps > INLINED:
        return unknown(state.reach(function, *arguments, *given.values()), state.line)
    return _inlined(state, function, code, arguments, given)


def _inlined(
    state: State, value: Value, function: Function, arguments: Sequence[Value], named: dict[str, Value]
) -> Value:
    """The function's body, read with these arguments in its own names."""
    outside, line, returned = state.scope, state.line, state.returned
    state.scope = Scope(function.scope)
    state.depth += 1
    state.inside.append(id(function.code))
    state.returned = []
    _bind_arguments(state, function.code.args, arguments, named)
    if isinstance(function.code, ast.Lambda):
        results = [state.evaluate(function.code.body)]
    else:
        block(state, function.code.body)
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
    for parameter in [*parameters, *code.kwonlyargs]:
        if parameter.arg in named:
            names[parameter.arg] = named[parameter.arg]
        elif parameter.arg not in names:
            default = defaults.get(parameter.arg)
            names[parameter.arg] = state.evaluate(default) if default is not None else unknown(())


STATEMENTS: dict[type[ast.stmt], Callable[[State, Any], bool | None]] = {
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augment,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _end,
    ast.Break: _end,
    ast.Continue: _end,
    ast.Import: import_,
    ast.ImportFrom: import_,
    ast.Delete: delete,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
}
