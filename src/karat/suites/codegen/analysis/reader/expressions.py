"""Reading expressions: each becomes a value that knows where it came from. ``EXPRESSIONS`` has a function for each
kind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any  # Any: each function takes the class of syntax that it is listed under

import msgspec

from karat.suites.codegen.analysis.pandas_api.iteration import MUTATORS, call_container, element_of, through
from karat.suites.codegen.analysis.polars_api.arguments import by_name
from karat.suites.codegen.analysis.polars_api.deferred import is_deferred, lifted
from karat.suites.codegen.analysis.polars_api.expression_methods import complement
from karat.suites.codegen.analysis.reader.binding import bind
from karat.suites.codegen.analysis.reader.constants import call_on_text, negated, split_text, truth_in
from karat.suites.codegen.analysis.reader.control_flow.loops import known_items
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.function_calls.dialects import call_function, call_method
from karat.suites.codegen.analysis.reader.function_calls.file_writes import note_written
from karat.suites.codegen.analysis.reader.function_calls.objects import OBJECT, attribute_of, class_attribute
from karat.suites.codegen.analysis.reader.masks import as_condition, combined, comparison, negate
from karat.suites.codegen.analysis.reader.operators import operate
from karat.suites.codegen.analysis.reader.state import Scope, State
from karat.suites.codegen.analysis.reader.subscripts import attribute, get
from karat.suites.codegen.analysis.reader.values import MISSING, Function, Node, Shared, Value, fresh, join, unknown
from karat.suites.codegen.analysis.sql.calls import query_call


def _name(state: State, expression: ast.Name) -> Value:
    found = state.scope.find(expression.id)
    if found is not None:
        return found
    if expression.id == "__name__":
        return state.const("__main__")
    return Value("name", state.node(()), name=expression.id)


def _constant(state: State, expression: ast.Constant) -> Value:
    return state.const(expression.value)


def _items(state: State, expression: ast.List | ast.Tuple | ast.Set) -> Value:
    found: list[Value] = []
    for item in expression.elts:
        value = state.evaluate(item.value if isinstance(item, ast.Starred) else item)
        inside = value.shared.items if value.shared is not None and value.kind == "list" else None
        found.extend(inside if isinstance(item, ast.Starred) and inside is not None else [value])
    made = state.list_of(found)
    made.name = "tuple" if isinstance(expression, ast.Tuple) else ""
    return made


def _mapping(state: State, expression: ast.Dict) -> Value:
    pairs: dict[str | int | float, Value] = {}
    nodes: list[Node] = []
    for key, item in zip(expression.keys, expression.values, strict=True):
        value = state.evaluate(item)
        nodes.extend(state.reach(value))
        label = state.evaluate(key) if key is not None else None
        if label is None:
            pairs.update((value.shared.pairs or {}) if value.shared is not None else {})
        elif isinstance(label.const, str | int | float):
            pairs[label.const] = value
        else:
            nodes.extend(state.reach(label))
    return Value("dict", state.node(nodes), shared=Shared(pairs=pairs))


def _text(state: State, expression: ast.JoinedStr) -> Value:
    parts = [state.evaluate(part) for part in expression.values]
    if all(part.const is not MISSING for part in parts):
        return state.const("".join(str(part.const) for part in parts))
    return unknown(state.reach(*parts), state.line)


def _formatted(state: State, expression: ast.FormattedValue) -> Value:
    value = state.evaluate(expression.value)
    plain = expression.format_spec is None and expression.conversion == -1
    return value if plain or value.const is MISSING else unknown(state.reach(value), state.line)


def _lambda(state: State, expression: ast.Lambda) -> Value:
    return Value("function", state.node(()), function=Function(expression, state.scope))


def _slice(state: State, expression: ast.Slice) -> Value:
    parts = [
        state.const(None) if part is None else state.evaluate(part)
        for part in (expression.lower, expression.upper, expression.step)
    ]
    found = state.list_of(parts)
    found.kind, found.name = "unknown", "slice"
    return found


def _binary(state: State, expression: ast.BinOp) -> Value:
    left, right = state.evaluate(expression.left), state.evaluate(expression.right)
    return operate(state, expression.op, left, right)


def _unary(state: State, expression: ast.UnaryOp) -> Value:
    value = state.evaluate(expression.operand)
    if value.kind == "expr":
        chosen = complement(state, value) if isinstance(expression.op, ast.Invert) else None
        return chosen or lifted(state, [value], lambda found: _signed(state, expression.op, found[0]))
    return _signed(state, expression.op, value)


def _signed(state: State, operator: ast.unaryop, value: Value) -> Value:
    if isinstance(operator, ast.Invert):
        return negate(state, value)
    if isinstance(operator, ast.Not):
        known = truth_in(value)
        return state.const(not known) if known is not None else negate(state, value)
    if isinstance(operator, ast.USub) and value.const is not MISSING:
        known_number = negated(value.const)
        return state.const(known_number) if known_number is not MISSING else unknown(state.reach(value), state.line)
    if isinstance(operator, ast.USub) and value.kind != "const":
        found = state.with_fact(value)
        if found.sort is not None and found.sort.ascending is not None:
            found.sort = msgspec.structs.replace(found.sort, ascending=not found.sort.ascending)
        found.falling = not value.falling
        return found
    return value


def _compare(state: State, expression: ast.Compare) -> Value:
    left = state.evaluate(expression.left)
    rights = [state.evaluate(right) for right in expression.comparators]
    before = _at(state, expression)
    if any(map(is_deferred, (left, *rights))):
        found = lifted(state, [left, *rights], lambda all_: comparison(state, all_[0], expression.ops, all_[1:]))
    else:
        found = comparison(state, left, expression.ops, rights)
    state.line = before
    return found


def _logic(state: State, expression: ast.BoolOp) -> Value:
    values = [state.evaluate(value) for value in expression.values]
    if all(value.const is not MISSING for value in values):
        test = all if isinstance(expression.op, ast.And) else any
        return state.const(test(bool(value.const) for value in values))
    if isinstance(expression.op, ast.And) and any(truth_in(value) is False for value in values):
        return state.const(False)
    return combined(state, values, "and" if isinstance(expression.op, ast.And) else "or")


def _choice(state: State, expression: ast.IfExp) -> Value:
    test = state.evaluate(expression.test)
    known = truth_in(test)
    if known is not None:
        return state.evaluate(expression.body if known else expression.orelse)
    first, second = state.evaluate(expression.body), state.evaluate(expression.orelse)
    nodes = state.reach(as_condition(state, test))
    found = join(first, second, state.line)
    found = found if found is not first else fresh(found)
    if test.kind == "series" and found.kind in ("unknown", "const"):
        return Value("series", state.node((found.node, *nodes)), sources=test.sources)
    return fresh(found, node=state.node((found.node, *nodes)))


def _named(state: State, expression: ast.NamedExpr) -> Value:
    value = state.evaluate(expression.value)
    bind(state, expression.target, value)
    return value


def _subscript(state: State, expression: ast.Subscript) -> Value:
    value, index = state.evaluate(expression.value), state.evaluate(expression.slice)
    before = _at(state, expression)
    found = get(state, value, index)
    state.line = before
    return found


def _attribute(state: State, expression: ast.Attribute) -> Value:
    value = state.evaluate(expression.value)
    if value.kind == "name" and value.name == "col":
        return by_name(state, [expression.attr])  # pl.col.age
    if value.name == OBJECT:
        held = attribute_of(state, value, expression.attr)
        if held is not None:
            return held
    if value.function is not None:
        held = class_attribute(state, value.function, expression.attr)
        if held is not None:
            return held
    if value.kind == "expr":
        return lifted(state, [value], lambda found: attribute(state, found[0], expression.attr))
    return attribute(state, value, expression.attr)


def _call(state: State, expression: ast.Call) -> Value:
    function = expression.func
    holder = _changed_item(state, function)
    receiver = holder or state.evaluate(function.value if isinstance(function, ast.Attribute) else function)
    arguments: list[Value] = []
    for argument in expression.args:
        value = state.evaluate(argument.value if isinstance(argument, ast.Starred) else argument)
        inside = value.shared.items if isinstance(argument, ast.Starred) and value.shared is not None else None
        arguments.extend(inside if inside is not None else [value])
    named: dict[str, Value] = {}
    for keyword in expression.keywords:
        value = state.evaluate(keyword.value)
        if keyword.arg is not None:
            named[keyword.arg] = value
        elif value.shared is not None and value.shared.pairs is not None:
            named.update({str(name): item for name, item in value.shared.pairs.items()})
    before = _at(state, function)
    try:
        if not isinstance(function, ast.Attribute):
            return state.apply(receiver, arguments, named)
        found = _method(state, Call(receiver, function.attr, arguments, named))
        if truth_in(named.get("inplace")) is True and found.kind != "const":
            bind(state, function.value, found)
            return state.const(None)
        return found
    finally:
        state.line = before


def _changed_item(state: State, function: ast.expr) -> Value | None:
    """The dict of ``found[city].append(…)``, whose keys are not known one by one: it is changed as by
    ``found.setdefault(city, []).append(…)``."""
    if not isinstance(function, ast.Attribute) or function.attr not in MUTATORS:
        return None
    if not isinstance(function.value, ast.Subscript):
        return None
    holder = state.evaluate(function.value.value)
    if holder.kind != "dict" or holder.name == OBJECT:
        return None
    index = state.evaluate(function.value.slice)
    if isinstance(index.const, str | int | float):
        return None
    return call_container(state, Call(holder, "setdefault", [index, state.list_of([])], {}))


def _method(state: State, call: Call) -> Value:
    value = call.receiver
    note_written(state, call)
    if value.kind == "name":
        made = through(state, call)
        return made if made is not None else call_function(state, call)
    if value.kind == "expr":
        return call_method(state, call)
    if isinstance(value.const, str):
        listed = split_text(value.const, call.name, call.arguments)
        if listed is not None:
            return state.list_of([state.const(text) for text in listed])
        known = call_on_text(value.const, call.name, call.arguments, call.named)
        return state.const(known) if known is not MISSING else unknown(state.reach(value, *call.given), state.line)
    if value.name == OBJECT:
        method = attribute_of(state, value, call.name)
        if method is not None:
            return state.apply(method, call.arguments, call.named)
    if value.function is not None:
        method = class_attribute(state, value.function, call.name)
        if method is not None:
            return state.apply(method, call.arguments, call.named)
    if value.kind in ("list", "dict"):
        return call_container(state, call)
    if value.kind in ("frame", "series", "groups") or value.node.tabular:
        return call_method(state, call)
    found = query_call(state, call)
    if found is not None:
        return found
    if value.kind == "unknown":
        state.change(value, *state.reach(*call.given))
    return unknown(state.reach(value, *call.given), state.line)


def _listed(state: State, expression: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    outside, control = state.scope, state.control
    state.scope = Scope(outside)
    each = _each(state, expression)
    if each is not None:
        state.scope = outside
        return each
    nodes: list[Node] = []
    for generator in expression.generators:
        iterable = state.evaluate(generator.iter)
        element = element_of(state, iterable)
        nodes.extend((element.node, iterable.node))
        bind(state, generator.target, element, told=False)
        for test in generator.ifs:
            nodes.extend(state.reach(as_condition(state, state.evaluate(test))))
    if isinstance(expression, ast.DictComp):
        key, value = state.evaluate(expression.key), state.evaluate(expression.value)
        element = value
        nodes.extend(state.reach(key))
        made = Value("dict", state.node((*nodes, *state.reach(value))), shared=Shared(element=value))
        made.index = key.sources if value.sources else ()  # a lookup from one column to another
        made.sources = value.sources if made.index else ()
    else:
        element = state.evaluate(expression.elt)
        held = fresh(element, node=state.node((element.node, *nodes)))
        made = Value("list", state.node((*nodes, *state.reach(element))), shared=Shared(element=held))
        made.distinct = element.sources if isinstance(expression, ast.SetComp) else ()
    state.scope, state.control = outside, control
    return made


def _each(state: State, expression: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value | None:
    """A comprehension over items that are known one by one, with conditions that are known; None for any other."""
    generator = expression.generators[0]
    items = known_items(state, state.evaluate(generator.iter)) if len(expression.generators) == 1 else None
    if items is None:
        return None
    made: list[tuple[Value, Value]] = []
    for item in items:
        bind(state, generator.target, item, told=False)
        kept = [truth_in(state.evaluate(test)) for test in generator.ifs]
        if None in kept:
            return None
        if all(kept):
            if isinstance(expression, ast.DictComp):
                made.append((state.evaluate(expression.key), state.evaluate(expression.value)))
            else:
                made.append((state.const(None), state.evaluate(expression.elt)))
    if not isinstance(expression, ast.DictComp):
        return state.list_of([value for _, value in made])
    pairs: dict[str | int | float, Value] = {
        key.const: value for key, value in made if isinstance(key.const, str | int | float)
    }
    if len(pairs) != len(made):
        return None
    return Value("dict", state.node(state.reach(*pairs.values())), shared=Shared(pairs=pairs))


def _inner(state: State, expression: ast.Starred | ast.Await | ast.Yield | ast.YieldFrom) -> Value:
    value = state.evaluate(expression.value) if expression.value is not None else state.const(None)
    if isinstance(expression, ast.Yield | ast.YieldFrom):
        node = state.node((*state.reach(value), *state.control))
        state.returned.append(Value("list", node, shared=Shared(element=value)))
    return value


def _at(state: State, expression: ast.expr) -> int:
    """Go to the line of an expression; gives the one before."""
    before = state.line
    if not state.in_string:
        state.line = expression.end_lineno or expression.lineno
    return before


EXPRESSIONS: dict[type[ast.expr], Callable[[State, Any], Value]] = {
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
