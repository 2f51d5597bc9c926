"""The syntax tree of code that a model wrote: whatever the text, nothing is raised and no warning is printed."""

from __future__ import annotations

import ast
import warnings


def syntax_tree(code: str) -> ast.Module | None:
    """The tree; None when the text is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
