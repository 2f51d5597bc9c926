"""Reading statements: what is bound, changed in place, done under a condition, called.

Branches are both read and put together; a condition that is a constant picks its branch. A loop's body is read twice,
so that what one round leaves for the next is seen. ``STATEMENTS`` has a function for each kind; it gives True when
nothing after the statement is state. What follows a ``return``, ``raise``, ``break`` or ``continue`` is never read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any  # Any: each function takes the class of statement that it is listed under

from karat.suites.codegen.analysis.reader.binding import annotated, assign, augment, bind, delete, import_
from karat.suites.codegen.analysis.reader.constants import truth_in
from karat.suites.codegen.analysis.reader.control_flow.branches import merged, under
from karat.suites.codegen.analysis.reader.control_flow.loops import for_, while_
from karat.suites.codegen.analysis.reader.control_flow.match_cases import match_
from karat.suites.codegen.analysis.reader.function_calls.objects import define_class
from karat.suites.codegen.analysis.reader.masks import as_condition, label, negate
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Function, Value, fresh
from karat.suites.codegen.analysis.records import Aggregation


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


def _if(state: State, statement: ast.If) -> bool:
    test = state.evaluate(statement.test)
    known = truth_in(test)
    if known is not None:
        return block(state, statement.body if known else statement.orelse)
    condition = _extreme_kept(state, statement) or as_condition(state, test)
    opposite = negate(state, condition) if condition.mask else condition
    names = state.scope.names
    state.scope.names = dict(names)
    first_ended = under(state, [condition], statement.body)
    first = state.scope.names
    state.scope.names = dict(names)
    state.line = statement.lineno
    second_ended = under(state, [opposite], statement.orelse)
    second = state.scope.names
    state.line = statement.lineno
    if first_ended != second_ended:
        state.scope.names = second if first_ended else first
        rest = opposite if first_ended else condition
        state.control = (*state.control, state.node(state.reach(rest)))
    else:
        state.scope.names = merged(state, first, second)
    return first_ended and second_ended


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
            after = merged(state, after, state.scope.names) if not ended else state.scope.names
            ended = False
    state.scope.names = after
    return block(state, statement.finalbody) or ended


def _expression(state: State, statement: ast.Expr) -> None:
    state.evaluate(statement.value)


def _return(state: State, statement: ast.Return) -> bool:
    value = state.evaluate(statement.value) if statement.value is not None else state.const(None)
    state.returned.append(fresh(value, node=state.node((value.node, *state.control))))
    return _end(state, statement)


def _end(state: State, statement: ast.stmt) -> bool:
    state.left_by = type(statement)
    return True


def _define(state: State, statement: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    node = state.node(state.control)
    node.name = statement.name
    state.bindings.append(node)
    state.scope.set(statement.name, Value("function", node, function=Function(statement, state.scope)))


def _declare(state: State, statement: ast.Global | ast.Nonlocal) -> None:
    for name in statement.names:
        state.scope.declare(name, outermost=isinstance(statement, ast.Global))


STATEMENTS: dict[type[ast.stmt], Callable[[State, Any], bool | None]] = {
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augment,
    ast.If: _if,
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.While: while_,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: match_,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _end,
    ast.Break: _end,
    ast.Continue: _end,
    ast.Import: import_,
    ast.ImportFrom: import_,
    ast.Delete: delete,
    ast.Global: _declare,
    ast.Nonlocal: _declare,
    ast.ClassDef: define_class,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
}
