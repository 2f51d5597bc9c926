"""Reading what gives a value a name, or puts it into another: assignments, ``+=``, imports."""

from __future__ import annotations

import ast

import msgspec

from karat.suites.codegen.analysis.constants import texts_of
from karat.suites.codegen.analysis.expressions import Expressions
from karat.suites.codegen.analysis.masks import label
from karat.suites.codegen.analysis.pandas_api.columns import has_column, rename
from karat.suites.codegen.analysis.subscripts import get, put
from karat.suites.codegen.analysis.values import MISSING, Value, fresh, unknown
from karat.suites.codegen.records import Aggregation


class Binding(Expressions):
    """Names, parts and attributes being set."""

    def bind(self, target: ast.expr, value: Value, *, told: bool = True) -> None:
        """``target = value``. ``told``: whether a name that nobody reads is to be reported."""
        if isinstance(target, ast.Name):
            node = self.node((value.node, *self.control))
            node.name = target.id
            if told:
                self.bindings.append(node)
            self.scope.names[target.id] = msgspec.structs.replace(value, node=node)
        elif isinstance(target, ast.Subscript):
            put(self, self.evaluate(target.value), self.evaluate(target.slice), value)
        elif isinstance(target, ast.Attribute):
            self.set_attribute(self.evaluate(target.value), target.attr, value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value, told=told)
        elif isinstance(target, ast.Tuple | ast.List):
            items = value.shared.items if value.shared is not None and value.kind == "list" else None
            plain = items is not None and len(items) == len(target.elts)
            for place, part in enumerate(target.elts):
                if plain and items is not None:
                    self.bind(part, items[place], told=told)
                else:
                    whole = value if value.kind in ("list", "frame", "series") else None
                    found = get(self, whole, self.const(place)) if whole is not None and value.kind == "list" else None
                    self.bind(part, found or unknown(self.reach(value), self.line), told=told)

    def set_attribute(self, value: Value, name: str, new: Value) -> None:
        if value.kind != "frame" or value.shared is None:
            self.change(value, *self.reach(new))
        elif name == "columns":
            names, old = texts_of(new), value.shared.columns
            if old is not None and len(names) == len(old):
                renamed = rename(self, value, dict(zip(old, names, strict=True)))
                value.shared = renamed.shared
            else:
                value.shared.loose = True
        elif has_column(self, value, name):
            put(self, value, self.const(name), new)
        else:
            self.change(value, *self.reach(new))

    def assign(self, statement: ast.Assign) -> None:
        adding = self.adding(statement)
        if adding is not None:
            self.augment(adding)
            return
        value = self.evaluate(statement.value)
        for target in statement.targets:
            self.bind(target, value)

    def annotated(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.bind(statement.target, self.evaluate(statement.value))

    def adding(self, statement: ast.Assign) -> ast.AugAssign | None:
        """``total = total + x`` and ``d[k] = d.get(k, 0) + x`` as ``+= x``; None for any other assignment in a loop."""
        target, value = statement.targets[0], statement.value
        if not self.control or not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
            return None
        left = value.left
        if isinstance(target, ast.Name) and isinstance(left, ast.Name) and left.id == target.id:
            return ast.AugAssign(target, value.op, value.right)
        if isinstance(target, ast.Subscript) and isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute):
            same = ast.dump(left.func.value) == ast.dump(target.value) and left.func.attr == "get"
            return ast.AugAssign(target, value.op, value.right) if same else None
        return None

    def augment(self, statement: ast.AugAssign) -> None:
        """``x += y``; under a loop over rows this adds up, or counts."""
        target = statement.target
        old = self.evaluate(_loaded(target))
        added = self.evaluate(statement.value)
        by_row = any(node.tabular for node in self.control) and isinstance(statement.op, ast.Add)
        if by_row and (added.const is not MISSING or added.kind in ("series", "scalar")):
            counts = added.const is not MISSING or bool(added.mask)
            told = Aggregation("count" if counts else "sum", label(added), self.line)
            node = self.node((*self.reach(fresh(old, pending=())), *self.reach(added), *self.control))
            new = Value("scalar", node, sources=added.sources, pending=(told,))
        else:
            new = self.operate(statement.op, old, added)
            by_row = False
        if isinstance(target, ast.Subscript):
            put(self, self.evaluate(target.value), self.evaluate(target.slice), new, added=by_row)
        else:
            self.bind(target, new)

    def import_(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            name = alias.name.rpartition(".")[2] if alias.asname else alias.name.partition(".")[0]
            found = self.scope.find(alias.asname or name)
            if found is None or found.kind == "name":
                self.scope.names[alias.asname or name] = Value("name", self.node(()), name=name)

    def delete(self, statement: ast.Delete) -> None:
        for target in statement.targets:
            if isinstance(target, ast.Subscript):
                value, index = self.evaluate(target.value), self.evaluate(target.slice)
                if value.kind == "frame" and value.shared is not None and isinstance(index.const, str):
                    value.shared.made.pop(index.const, None)


def _loaded(target: ast.expr) -> ast.expr:
    """A target, to be read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
