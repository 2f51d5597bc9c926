"""Reading expressions: each comes to a value that knows where it came from."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import msgspec

from karat.suites.codegen.analysis.calls import Call
from karat.suites.codegen.analysis.constants import call_on_text, fold, negated, truth_in
from karat.suites.codegen.analysis.masks import as_condition, combined, comparison, negate
from karat.suites.codegen.analysis.pandas_api.aggregates import over_mean
from karat.suites.codegen.analysis.pandas_api.functions import call_function
from karat.suites.codegen.analysis.pandas_api.iteration import call_container, element_of, through
from karat.suites.codegen.analysis.pandas_api.methods import call_method
from karat.suites.codegen.analysis.run import STEPS, ExhaustedError, Run, Scope
from karat.suites.codegen.analysis.subscripts import attribute, get
from karat.suites.codegen.analysis.values import MISSING, Function, Node, Shared, Value, fresh, join, unknown


class Expressions(Run):
    """Everything that has a value."""

    def bind(self, target: ast.expr, value: Value, *, told: bool = True) -> None:
        raise NotImplementedError

    def evaluate(self, expression: ast.expr) -> Value:
        self.steps += 1
        if self.steps > STEPS:
            raise ExhaustedError
        handler = _HANDLERS.get(type(expression))
        if handler is None:
            parts = [self.evaluate(part) for part in ast.iter_child_nodes(expression) if isinstance(part, ast.expr)]
            return unknown(self.reach(*parts), self.line)
        return handler(self, expression)

    def at(self, expression: ast.expr) -> int:
        """Go to the line of an expression; gives the one before."""
        before = self.line
        if not self.in_string:
            self.line = expression.end_lineno or expression.lineno
        return before

    # -- plain values -------------------------------------------------------------------------------------------------

    def name(self, expression: ast.Name) -> Value:
        found = self.scope.find(expression.id)
        if found is not None:
            return found
        if expression.id == "__name__":
            return self.const("__main__")
        return Value("name", self.node(()), name=expression.id)

    def constant(self, expression: ast.Constant) -> Value:
        return self.const(expression.value)

    def items(self, expression: ast.List | ast.Tuple | ast.Set) -> Value:
        found: list[Value] = []
        for item in expression.elts:
            value = self.evaluate(item.value if isinstance(item, ast.Starred) else item)
            inside = value.shared.items if value.shared is not None and value.kind == "list" else None
            found.extend(inside if isinstance(item, ast.Starred) and inside is not None else [value])
        made = self.list_of(found)
        made.name = "tuple" if isinstance(expression, ast.Tuple) else ""
        return made

    def mapping(self, expression: ast.Dict) -> Value:
        pairs: dict[Any, Value] = {}
        nodes: list[Node] = []
        for key, item in zip(expression.keys, expression.values, strict=True):
            value = self.evaluate(item)
            nodes.extend(self.reach(value))
            label = self.evaluate(key) if key is not None else None
            if label is None:
                pairs.update((value.shared.pairs or {}) if value.shared is not None else {})
            elif isinstance(label.const, str | int | float):
                pairs[label.const] = value
            else:
                nodes.extend(self.reach(label))
        return Value("dict", self.node(nodes), shared=Shared(pairs=pairs))

    def text(self, expression: ast.JoinedStr) -> Value:
        parts = [self.evaluate(part) for part in expression.values]
        if all(part.const is not MISSING for part in parts):
            return self.const("".join(str(part.const) for part in parts))
        return unknown(self.reach(*parts), self.line)

    def formatted(self, expression: ast.FormattedValue) -> Value:
        value = self.evaluate(expression.value)
        plain = expression.format_spec is None and expression.conversion == -1
        return value if plain or value.const is MISSING else unknown(self.reach(value), self.line)

    def lambda_(self, expression: ast.Lambda) -> Value:
        return Value("function", self.node(()), function=Function(expression, self.scope))

    def slice(self, expression: ast.Slice) -> Value:
        parts = [
            self.const(None) if part is None else self.evaluate(part)
            for part in (expression.lower, expression.upper, expression.step)
        ]
        found = self.list_of(parts)
        found.kind, found.name = "unknown", "slice"
        return found

    # -- operators ----------------------------------------------------------------------------------------------------

    def binary(self, expression: ast.BinOp) -> Value:
        left, right = self.evaluate(expression.left), self.evaluate(expression.right)
        return self.operate(expression.op, left, right)

    def operate(self, operator: ast.operator, left: Value, right: Value) -> Value:
        if left.const is not MISSING and right.const is not MISSING:
            known = fold(operator, left.const, right.const)
            return self.const(known) if known is not MISSING else unknown(self.reach(left, right), self.line)
        if isinstance(operator, ast.BitAnd | ast.BitOr) and "series" in (left.kind, right.kind):
            return combined(self, [left, right], "and" if isinstance(operator, ast.BitAnd) else "or")
        if (
            isinstance(operator, ast.Mult | ast.Add)
            and left.mask
            and right.mask
            and left.kind == right.kind == "series"
        ):
            return combined(self, [left, right], "and" if isinstance(operator, ast.Mult) else "or")
        if isinstance(operator, ast.Div):
            mean = over_mean(self, left, right)
            if mean is not None:
                return mean
        if isinstance(operator, ast.Add) and left.kind == right.kind == "list" and left.shared and right.shared:
            return self.list_of([*(left.shared.items or ()), *(right.shared.items or ())])
        kind = next((kind for kind in ("frame", "series", "scalar") if kind in (left.kind, right.kind)), "unknown")
        sources = tuple(dict.fromkeys((*left.sources, *right.sources)))
        first = left if left.kind == kind else right
        if kind == "frame":
            return self.with_fact(first, parents=self.reach(left, right))
        found = Value(
            "unknown", self.node(self.reach(left, right)), sources=sources, index=first.index, sort=first.sort
        )
        found.kind = "series" if kind == "series" else "scalar" if kind == "scalar" else "unknown"
        return found

    def unary(self, expression: ast.UnaryOp) -> Value:
        value = self.evaluate(expression.operand)
        if isinstance(expression.op, ast.Invert):
            return negate(self, value)
        if isinstance(expression.op, ast.Not):
            known = truth_in(value)
            return self.const(not known) if known is not None else negate(self, value)
        if isinstance(expression.op, ast.USub) and value.const is not MISSING:
            known_number = negated(value.const)
            return self.const(known_number) if known_number is not MISSING else unknown(self.reach(value), self.line)
        if isinstance(expression.op, ast.USub) and value.kind != "const":
            found = self.with_fact(value)
            if found.sort is not None and found.sort.ascending is not None:
                found.sort = msgspec.structs.replace(found.sort, ascending=not found.sort.ascending)
            return found
        return value

    def compare(self, expression: ast.Compare) -> Value:
        left = self.evaluate(expression.left)
        rights = [self.evaluate(right) for right in expression.comparators]
        before = self.at(expression)
        found = comparison(self, left, expression.ops, rights)
        self.line = before
        return found

    def logic(self, expression: ast.BoolOp) -> Value:
        values = [self.evaluate(value) for value in expression.values]
        if all(value.const is not MISSING for value in values):
            test = all if isinstance(expression.op, ast.And) else any
            return self.const(test(bool(value.const) for value in values))
        if isinstance(expression.op, ast.And) and any(truth_in(value) is False for value in values):
            return self.const(False)
        return combined(self, values, "and" if isinstance(expression.op, ast.And) else "or")

    def choice(self, expression: ast.IfExp) -> Value:
        test = self.evaluate(expression.test)
        known = truth_in(test)
        if known is not None:
            return self.evaluate(expression.body if known else expression.orelse)
        first, second = self.evaluate(expression.body), self.evaluate(expression.orelse)
        nodes = self.reach(as_condition(self, test))
        found = join(first, second, self.line)
        found = found if found is not first else fresh(found)
        if test.kind == "series" and found.kind in ("unknown", "const"):
            return Value("series", self.node((found.node, *nodes)), sources=test.sources)
        return fresh(found, node=self.node((found.node, *nodes)))

    def named(self, expression: ast.NamedExpr) -> Value:
        value = self.evaluate(expression.value)
        self.bind(expression.target, value)
        return value

    # -- parts and calls ----------------------------------------------------------------------------------------------

    def subscript(self, expression: ast.Subscript) -> Value:
        value, index = self.evaluate(expression.value), self.evaluate(expression.slice)
        before = self.at(expression)
        found = get(self, value, index)
        self.line = before
        return found

    def attribute(self, expression: ast.Attribute) -> Value:
        return attribute(self, self.evaluate(expression.value), expression.attr)

    def call(self, expression: ast.Call) -> Value:
        function = expression.func
        receiver = self.evaluate(function.value if isinstance(function, ast.Attribute) else function)
        arguments: list[Value] = []
        for argument in expression.args:
            value = self.evaluate(argument.value if isinstance(argument, ast.Starred) else argument)
            inside = value.shared.items if isinstance(argument, ast.Starred) and value.shared is not None else None
            arguments.extend(inside if inside is not None else [value])
        named: dict[str, Value] = {}
        for keyword in expression.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif value.shared is not None and value.shared.pairs is not None:
                named.update({str(name): item for name, item in value.shared.pairs.items()})
        before = self.at(function)
        try:
            if not isinstance(function, ast.Attribute):
                return self.apply(receiver, arguments, named)
            found = self.method(Call(receiver, function.attr, arguments, named))
            if truth_in(named.get("inplace")) is True and found.kind != "const":
                self.bind(function.value, found)
                return self.const(None)
            return found
        finally:
            self.line = before

    def method(self, call: Call) -> Value:
        value = call.receiver
        if value.kind == "name":
            made = through(self, call)
            return made if made is not None else call_function(self, call)
        if isinstance(value.const, str):
            known = call_on_text(value.const, call.name, call.arguments)
            return self.const(known) if known is not MISSING else unknown(self.reach(value, *call.given), self.line)
        if value.kind in ("list", "dict"):
            return call_container(self, call)
        if value.kind in ("frame", "series", "groups") or value.node.tabular:
            return call_method(self, call)
        if value.kind == "unknown":
            self.change(value, *self.reach(*call.given))
        return unknown(self.reach(value, *call.given), self.line)

    def listed(self, expression: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        outside, control = self.scope, self.control
        self.scope = Scope(outside)
        nodes: list[Node] = []
        for generator in expression.generators:
            iterable = self.evaluate(generator.iter)
            element = element_of(self, iterable)
            nodes.extend((element.node, iterable.node))
            self.bind(generator.target, element, told=False)
            for test in generator.ifs:
                nodes.extend(self.reach(as_condition(self, self.evaluate(test))))
        if isinstance(expression, ast.DictComp):
            key, value = self.evaluate(expression.key), self.evaluate(expression.value)
            element = value
            nodes.extend(self.reach(key))
            made = Value("dict", self.node((*nodes, *self.reach(value))), shared=Shared(element=value))
        else:
            element = self.evaluate(expression.elt)
            held = fresh(element, node=self.node((element.node, *nodes)))
            made = Value("list", self.node((*nodes, *self.reach(element))), shared=Shared(element=held))
            made.distinct = element.sources if isinstance(expression, ast.SetComp) else ()
        self.scope, self.control = outside, control
        return made

    def inner(self, expression: ast.Starred | ast.Await | ast.Yield | ast.YieldFrom) -> Value:
        value = self.evaluate(expression.value) if expression.value is not None else self.const(None)
        if isinstance(expression, ast.Yield | ast.YieldFrom):
            node = self.node((*self.reach(value), *self.control))
            self.returned.append(Value("list", node, shared=Shared(element=value)))
        return value


_HANDLERS: dict[type[ast.expr], Callable[[Expressions, Any], Value]] = {
    ast.Name: Expressions.name,
    ast.Constant: Expressions.constant,
    ast.List: Expressions.items,
    ast.Tuple: Expressions.items,
    ast.Set: Expressions.items,
    ast.Dict: Expressions.mapping,
    ast.JoinedStr: Expressions.text,
    ast.FormattedValue: Expressions.formatted,
    ast.Lambda: Expressions.lambda_,
    ast.Slice: Expressions.slice,
    ast.BinOp: Expressions.binary,
    ast.UnaryOp: Expressions.unary,
    ast.Compare: Expressions.compare,
    ast.BoolOp: Expressions.logic,
    ast.IfExp: Expressions.choice,
    ast.NamedExpr: Expressions.named,
    ast.Subscript: Expressions.subscript,
    ast.Attribute: Expressions.attribute,
    ast.Call: Expressions.call,
    ast.ListComp: Expressions.listed,
    ast.SetComp: Expressions.listed,
    ast.GeneratorExp: Expressions.listed,
    ast.DictComp: Expressions.listed,
    ast.Starred: Expressions.inner,
    ast.Await: Expressions.inner,
    ast.Yield: Expressions.inner,
    ast.YieldFrom: Expressions.inner,
}
