"""``from __future__ import …`` must come first in a program. Where code is put after other code, such as a task's setup
or the steps before it, these imports move to the front."""

from __future__ import annotations

import ast

from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree


def without_future_imports(code: str) -> tuple[str, str]:
    """The imports in one line (empty: none), and the code without them, line for line."""
    tree = syntax_tree(code) if "__future__" in code else None
    found = [node for node in tree.body if _is_future(node)] if tree is not None else []
    lines = code.encode().split(b"\n")
    names: list[str] = []
    for node in reversed(found):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        rest = lines[last][node.end_col_offset :]
        lines[first : last + 1] = [lines[first][: node.col_offset] + b"pass" + rest, *[b""] * (last - first)]
        names[:0] = [ast.unparse(node)]
    return "; ".join(names), b"\n".join(lines).decode()


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"
