"""Steps as one program, for what has to run again on other tables: changed copies, tests.

Each step keeps its lines. The last one must leave its answer in ``result`` even where it only names it in its last
line, since an earlier step may have set that name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.running.future_imports import without_future_imports

NO_ANSWER = 'globals().pop("result", None) and None'


def flat_program(before: Sequence[str], code: str) -> str:
    """The code of the steps before, and of one after them, as one program with that one's answer."""
    if not before:
        return code
    parts = [without_future_imports(text) for text in (*map(_until_exit, before), answering(code))]
    future = dict.fromkeys(imports for imports, _ in parts if imports)
    return "\n".join((*future, *(text.rstrip() for _, text in parts[:-1]), parts[-1][1]))


def _until_exit(code: str) -> str:
    """The code before a statement of its own that ends the step, such as ``sys.exit()``: the next step runs all the
    same. Where it may end inside of another statement, its end is caught."""
    tree = syntax_tree(code)
    if tree is None:
        return code
    last = next((node for node in tree.body if _exits(node)), None)
    if last is None:
        inside = any(_exits(node) for node in ast.walk(tree) if isinstance(node, ast.stmt))
        return f"try: exec({code!r})\nexcept SystemExit: pass" if inside else code
    lines = code.encode().splitlines(keepends=True)
    kept = [*lines[: last.lineno - 1], lines[last.lineno - 1][: last.col_offset]]
    return b"".join(kept).decode().rstrip().rstrip(";")


def _exits(node: ast.stmt) -> bool:
    found = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Expr) else None
    name = found.func if isinstance(found, ast.Call) else found if isinstance(node, ast.Raise) else None
    if isinstance(name, ast.Attribute):
        return isinstance(name.value, ast.Name) and (name.value.id, name.attr) == ("sys", "exit")
    return isinstance(name, ast.Name) and name.id in ("exit", "quit", "SystemExit")


def answering(code: str) -> str:
    """The code, with a last line that is an expression made into ``result = (…)``, unless it writes to ``result``."""
    tree = syntax_tree(code)
    if tree is None or _writes_result(tree):
        return code
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or last.end_lineno is None or last.end_col_offset is None:
        return f"{code.rstrip()}\n{NO_ANSWER}"
    lines = code.encode().splitlines(keepends=True)
    end = lines[last.end_lineno - 1]
    lines[last.end_lineno - 1] = end[: last.end_col_offset] + b")" + end[last.end_col_offset :]
    begin = lines[last.lineno - 1]
    lines[last.lineno - 1] = begin[: last.col_offset] + b"result = (" + begin[last.col_offset :]
    return b"".join(lines).decode()


def _writes_result(tree: ast.Module) -> bool:
    return any(_root(node) == "result" for node in ast.walk(tree))


def _root(node: ast.AST) -> str:
    """The name that is written to or into; empty when nothing is."""
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or not isinstance(node.ctx, ast.Store):
        return ""
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) else ""


def names_set(code: str) -> frozenset[str]:
    """The names that code sets: variables, functions, classes, imports."""
    tree = syntax_tree(code)
    return frozenset(_names(tree)) if tree is not None else frozenset()


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
