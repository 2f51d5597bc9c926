"""The classes of a module as its source file has them."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache


@cache
def classes_of(module: str) -> dict[str, ast.ClassDef]:
    """The classes of an imported module by their qualified names. Its file is parsed once, where ``inspect.getsource``
    parses it again for each class. Empty without a source file."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, ast.ClassDef] = {}
    for name, defined in _definitions(tree):
        found.setdefault(name, defined)
    return found


def _definitions(node: ast.AST, within: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield within + child.name, child
            yield from _definitions(child, f"{within}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _definitions(child, f"{within}{child.name}.<locals>.")
        elif not isinstance(child, ast.expr):
            yield from _definitions(child, within)
