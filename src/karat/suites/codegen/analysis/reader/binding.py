"""Reading what gives a value a name, or puts it into another: assignments, ``+=``, imports."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from karat.suites.codegen.analysis.pandas_api.columns import has_column, rename
from karat.suites.codegen.analysis.reader.constants import texts_of
from karat.suites.codegen.analysis.reader.function_calls.objects import OBJECT
from karat.suites.codegen.analysis.reader.masks import label
from karat.suites.codegen.analysis.reader.operators import operate
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.subscripts import get, put
from karat.suites.codegen.analysis.reader.values import INDEXED_ROW, MISSING, ROW, Value, fresh, unknown
from karat.suites.codegen.analysis.records import Aggregation


def bind(state: State, target: ast.expr, value: Value, *, told: bool = True) -> None:
    """``target = value``. ``told``: whether to report a name that is never read."""
    if isinstance(target, ast.Name):
        node = state.node((value.node, *state.control))
        node.name = target.id
        if told:
            state.bindings.append(node)
        state.scope.set(target.id, msgspec.structs.replace(value, node=node))
    elif isinstance(target, ast.Subscript):
        put(state, state.evaluate(target.value), state.evaluate(target.slice), value)
    elif isinstance(target, ast.Attribute):
        _set_attribute(state, state.evaluate(target.value), target.attr, value)
    elif isinstance(target, ast.Starred):
        bind(state, target.value, value, told=told)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(state, target.elts, value, told=told)


def _unpack(state: State, targets: Sequence[ast.expr], value: Value, *, told: bool) -> None:
    """``a, b = value``, ``a, *rest = value``: item by item where the items are known."""
    items = value.shared.items if value.shared is not None and value.kind == "list" else None
    star = next((at for at, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
    rest = len(items) - (len(targets) - 1) if items is not None else 0
    if items is not None and star is not None and rest >= 0:
        items = [*items[:star], state.list_of(items[star : star + rest]), *items[star + rest :]]
    plain = items if items is not None and len(items) == len(targets) else None
    for place, part in enumerate(targets):
        if plain is not None:
            bind(state, part, plain[place], told=told)
        elif value.name in (ROW, INDEXED_ROW) and star is None:
            bind(state, part, _cell(state, value, place), told=told)
        elif value.kind == "list":
            found = value if isinstance(part, ast.Starred) else get(state, value, state.const(place))
            bind(state, part, found, told=told)
        else:
            bind(state, part, unknown(state.reach(value), state.line), told=told)


def _cell(state: State, row: Value, place: int) -> Value:
    """A cell of a row by its place, where the label of the row may be the first."""
    if row.name == INDEXED_ROW and place == 0:
        return state.series((row.node,), row.index)
    return get(state, row, state.const(place))


def _set_attribute(state: State, value: Value, name: str, new: Value) -> None:
    if value.name == OBJECT:
        put(state, value, state.const(name), new)
    elif value.kind != "frame" or value.shared is None:
        state.change(value, *state.reach(new))
    elif name == "columns":
        names, old = texts_of(new), value.shared.columns
        if old is not None and len(names) == len(old):
            renamed = rename(state, value, dict(zip(old, names, strict=True)))
            value.shared = renamed.shared
        else:
            value.shared.loose = True
    elif has_column(state, value, name):
        put(state, value, state.const(name), new)
    else:
        state.change(value, *state.reach(new))


def assign(state: State, statement: ast.Assign) -> None:
    adding = _adding(state, statement)
    if adding is not None:
        augment(state, adding)
        return
    value = state.evaluate(statement.value)
    for target in statement.targets:
        bind(state, target, value)


def annotated(state: State, statement: ast.AnnAssign) -> None:
    if statement.value is not None:
        bind(state, statement.target, state.evaluate(statement.value))


def _adding(state: State, statement: ast.Assign) -> ast.AugAssign | None:
    """``total = total + x`` and ``d[k] = d.get(k, 0) + x`` as ``+= x``; None for any other assignment in a loop."""
    target, value = statement.targets[0], statement.value
    if not state.control or not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    left = value.left
    if isinstance(target, ast.Name) and isinstance(left, ast.Name) and left.id == target.id:
        return ast.AugAssign(target, value.op, value.right)
    if isinstance(target, ast.Subscript) and isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute):
        same = ast.dump(left.func.value) == ast.dump(target.value) and left.func.attr == "get"
        return ast.AugAssign(target, value.op, value.right) if same else None
    return None


def augment(state: State, statement: ast.AugAssign) -> None:
    """``x += y``; under a loop over rows this adds up, or counts."""
    target = statement.target
    old = state.evaluate(_loaded(target))
    added = state.evaluate(statement.value)
    by_row = any(node.tabular for node in state.control) and isinstance(statement.op, ast.Add)
    if by_row and (added.const is not MISSING or added.kind in ("series", "scalar")):
        counts = added.const is not MISSING or bool(added.mask)
        told = Aggregation("count" if counts else "sum", label(added), state.line)
        node = state.node((*state.reach(fresh(old, pending=())), *state.reach(added), *state.control))
        new = Value("scalar", node, sources=added.sources, pending=(told,))
    else:
        new = operate(state, statement.op, old, added)
        by_row = False
    if isinstance(target, ast.Subscript):
        put(state, *_place_of(state, target), new, added=by_row)
    else:
        bind(state, target, new)


def _place_of(state: State, target: ast.Subscript) -> tuple[Value, Value]:
    """What ``target`` changes, and where. ``totals[city][0] += x`` changes what is held for a city."""
    if isinstance(target.value, ast.Subscript):
        holder, key = state.evaluate(target.value.value), state.evaluate(target.value.slice)
        if holder.kind == "dict" and holder.name != OBJECT and not isinstance(key.const, str | int | float):
            return holder, key
    return state.evaluate(target.value), state.evaluate(target.slice)


def import_(state: State, statement: ast.Import | ast.ImportFrom) -> None:
    if isinstance(statement, ast.ImportFrom):
        state.modules.add((statement.module or "").partition(".")[0])
    else:
        state.modules |= {alias.name.partition(".")[0] for alias in statement.names}
    for alias in statement.names:
        name = alias.name.rpartition(".")[2] if alias.asname else alias.name.partition(".")[0]
        found = state.scope.find(alias.asname or name)
        if found is None or found.kind == "name":
            state.scope.set(alias.asname or name, Value("name", state.node(()), name=name))


def delete(state: State, statement: ast.Delete) -> None:
    for target in statement.targets:
        if isinstance(target, ast.Subscript):
            value, index = state.evaluate(target.value), state.evaluate(target.slice)
            if value.kind == "frame" and value.shared is not None and isinstance(index.const, str):
                value.shared.made.pop(index.const, None)


def _loaded(target: ast.expr) -> ast.expr:
    """A target, to be read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
