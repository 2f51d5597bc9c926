"""Reading statements: what is bound, changed in place, done under a condition, called.

Branches are both read and put together; a condition that is a constant picks its branch. A loop's body is read twice, so that what one round
leaves for the next is seen. What follows a ``return``, ``raise``, ``break`` or ``continue`` is never read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from karat.suites.codegen.analysis.binding import Binding
from karat.suites.codegen.analysis.calls import Call
from karat.suites.codegen.analysis.constants import truth_in
from karat.suites.codegen.analysis.masks import as_condition, label, negate
from karat.suites.codegen.analysis.pandas_api.aggregates import by_rule
from karat.suites.codegen.analysis.pandas_api.functions import call_function
from karat.suites.codegen.analysis.pandas_api.iteration import element_of, through
from karat.suites.codegen.analysis.run import DEPTH, INLINED, LOOPS, Scope
from karat.suites.codegen.analysis.values import Function, Value, fresh, join, unknown
from karat.suites.codegen.records import Aggregation


class Statements(Binding):
    """Everything that does something. A statement's reader gives True when nothing after it is run."""

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        control = self.control
        ended = False
        for statement in statements:
            self.line = statement.lineno
            handler = _HANDLERS.get(type(statement))
            if handler is not None and handler(self, statement):
                ended = True
                break
        self.control = control
        return ended

    # -- control flow -------------------------------------------------------------------------------------------------

    def under(self, nodes: Sequence[Value], statements: Sequence[ast.stmt]) -> bool:
        """A block that is run only when these values allow it."""
        control = self.control
        self.control = (*control, self.node(self.reach(*nodes)))
        ended = self.block(statements)
        self.control = control
        return ended

    def if_(self, statement: ast.If) -> bool:
        test = self.evaluate(statement.test)
        known = truth_in(test)
        if known is not None:
            return self.block(statement.body if known else statement.orelse)
        condition = self.extreme_kept(statement) or as_condition(self, test)
        opposite = negate(self, condition) if condition.mask else condition
        names = self.scope.names
        self.scope.names = dict(names)
        first_ended = self.under([condition], statement.body)
        first = self.scope.names
        self.scope.names = dict(names)
        self.line = statement.lineno
        second_ended = self.under([opposite], statement.orelse)
        second = self.scope.names
        self.line = statement.lineno
        if first_ended != second_ended:
            self.scope.names = second if first_ended else first
            rest = opposite if first_ended else condition
            self.control = (*self.control, self.node(self.reach(rest)))
        else:
            self.scope.names = self.merged(first, second)
        return first_ended and second_ended

    def merged(self, first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
        found = dict(first)
        for name, value in second.items():
            found[name] = join(first[name], value, self.line) if name in first else value
        return found

    def extreme_kept(self, statement: ast.If) -> Value | None:
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
                    value = self.evaluate(test.left if left.replace(new, best) == right else test.comparators[0])
                    told = Aggregation("max" if upwards else "min", label(value), self.line)
                    return Value("scalar", self.node(self.reach(value), told))
        return None

    def for_(self, statement: ast.For | ast.AsyncFor) -> None:
        iterable = self.evaluate(statement.iter)
        self.loop([Value("unknown", iterable.node)], statement.body, lambda: self.next_of(statement, iterable))
        self.block(statement.orelse)

    def next_of(self, statement: ast.For | ast.AsyncFor, iterable: Value) -> None:
        self.bind(statement.target, element_of(self, iterable), told=False)

    def while_(self, statement: ast.While) -> bool:
        test = self.evaluate(statement.test)
        known = truth_in(test)
        if known is False:
            return self.block(statement.orelse)
        self.loop([test], statement.body, lambda: None)
        self.block(statement.orelse)
        return False

    def loop(self, over: Sequence[Value], body: Sequence[ast.stmt], begin: Callable[[], None]) -> None:
        line = self.line
        self.loops += 1
        for _ in range(2 if self.loops <= LOOPS else 1):
            before = dict(self.scope.names)
            begin()
            self.under(over, body)
            self.line = line
            self.scope.names = self.merged(before, self.scope.names)
        self.loops -= 1

    def with_(self, statement: ast.With | ast.AsyncWith) -> bool:
        for item in statement.items:
            value = self.evaluate(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        return self.block(statement.body)

    def try_(self, statement: ast.Try) -> bool:
        before = dict(self.scope.names)
        ended = self.block(statement.body) or self.block(statement.orelse)
        after = self.scope.names
        for handler in statement.handlers:
            self.scope.names = dict(before)
            if not self.block(handler.body):
                after = self.merged(after, self.scope.names) if not ended else self.scope.names
                ended = False
        self.scope.names = after
        return self.block(statement.finalbody) or ended

    def match(self, statement: ast.Match) -> None:
        subject = self.evaluate(statement.subject)
        names = self.scope.names
        found = dict(names)
        for case in statement.cases:
            self.scope.names = dict(names)
            if not self.under([subject], case.body):
                found = self.merged(found, self.scope.names)
        self.scope.names = found

    def expression(self, statement: ast.Expr) -> None:
        self.evaluate(statement.value)

    def return_(self, statement: ast.Return) -> bool:
        value = self.evaluate(statement.value) if statement.value is not None else self.const(None)
        self.returned.append(fresh(value, node=self.node((value.node, *self.control))))
        return True

    def end(self, _: ast.stmt) -> bool:
        return True

    # -- functions ----------------------------------------------------------------------------------------------------

    def define(self, statement: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        node = self.node(self.control)
        node.name = statement.name
        self.bindings.append(node)
        self.scope.names[statement.name] = Value("function", node, function=Function(statement, self.scope))

    def apply(self, function: Value, arguments: Sequence[Value], named: Mapping[str, Value] | None = None) -> Value:
        given = dict(named or {})
        if function.kind == "name":
            call = Call(function, function.name, list(arguments), given)
            made = through(self, call)
            return made if made is not None else call_function(self, call)
        if isinstance(function.const, str) and arguments:
            return by_rule(self, arguments[0], function)
        code = function.function
        again = code is not None and self.inside.count(id(code.code)) > 1
        if code is None or again or self.depth >= DEPTH or self.steps > INLINED:
            return unknown(self.reach(function, *arguments, *given.values()), self.line)
        return self.inlined(function, code, arguments, given)

    def inlined(self, value: Value, function: Function, arguments: Sequence[Value], named: dict[str, Value]) -> Value:
        """The function's body, read with these arguments in its own names."""
        outside, line, returned = self.scope, self.line, self.returned
        self.scope = Scope(function.scope)
        self.depth += 1
        self.inside.append(id(function.code))
        self.returned = []
        self.bind_arguments(function.code.args, arguments, named)
        if isinstance(function.code, ast.Lambda):
            results = [self.evaluate(function.code.body)]
        else:
            self.block(function.code.body)
            results = self.returned
        self.scope, self.line, self.returned = outside, line, returned
        self.depth -= 1
        self.inside.pop()
        if not results:
            return self.const(None)
        found = results[0]
        for other in results[1:]:
            found = join(found, other, self.line)
        return fresh(found, node=self.node((found.node, value.node)))

    def bind_arguments(self, code: ast.arguments, arguments: Sequence[Value], named: dict[str, Value]) -> None:
        parameters = [*code.posonlyargs, *code.args]
        defaults = dict(
            zip([one.arg for one in parameters[len(parameters) - len(code.defaults) :]], code.defaults, strict=True)
        )
        defaults |= {
            one.arg: default for one, default in zip(code.kwonlyargs, code.kw_defaults, strict=True) if default
        }
        names = self.scope.names
        for parameter, argument in zip(parameters, arguments, strict=False):
            names[parameter.arg] = argument
        if code.vararg is not None:
            names[code.vararg.arg] = self.list_of(arguments[len(parameters) :])
        for parameter in [*parameters, *code.kwonlyargs]:
            if parameter.arg in named:
                names[parameter.arg] = named[parameter.arg]
            elif parameter.arg not in names:
                default = defaults.get(parameter.arg)
                names[parameter.arg] = self.evaluate(default) if default is not None else unknown(())


_HANDLERS: dict[type[ast.stmt], Callable[[Statements, Any], bool | None]] = {
    ast.Assign: Statements.assign,
    ast.AnnAssign: Statements.annotated,
    ast.AugAssign: Statements.augment,
    ast.If: Statements.if_,
    ast.For: Statements.for_,
    ast.AsyncFor: Statements.for_,
    ast.While: Statements.while_,
    ast.With: Statements.with_,
    ast.AsyncWith: Statements.with_,
    ast.Try: Statements.try_,
    ast.TryStar: Statements.try_,
    ast.Match: Statements.match,
    ast.Expr: Statements.expression,
    ast.Return: Statements.return_,
    ast.Raise: Statements.end,
    ast.Break: Statements.end,
    ast.Continue: Statements.end,
    ast.Import: Statements.import_,
    ast.ImportFrom: Statements.import_,
    ast.Delete: Statements.delete,
    ast.FunctionDef: Statements.define,
    ast.AsyncFunctionDef: Statements.define,
}
