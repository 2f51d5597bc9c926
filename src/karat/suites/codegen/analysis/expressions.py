"""Reading expressions: each becomes a value that knows where it came from. ``EXPRESSIONS`` has a function for each
kind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import msgspec

from karat.suites.codegen.analysis.binding import bind
from karat.suites.codegen.analysis.calls import Call
from karat.suites.codegen.analysis.constants import call_on_text, negated, truth_in
from karat.suites.codegen.analysis.masks import as_condition, combined, comparison, negate
from karat.suites.codegen.analysis.operators import operate
from karat.suites.codegen.analysis.pandas_api.functions import call_function
from karat.suites.codegen.analysis.pandas_api.iteration import call_container, element_of, through
from karat.suites.codegen.analysis.pandas_api.methods import call_method
from karat.suites.codegen.analysis.run import Run, Scope
from karat.suites.codegen.analysis.subscripts import attribute, get
from karat.suites.codegen.analysis.values import MISSING, Function, Node, Shared, Value, fresh, join, unknown


def _name(run: Run, expression: ast.Name) -> Value:
    found = run.scope.find(expression.id)
    if found is not None:
        return found
    if expression.id == "__name__":
        return run.const("__main__")
    return Value("name", run.node(()), name=expression.id)


def _constant(run: Run, expression: ast.Constant) -> Value:
    return run.const(expression.value)


def _items(run: Run, expression: ast.List | ast.Tuple | ast.Set) -> Value:
    found: list[Value] = []
    for item in expression.elts:
        value = run.evaluate(item.value if isinstance(item, ast.Starred) else item)
        inside = value.shared.items if value.shared is not None and value.kind == "list" else None
        found.extend(inside if isinstance(item, ast.Starred) and inside is not None else [value])
    made = run.list_of(found)
    made.name = "tuple" if isinstance(expression, ast.Tuple) else ""
    return made


def _mapping(run: Run, expression: ast.Dict) -> Value:
    pairs: dict[Any, Value] = {}
    nodes: list[Node] = []
    for key, item in zip(expression.keys, expression.values, strict=True):
        value = run.evaluate(item)
        nodes.extend(run.reach(value))
        label = run.evaluate(key) if key is not None else None
        if label is None:
            pairs.update((value.shared.pairs or {}) if value.shared is not None else {})
        elif isinstance(label.const, str | int | float):
            pairs[label.const] = value
        else:
            nodes.extend(run.reach(label))
    return Value("dict", run.node(nodes), shared=Shared(pairs=pairs))


def _text(run: Run, expression: ast.JoinedStr) -> Value:
    parts = [run.evaluate(part) for part in expression.values]
    if all(part.const is not MISSING for part in parts):
        return run.const("".join(str(part.const) for part in parts))
    return unknown(run.reach(*parts), run.line)


def _formatted(run: Run, expression: ast.FormattedValue) -> Value:
    value = run.evaluate(expression.value)
    plain = expression.format_spec is None and expression.conversion == -1
    return value if plain or value.const is MISSING else unknown(run.reach(value), run.line)


def _lambda(run: Run, expression: ast.Lambda) -> Value:
    return Value("function", run.node(()), function=Function(expression, run.scope))


def _slice(run: Run, expression: ast.Slice) -> Value:
    parts = [
        run.const(None) if part is None else run.evaluate(part)
        for part in (expression.lower, expression.upper, expression.step)
    ]
    found = run.list_of(parts)
    found.kind, found.name = "unknown", "slice"
    return found


def _binary(run: Run, expression: ast.BinOp) -> Value:
    left, right = run.evaluate(expression.left), run.evaluate(expression.right)
    return operate(run, expression.op, left, right)


def _unary(run: Run, expression: ast.UnaryOp) -> Value:
    value = run.evaluate(expression.operand)
    if isinstance(expression.op, ast.Invert):
        return negate(run, value)
    if isinstance(expression.op, ast.Not):
        known = truth_in(value)
        return run.const(not known) if known is not None else negate(run, value)
    if isinstance(expression.op, ast.USub) and value.const is not MISSING:
        known_number = negated(value.const)
        return run.const(known_number) if known_number is not MISSING else unknown(run.reach(value), run.line)
    if isinstance(expression.op, ast.USub) and value.kind != "const":
        found = run.with_fact(value)
        if found.sort is not None and found.sort.ascending is not None:
            found.sort = msgspec.structs.replace(found.sort, ascending=not found.sort.ascending)
        return found
    return value


def _compare(run: Run, expression: ast.Compare) -> Value:
    left = run.evaluate(expression.left)
    rights = [run.evaluate(right) for right in expression.comparators]
    before = _at(run, expression)
    found = comparison(run, left, expression.ops, rights)
    run.line = before
    return found


def _logic(run: Run, expression: ast.BoolOp) -> Value:
    values = [run.evaluate(value) for value in expression.values]
    if all(value.const is not MISSING for value in values):
        test = all if isinstance(expression.op, ast.And) else any
        return run.const(test(bool(value.const) for value in values))
    if isinstance(expression.op, ast.And) and any(truth_in(value) is False for value in values):
        return run.const(False)
    return combined(run, values, "and" if isinstance(expression.op, ast.And) else "or")


def _choice(run: Run, expression: ast.IfExp) -> Value:
    test = run.evaluate(expression.test)
    known = truth_in(test)
    if known is not None:
        return run.evaluate(expression.body if known else expression.orelse)
    first, second = run.evaluate(expression.body), run.evaluate(expression.orelse)
    nodes = run.reach(as_condition(run, test))
    found = join(first, second, run.line)
    found = found if found is not first else fresh(found)
    if test.kind == "series" and found.kind in ("unknown", "const"):
        return Value("series", run.node((found.node, *nodes)), sources=test.sources)
    return fresh(found, node=run.node((found.node, *nodes)))


def _named(run: Run, expression: ast.NamedExpr) -> Value:
    value = run.evaluate(expression.value)
    bind(run, expression.target, value)
    return value


def _subscript(run: Run, expression: ast.Subscript) -> Value:
    value, index = run.evaluate(expression.value), run.evaluate(expression.slice)
    before = _at(run, expression)
    found = get(run, value, index)
    run.line = before
    return found


def _attribute(run: Run, expression: ast.Attribute) -> Value:
    return attribute(run, run.evaluate(expression.value), expression.attr)


def _call(run: Run, expression: ast.Call) -> Value:
    function = expression.func
    receiver = run.evaluate(function.value if isinstance(function, ast.Attribute) else function)
    arguments: list[Value] = []
    for argument in expression.args:
        value = run.evaluate(argument.value if isinstance(argument, ast.Starred) else argument)
        inside = value.shared.items if isinstance(argument, ast.Starred) and value.shared is not None else None
        arguments.extend(inside if inside is not None else [value])
    named: dict[str, Value] = {}
    for keyword in expression.keywords:
        value = run.evaluate(keyword.value)
        if keyword.arg is not None:
            named[keyword.arg] = value
        elif value.shared is not None and value.shared.pairs is not None:
            named.update({str(name): item for name, item in value.shared.pairs.items()})
    before = _at(run, function)
    try:
        if not isinstance(function, ast.Attribute):
            return run.apply(receiver, arguments, named)
        found = _method(run, Call(receiver, function.attr, arguments, named))
        if truth_in(named.get("inplace")) is True and found.kind != "const":
            bind(run, function.value, found)
            return run.const(None)
        return found
    finally:
        run.line = before


def _method(run: Run, call: Call) -> Value:
    value = call.receiver
    if value.kind == "name":
        made = through(run, call)
        return made if made is not None else call_function(run, call)
    if isinstance(value.const, str):
        known = call_on_text(value.const, call.name, call.arguments)
        return run.const(known) if known is not MISSING else unknown(run.reach(value, *call.given), run.line)
    if value.kind in ("list", "dict"):
        return call_container(run, call)
    if value.kind in ("frame", "series", "groups") or value.node.tabular:
        return call_method(run, call)
    if value.kind == "unknown":
        run.change(value, *run.reach(*call.given))
    return unknown(run.reach(value, *call.given), run.line)


def _listed(run: Run, expression: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    outside, control = run.scope, run.control
    run.scope = Scope(outside)
    nodes: list[Node] = []
    for generator in expression.generators:
        iterable = run.evaluate(generator.iter)
        element = element_of(run, iterable)
        nodes.extend((element.node, iterable.node))
        bind(run, generator.target, element, told=False)
        for test in generator.ifs:
            nodes.extend(run.reach(as_condition(run, run.evaluate(test))))
    if isinstance(expression, ast.DictComp):
        key, value = run.evaluate(expression.key), run.evaluate(expression.value)
        element = value
        nodes.extend(run.reach(key))
        made = Value("dict", run.node((*nodes, *run.reach(value))), shared=Shared(element=value))
    else:
        element = run.evaluate(expression.elt)
        held = fresh(element, node=run.node((element.node, *nodes)))
        made = Value("list", run.node((*nodes, *run.reach(element))), shared=Shared(element=held))
        made.distinct = element.sources if isinstance(expression, ast.SetComp) else ()
    run.scope, run.control = outside, control
    return made


def _inner(run: Run, expression: ast.Starred | ast.Await | ast.Yield | ast.YieldFrom) -> Value:
    value = run.evaluate(expression.value) if expression.value is not None else run.const(None)
    if isinstance(expression, ast.Yield | ast.YieldFrom):
        node = run.node((*run.reach(value), *run.control))
        run.returned.append(Value("list", node, shared=Shared(element=value)))
    return value


def _at(run: Run, expression: ast.expr) -> int:
    """Go to the line of an expression; gives the one before."""
    before = run.line
    if not run.in_string:
        run.line = expression.end_lineno or expression.lineno
    return before


EXPRESSIONS: dict[type[ast.expr], Callable[[Run, Any], Value]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.List: _items,
    ast.Tuple: _items,
    ast.Set: _items,
    ast.Dict: _mapping,
    ast.JoinedStr: _text,
    ast.FormattedValue: _formatted,
    ast.Lambda: _lambda,
    ast.Slice: _slice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _logic,
    ast.IfExp: _choice,
    ast.NamedExpr: _named,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.ListComp: _listed,
    ast.SetComp: _listed,
    ast.GeneratorExp: _listed,
    ast.DictComp: _listed,
    ast.Starred: _inner,
    ast.Await: _inner,
    ast.Yield: _inner,
    ast.YieldFrom: _inner,
}
