"""Reading what gives a value a name, or puts it into another: assignments, ``+=``, imports."""

from __future__ import annotations

import ast

import msgspec

from karat.suites.codegen.analysis.constants import texts_of
from karat.suites.codegen.analysis.masks import label
from karat.suites.codegen.analysis.operators import operate
from karat.suites.codegen.analysis.pandas_api.columns import has_column, rename
from karat.suites.codegen.analysis.run import Run
from karat.suites.codegen.analysis.subscripts import get, put
from karat.suites.codegen.analysis.values import MISSING, Value, fresh, unknown
from karat.suites.codegen.records import Aggregation


def bind(run: Run, target: ast.expr, value: Value, *, told: bool = True) -> None:
    """``target = value``. ``told``: whether a name that nobody reads is to be reported."""
    if isinstance(target, ast.Name):
        node = run.node((value.node, *run.control))
        node.name = target.id
        if told:
            run.bindings.append(node)
        run.scope.names[target.id] = msgspec.structs.replace(value, node=node)
    elif isinstance(target, ast.Subscript):
        put(run, run.evaluate(target.value), run.evaluate(target.slice), value)
    elif isinstance(target, ast.Attribute):
        _set_attribute(run, run.evaluate(target.value), target.attr, value)
    elif isinstance(target, ast.Starred):
        bind(run, target.value, value, told=told)
    elif isinstance(target, ast.Tuple | ast.List):
        items = value.shared.items if value.shared is not None and value.kind == "list" else None
        plain = items is not None and len(items) == len(target.elts)
        for place, part in enumerate(target.elts):
            if plain and items is not None:
                bind(run, part, items[place], told=told)
            else:
                whole = value if value.kind in ("list", "frame", "series") else None
                found = get(run, whole, run.const(place)) if whole is not None and value.kind == "list" else None
                bind(run, part, found or unknown(run.reach(value), run.line), told=told)


def _set_attribute(run: Run, value: Value, name: str, new: Value) -> None:
    if value.kind != "frame" or value.shared is None:
        run.change(value, *run.reach(new))
    elif name == "columns":
        names, old = texts_of(new), value.shared.columns
        if old is not None and len(names) == len(old):
            renamed = rename(run, value, dict(zip(old, names, strict=True)))
            value.shared = renamed.shared
        else:
            value.shared.loose = True
    elif has_column(run, value, name):
        put(run, value, run.const(name), new)
    else:
        run.change(value, *run.reach(new))


def assign(run: Run, statement: ast.Assign) -> None:
    adding = _adding(run, statement)
    if adding is not None:
        augment(run, adding)
        return
    value = run.evaluate(statement.value)
    for target in statement.targets:
        bind(run, target, value)


def annotated(run: Run, statement: ast.AnnAssign) -> None:
    if statement.value is not None:
        bind(run, statement.target, run.evaluate(statement.value))


def _adding(run: Run, statement: ast.Assign) -> ast.AugAssign | None:
    """``total = total + x`` and ``d[k] = d.get(k, 0) + x`` as ``+= x``; None for any other assignment in a loop."""
    target, value = statement.targets[0], statement.value
    if not run.control or not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
        return None
    left = value.left
    if isinstance(target, ast.Name) and isinstance(left, ast.Name) and left.id == target.id:
        return ast.AugAssign(target, value.op, value.right)
    if isinstance(target, ast.Subscript) and isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute):
        same = ast.dump(left.func.value) == ast.dump(target.value) and left.func.attr == "get"
        return ast.AugAssign(target, value.op, value.right) if same else None
    return None


def augment(run: Run, statement: ast.AugAssign) -> None:
    """``x += y``; under a loop over rows this adds up, or counts."""
    target = statement.target
    old = run.evaluate(_loaded(target))
    added = run.evaluate(statement.value)
    by_row = any(node.tabular for node in run.control) and isinstance(statement.op, ast.Add)
    if by_row and (added.const is not MISSING or added.kind in ("series", "scalar")):
        counts = added.const is not MISSING or bool(added.mask)
        told = Aggregation("count" if counts else "sum", label(added), run.line)
        node = run.node((*run.reach(fresh(old, pending=())), *run.reach(added), *run.control))
        new = Value("scalar", node, sources=added.sources, pending=(told,))
    else:
        new = operate(run, statement.op, old, added)
        by_row = False
    if isinstance(target, ast.Subscript):
        put(run, run.evaluate(target.value), run.evaluate(target.slice), new, added=by_row)
    else:
        bind(run, target, new)


def import_(run: Run, statement: ast.Import | ast.ImportFrom) -> None:
    for alias in statement.names:
        name = alias.name.rpartition(".")[2] if alias.asname else alias.name.partition(".")[0]
        found = run.scope.find(alias.asname or name)
        if found is None or found.kind == "name":
            run.scope.names[alias.asname or name] = Value("name", run.node(()), name=name)


def delete(run: Run, statement: ast.Delete) -> None:
    for target in statement.targets:
        if isinstance(target, ast.Subscript):
            value, index = run.evaluate(target.value), run.evaluate(target.slice)
            if value.kind == "frame" and value.shared is not None and isinstance(index.const, str):
                value.shared.made.pop(index.const, None)


def _loaded(target: ast.expr) -> ast.expr:
    """A target, to be read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
