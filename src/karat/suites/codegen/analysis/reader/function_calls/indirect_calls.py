"""Functions that call or name others: ``partial``, ``reduce``, ``getattr``, ``itemgetter``, ``exec``, ``eval``.

A text that is not known before the code runs is ``Unread``: what it does cannot be seen, and is not held against the
code.
"""

from __future__ import annotations

import ast
from typing import TypeVar

import msgspec

from karat.suites.codegen.analysis.pandas_api.columns import has_column
from karat.suites.codegen.analysis.pandas_api.iteration import element_of
from karat.suites.codegen.analysis.reader.control_flow.loops import known_items
from karat.suites.codegen.analysis.reader.function_calls.calls import Call, Handler
from karat.suites.codegen.analysis.reader.function_calls.objects import OBJECT, attribute_of, fields_of, object_of
from karat.suites.codegen.analysis.reader.state import DEPTH, State
from karat.suites.codegen.analysis.reader.subscripts import VIEWS, attribute
from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.analysis.reader.values import Function, Unread, Value, fresh

Tree = TypeVar("Tree", bound=ast.AST)
LONGEST = 20_000
"""Characters of a text that ``exec`` or ``eval`` is given."""


def _partial(state: State, call: Call) -> Value:
    """``partial(f, a, b=c)``: a function that has some of its arguments."""
    function = call.argument(0, "func")
    code = function.function if function is not None else None
    if function is None or code is None:
        return _unread(state, *call.given)
    held = msgspec.structs.replace(code, first=(*code.first, *call.arguments[1:]), named={**code.named, **call.named})
    return msgspec.structs.replace(function, function=held)


def _reduce(state: State, call: Call) -> Value:
    """``reduce(f, items, first)``: item by item where they are known, else two rounds."""
    function, given = call.argument(0, "function"), call.argument(1, "iterable")
    if function is None or given is None:
        return _unread(state, *call.given)
    known = known_items(state, given)
    items = known if known is not None else [element_of(state, given)] * 2
    first = call.argument(2, "initial")
    items = items if first is None else [first, *items]
    if not items:
        return state.const(None)
    found = items[0]
    for item in items[1:]:
        found = state.apply(function, [found, item])
    return fresh(found, node=state.node((found.node, given.node))) if found.kind != "const" else found


def _getattr(state: State, call: Call) -> Value:
    """``getattr(x, "name")`` is ``x.name``."""
    holder, name = call.argument(0), call.argument(1)
    if holder is None or name is None or not isinstance(name.const, str):
        return _unread(state, *call.given)
    if holder.name == OBJECT:
        found = attribute_of(state, holder, name.const)
        return found if found is not None else call.argument(2) or _unread(state, *call.given)
    if holder.kind == "name" or name.const in VIEWS or has_column(state, holder, name.const):
        return attribute(state, holder, name.const)
    return Value("function", state.node((holder.node,)), name=name.const, inner=holder)


def _getter(state: State, call: Call) -> Value:
    """``itemgetter("a")``, ``attrgetter("a")`` as a lambda."""
    keys = [value.const for value in call.arguments if isinstance(value.const, str | int)]
    if not keys or len(keys) != len(call.arguments):
        return _unread(state, *call.given)
    row = ast.Name("_row", ast.Load())
    parts: list[ast.expr] = [
        ast.Subscript(row, ast.Constant(key), ast.Load())
        if call.name == "itemgetter"
        else ast.Attribute(row, str(key), ast.Load())
        for key in keys
    ]
    body = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    arguments = ast.arguments([], [ast.arg("_row")], None, [], [], None, [])
    made = _on_line(ast.Lambda(arguments, body), state.line)
    return Value("function", state.node(()), function=Function(made, state.scope))


def _exec(state: State, call: Call) -> Value:
    """``exec(text)`` and ``eval(text)``: read in place where the text is known."""
    text = call.argument(0, "expr", "source")
    known = text.const if text is not None else None
    tree = syntax_tree(known) if isinstance(known, str) and len(known) <= LONGEST else None
    if tree is None or state.depth >= DEPTH:
        found = _unread(state, *call.given)
        if call.name == "exec":
            state.hidden.append(found.node)
        return found
    _on_line(tree, state.line)
    state.depth += 1
    last = tree.body[-1] if tree.body else None
    try:
        if call.name == "eval" and isinstance(last, ast.Expr):
            return state.evaluate(last.value)
        state.run(tree.body)
        return state.const(None)
    finally:
        state.depth -= 1


def _on_line(tree: Tree, line: int) -> Tree:
    """A tree whose own lines mean nothing, on a line of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno = node.end_lineno = line
    return tree


def _unread(state: State, *values: Value) -> Value:
    return Value("unknown", state.node(state.reach(*values), Unread()))


def _namespace(state: State, call: Call) -> Value:
    return object_of(state, call.named)


def _namedtuple(state: State, call: Call) -> Value:
    return fields_of(state, call.arguments)


HANDLERS: dict[str, Handler] = {
    "partial": _partial,
    "reduce": _reduce,
    "getattr": _getattr,
    **dict.fromkeys(("itemgetter", "attrgetter"), _getter),
    **dict.fromkeys(("exec", "eval"), _exec),
    **dict.fromkeys(("SimpleNamespace", "Namespace"), _namespace),
    "namedtuple": _namedtuple,
}
