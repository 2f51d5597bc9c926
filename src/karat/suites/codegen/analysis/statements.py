"""Reading statements: what is bound, changed in place, done under a condition, called.

Branches are both read and put together; a condition that is a constant picks its branch. A loop's body is read twice,
so that what one round leaves for the next is seen. ``STATEMENTS`` has a function for each kind; it gives True when
nothing after the statement is run. What follows a ``return``, ``raise``, ``break`` or ``continue`` is never read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from karat.suites.codegen.analysis.binding import annotated, assign, augment, bind, delete, import_
from karat.suites.codegen.analysis.calls import Call
from karat.suites.codegen.analysis.constants import truth_in
from karat.suites.codegen.analysis.masks import as_condition, label, negate
from karat.suites.codegen.analysis.pandas_api.aggregates import by_rule
from karat.suites.codegen.analysis.pandas_api.functions import call_function
from karat.suites.codegen.analysis.pandas_api.iteration import element_of, through
from karat.suites.codegen.analysis.run import DEPTH, INLINED, LOOPS, Run, Scope
from karat.suites.codegen.analysis.values import Function, Value, fresh, join, unknown
from karat.suites.codegen.records import Aggregation


def block(run: Run, statements: Sequence[ast.stmt]) -> bool:
    """Statements one after another; True when nothing after them is run."""
    control = run.control
    ended = False
    for statement in statements:
        run.line = statement.lineno
        handler = STATEMENTS.get(type(statement))
        if handler is not None and handler(run, statement):
            ended = True
            break
    run.control = control
    return ended


def _under(run: Run, nodes: Sequence[Value], statements: Sequence[ast.stmt]) -> bool:
    """A block that is run only when these values allow it."""
    control = run.control
    run.control = (*control, run.node(run.reach(*nodes)))
    ended = block(run, statements)
    run.control = control
    return ended


def _if(run: Run, statement: ast.If) -> bool:
    test = run.evaluate(statement.test)
    known = truth_in(test)
    if known is not None:
        return block(run, statement.body if known else statement.orelse)
    condition = _extreme_kept(run, statement) or as_condition(run, test)
    opposite = negate(run, condition) if condition.mask else condition
    names = run.scope.names
    run.scope.names = dict(names)
    first_ended = _under(run, [condition], statement.body)
    first = run.scope.names
    run.scope.names = dict(names)
    run.line = statement.lineno
    second_ended = _under(run, [opposite], statement.orelse)
    second = run.scope.names
    run.line = statement.lineno
    if first_ended != second_ended:
        run.scope.names = second if first_ended else first
        rest = opposite if first_ended else condition
        run.control = (*run.control, run.node(run.reach(rest)))
    else:
        run.scope.names = _merged(run, first, second)
    return first_ended and second_ended


def _merged(run: Run, first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    found = dict(first)
    for name, value in second.items():
        found[name] = join(first[name], value, run.line) if name in first else value
    return found


def _extreme_kept(run: Run, statement: ast.If) -> Value | None:
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
                value = run.evaluate(test.left if left.replace(new, best) == right else test.comparators[0])
                told = Aggregation("max" if upwards else "min", label(value), run.line)
                return Value("scalar", run.node(run.reach(value), told))
    return None


def _for(run: Run, statement: ast.For | ast.AsyncFor) -> None:
    iterable = run.evaluate(statement.iter)
    _loop(run, [Value("unknown", iterable.node)], statement.body, lambda: _next_of(run, statement, iterable))
    block(run, statement.orelse)


def _next_of(run: Run, statement: ast.For | ast.AsyncFor, iterable: Value) -> None:
    bind(run, statement.target, element_of(run, iterable), told=False)


def _while(run: Run, statement: ast.While) -> bool:
    test = run.evaluate(statement.test)
    known = truth_in(test)
    if known is False:
        return block(run, statement.orelse)
    _loop(run, [test], statement.body, lambda: None)
    block(run, statement.orelse)
    return False


def _loop(run: Run, over: Sequence[Value], body: Sequence[ast.stmt], begin: Callable[[], None]) -> None:
    line = run.line
    run.loops += 1
    for _ in range(2 if run.loops <= LOOPS else 1):
        before = dict(run.scope.names)
        begin()
        _under(run, over, body)
        run.line = line
        run.scope.names = _merged(run, before, run.scope.names)
    run.loops -= 1


def _with(run: Run, statement: ast.With | ast.AsyncWith) -> bool:
    for item in statement.items:
        value = run.evaluate(item.context_expr)
        if item.optional_vars is not None:
            bind(run, item.optional_vars, value)
    return block(run, statement.body)


def _try(run: Run, statement: ast.Try) -> bool:
    before = dict(run.scope.names)
    ended = block(run, statement.body) or block(run, statement.orelse)
    after = run.scope.names
    for handler in statement.handlers:
        run.scope.names = dict(before)
        if not block(run, handler.body):
            after = _merged(run, after, run.scope.names) if not ended else run.scope.names
            ended = False
    run.scope.names = after
    return block(run, statement.finalbody) or ended


def _match(run: Run, statement: ast.Match) -> None:
    subject = run.evaluate(statement.subject)
    names = run.scope.names
    found = dict(names)
    for case in statement.cases:
        run.scope.names = dict(names)
        if not _under(run, [subject], case.body):
            found = _merged(run, found, run.scope.names)
    run.scope.names = found


def _expression(run: Run, statement: ast.Expr) -> None:
    run.evaluate(statement.value)


def _return(run: Run, statement: ast.Return) -> bool:
    value = run.evaluate(statement.value) if statement.value is not None else run.const(None)
    run.returned.append(fresh(value, node=run.node((value.node, *run.control))))
    return True


def _end(_run: Run, _statement: ast.stmt) -> bool:
    return True


def _define(run: Run, statement: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    node = run.node(run.control)
    node.name = statement.name
    run.bindings.append(node)
    run.scope.names[statement.name] = Value("function", node, function=Function(statement, run.scope))


def apply(run: Run, function: Value, arguments: Sequence[Value], named: Mapping[str, Value] | None = None) -> Value:
    """What a call of this function gives."""
    given = dict(named or {})
    if function.kind == "name":
        call = Call(function, function.name, list(arguments), given)
        made = through(run, call)
        return made if made is not None else call_function(run, call)
    if isinstance(function.const, str) and arguments:
        return by_rule(run, arguments[0], function)
    code = function.function
    again = code is not None and run.inside.count(id(code.code)) > 1
    if code is None or again or run.depth >= DEPTH or run.steps > INLINED:
        return unknown(run.reach(function, *arguments, *given.values()), run.line)
    return _inlined(run, function, code, arguments, given)


def _inlined(run: Run, value: Value, function: Function, arguments: Sequence[Value], named: dict[str, Value]) -> Value:
    """The function's body, read with these arguments in its own names."""
    outside, line, returned = run.scope, run.line, run.returned
    run.scope = Scope(function.scope)
    run.depth += 1
    run.inside.append(id(function.code))
    run.returned = []
    _bind_arguments(run, function.code.args, arguments, named)
    if isinstance(function.code, ast.Lambda):
        results = [run.evaluate(function.code.body)]
    else:
        block(run, function.code.body)
        results = run.returned
    run.scope, run.line, run.returned = outside, line, returned
    run.depth -= 1
    run.inside.pop()
    if not results:
        return run.const(None)
    found = results[0]
    for other in results[1:]:
        found = join(found, other, run.line)
    return fresh(found, node=run.node((found.node, value.node)))


def _bind_arguments(run: Run, code: ast.arguments, arguments: Sequence[Value], named: dict[str, Value]) -> None:
    parameters = [*code.posonlyargs, *code.args]
    defaults = dict(
        zip([one.arg for one in parameters[len(parameters) - len(code.defaults) :]], code.defaults, strict=True)
    )
    defaults |= {one.arg: default for one, default in zip(code.kwonlyargs, code.kw_defaults, strict=True) if default}
    names = run.scope.names
    for parameter, argument in zip(parameters, arguments, strict=False):
        names[parameter.arg] = argument
    if code.vararg is not None:
        names[code.vararg.arg] = run.list_of(arguments[len(parameters) :])
    for parameter in [*parameters, *code.kwonlyargs]:
        if parameter.arg in named:
            names[parameter.arg] = named[parameter.arg]
        elif parameter.arg not in names:
            default = defaults.get(parameter.arg)
            names[parameter.arg] = run.evaluate(default) if default is not None else unknown(())


STATEMENTS: dict[type[ast.stmt], Callable[[Run, Any], bool | None]] = {
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
