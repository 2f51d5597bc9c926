"""Which lines of code draw: they leave no value behind, and are not dead where a picture is asked for."""

from __future__ import annotations

import ast

LIBRARIES = frozenset({"plt", "sns", "px", "go", "alt", "matplotlib", "seaborn", "plotly", "altair", "bokeh", "pyplot"})
METHODS = frozenset({"plot", "hist", "boxplot", "bar", "barh", "scatter", "pie", "hexbin", "savefig", "subplots"})


def drawing_lines(tree: ast.Module) -> frozenset[int]:
    """The first lines of statements that draw: they call a library that does, a method that does, or one of what such a
    call gave."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign | ast.With)]
    pens = set(LIBRARIES)
    found: set[int] = set()
    before = -1
    while len(found) != before:
        before = len(found)
        for statement in statements:
            if _draws(statement, pens):
                found.add(statement.lineno)
                pens |= _set_by(statement)
    return frozenset(found)


def _draws(statement: ast.stmt, pens: set[str]) -> bool:
    values = [item.context_expr for item in statement.items] if isinstance(statement, ast.With) else [statement]
    for value in values:
        for node in ast.walk(value):
            if isinstance(node, ast.Attribute) and (node.attr in METHODS or _root(node) in pens):
                return True
    return False


def _root(node: ast.AST) -> str:
    """The name that a chain of attributes, calls and subscripts begins with."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _set_by(statement: ast.stmt) -> set[str]:
    """Names that hold what was drawn: ``ax = …``, ``fig, axes = …``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    return names - {"result"}
