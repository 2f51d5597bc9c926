"""Objects of the code's own classes, and what else holds values under names: ``SimpleNamespace``, ``namedtuple``,
``dataclass``.

An object is a mapping of its attributes. A method is a function that has its object already.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import msgspec

from karat.suites.codegen.analysis.reader.constants import texts_of
from karat.suites.codegen.analysis.reader.state import DEPTH, Scope, State
from karat.suites.codegen.analysis.reader.values import Function, Shared, Value

OBJECT = "object"


def define_class(state: State, statement: ast.ClassDef) -> None:
    """``class P: …``. Its body is read where an object of it is made."""
    state.scope.set(statement.name, Value("function", state.node(()), function=Function(statement, state.scope)))


def object_of(state: State, attributes: dict[str, Value]) -> Value:
    pairs: dict[str | int | float, Value] = dict(attributes.items())
    return Value("dict", state.node(state.reach(*pairs.values())), name=OBJECT, shared=Shared(pairs=pairs))


def instance_of(
    state: State, function: Function, code: ast.ClassDef, given: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """``P(…)``: the class's own names, then what ``__init__`` sets, or the fields of a dataclass in their order."""
    outside = state.scope
    state.scope = Scope(function.scope)
    fields = [one.target.id for one in code.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    state.run(code.body)
    attributes, state.scope = state.scope.names, outside
    made = object_of(state, attributes)
    pairs = made.shared.pairs if made.shared is not None and made.shared.pairs is not None else {}
    init = attributes.get("__init__")
    if init is not None and init.kind == "function":
        state.apply(_bound(init, made), given, named)
    else:
        pairs.update({**dict(zip(fields, given, strict=False)), **named})
    return made


def class_attribute(state: State, function: Function, name: str) -> Value | None:
    """``P.limit``: a name that the class itself sets; None where it sets none."""
    if not isinstance(function.code, ast.ClassDef) or state.depth >= DEPTH:
        return None
    outside = state.scope
    state.scope = Scope(function.scope)
    state.depth += 1
    state.run(function.code.body)
    found = state.scope.names.get(name)
    state.scope = outside
    state.depth -= 1
    return found


def fields_of(state: State, given: Sequence[Value]) -> Value:
    """``namedtuple("P", "a b")``: a class with these fields."""
    names = [name for value in given[1:2] for text in texts_of(value) for name in text.replace(",", " ").split()]
    body: list[ast.stmt] = [
        ast.AnnAssign(ast.Name(name, ast.Store()), ast.Constant(None), None, 1, lineno=state.line) for name in names
    ]
    code = ast.ClassDef("fields", [], [], body or [ast.Pass(lineno=state.line)], [])
    return Value("function", state.node(()), function=Function(code, state.scope))


def attribute_of(state: State, value: Value, name: str) -> Value | None:
    """An attribute of an object; a method has its object, a property is what it comes to. None when it has none."""
    found = (value.shared.pairs or {}).get(name) if value.shared is not None else None
    if found is None or found.function is None or not isinstance(found.function.code, ast.FunctionDef):
        return found
    decorators = {one.id for one in found.function.code.decorator_list if isinstance(one, ast.Name)}
    if "staticmethod" in decorators:
        return found
    method = _bound(found, value)
    return state.apply(method, []) if {"property", "cached_property"} & decorators else method


def _bound(function: Value, holder: Value) -> Value:
    code = function.function
    if code is None:
        return function
    return msgspec.structs.replace(function, function=msgspec.structs.replace(code, first=(holder, *code.first)))
