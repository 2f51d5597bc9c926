"""Tests whose comparisons an answer cannot decide. Runs in the sandbox, beside the answer.

A test compares what an answer gave by the operators of the value itself, so an object whose ``__eq__`` is always true
passes every test. Here each comparison, and each ``assertEqual`` or ``assert_array_equal``, first looks at the two
sides: an object whose class says in the answer's own code how it compares counts only beside another such object.
Python's own classes and those of libraries say it in code that the answer did not write.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any  # Any: a value of any class, which is not trusted

ASSERTS = re.compile(r"assert[A-Z]\w*|assert_\w*(equal|close|less)\w*|equals|array_equal|array_equiv|allclose|isclose")
DECIDING = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"),
    *("__sub__", "__rsub__", "__abs__", "__round__", "__array__", "__array_ufunc__", "equals"),
)
MOST = 200_000
"""Items of containers that are looked at."""
BUILT_IN = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)
CONTAINERS = (list, tuple, set, frozenset)
PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})
type_of, is_a, members = type, isinstance, type.__dict__["__mro__"].__get__  # before an answer can replace them
WORKING_FOLDER = f"{Path.cwd()}{os.sep}"


def fair(tests: str, file: str, name: str) -> tuple[types.CodeType, Callable[..., object]]:
    """The tests as code that asks the function beside it, under that name, for each comparison."""
    tree = ast.fix_missing_locations(_Comparisons(name).visit(ast.parse(tests, file)))
    return compile(tree, file, "exec"), _Judge(file, any_allowed="ANY" in tests, mocks_allowed="mock" in tests).held


class _Comparisons(ast.NodeTransformer):
    """``a == b`` becomes ``held(lambda x, y: x == y, a, b)``, and ``f(a, b)`` of an assert ``held(f, a, b)``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        sides = ast.parse("lambda x, y: x == y", mode="eval").body
        if isinstance(sides, ast.Lambda) and isinstance(sides.body, ast.Compare):
            sides.body.ops = node.ops
        return self._held(node, sides, [node.left, *node.comparators], [])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        return self._held(node, node.func, node.args, node.keywords) if ASSERTS.fullmatch(called) else node

    def _held(self, node: ast.expr, does: ast.expr, args: list[ast.expr], named: list[ast.keyword]) -> ast.AST:
        call = ast.Call(ast.Name(self.name, ast.Load()), [does, *args], named)
        return ast.copy_location(call, node)


class _Judge:
    def __init__(self, tests: str, *, any_allowed: bool, mocks_allowed: bool) -> None:
        self.tests, self.any_allowed, self.mocks_allowed = tests, any_allowed, mocks_allowed

    def held(self, does: Callable[..., object], /, *args: Any, **named: Any) -> object:
        """What the comparison says, when neither side decides it alone."""
        sides = [*args, *named.values()]
        if is_a(does, types.MethodType) and does.__name__ == "equals":
            sides.insert(0, getattr(does, "__self__", None))
        own = [self._own_class(side) for side in sides]
        if any(own) and not all(own[:2]):
            name = next(filter(None, own))
            raise AssertionError(f"an object of the answer's own class {name} says itself what it is equal to")
        return does(*args, **named)

    def _own_class(self, value: Any) -> str:
        """The name of a class in it that is the answer's own and says how it compares."""
        for item in itertools.islice(_parts(value), MOST):
            kind = type_of(item)
            if kind not in PLAIN and self._decides(kind):
                return str(kind.__name__)
        return ""

    def _decides(self, kind: type) -> bool:
        if kind.__module__ == "unittest.mock":
            return not (self.any_allowed if kind.__name__ == "_ANY" else self.mocks_allowed)
        seen: set[str] = set()
        for base in members(kind):
            said = {name: base.__dict__[name] for name in DECIDING if name in base.__dict__ and name not in seen}
            if any(self._is_own(base, method) for method in said.values()):
                return True
            seen.update(said)
        return False

    def _is_own(self, base: type, method: Any) -> bool:
        if method is None or is_a(method, BUILT_IN):
            return False
        if type_of(method) is types.FunctionType:
            if method.__code__.co_filename == self.tests:
                return False
            if method.__globals__.get("__name__"):
                return not _of_a_library(method.__globals__)
        module = sys.modules.get(base.__module__)
        return module is None or not _of_a_library(module.__dict__)


def _of_a_library(names: dict[str, Any]) -> bool:
    """Whether these are the names of a module with a file that the answer cannot have written."""
    module = sys.modules.get(str(names.get("__name__")))
    file = str(names.get("__file__") or "")
    return module is not None and module.__dict__ is names and bool(file) and not file.startswith(WORKING_FOLDER)


def _parts(value: Any) -> Iterator[Any]:
    """The value, and what the containers in it hold."""
    waiting, seen = [value], set()
    while waiting:
        item = waiting.pop()
        yield item
        kind = type_of(item)
        if kind in PLAIN or id(item) in seen:
            continue
        seen.add(id(item))
        if kind in CONTAINERS:
            waiting.extend(item)
        elif kind is dict:
            waiting += [*item.keys(), *item.values()]
        elif kind.__module__.partition(".")[0] in ("numpy", "pandas"):
            columns = [item.iloc[:, at] for at in range(item.shape[1])] if kind.__name__ == "DataFrame" else [item]
            for column in columns:
                if kind.__name__ in ("ndarray", "Series", "Index", "DataFrame") and column.dtype == object:
                    waiting.extend(column.ravel().tolist() if kind.__name__ == "ndarray" else column.tolist())
