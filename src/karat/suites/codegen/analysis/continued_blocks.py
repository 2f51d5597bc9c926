"""Code that an answer shows in several blocks: the last one, with the earlier ones that it goes on from.

An earlier block is put before it only where it binds a name that would be missing otherwise: ``x = sales.price``, then
``result = x.sum()``. Another draft binds none, and stays out. So does a block that loads or makes data, as examples do:
the tables of a task are there already, and would be replaced.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from textwrap import dedent

from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree

_MAKES_DATA = ("read_", "DataFrame", "Series", "from_dict", "from_records", "connect")
_KNOWN = frozenset((*dir(builtins), "pd", "np", "pl", "plt", "px", "alt", "sns"))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def whole_code(blocks: Sequence[str]) -> str:
    """The code of an answer in blocks, in their order; empty where there is none. Blocks of nothing but comments, such
    as the output of the one before, do not count."""
    texts = [dedent(block).strip("\n") for block in blocks]
    trees = [syntax_tree(text) for text in texts]
    while len(texts) > 1 and (last := trees[-1]) is not None and not last.body:
        texts.pop()
        trees.pop()
    last = trees[-1]
    if last is None:
        return texts[-1]
    missing, chosen = _missing(last), [texts[-1]]
    for text, tree in zip(texts[-2::-1], trees[-2::-1], strict=True):
        if tree is None or _makes_data(tree):
            continue
        bound = set(_bound(tree.body))
        if bound & missing:
            chosen.insert(0, text)
            missing = (missing - bound) | _missing(tree)
    return "\n".join(chosen)


def _missing(tree: ast.Module) -> set[str]:
    """The names that a block reads before it binds them."""
    bound, missing = set(_KNOWN), set()
    for statement in tree.body:
        missing |= {name for name in _read(statement) if name not in bound}
        bound |= set(_bound([statement]))
    return missing


def _read(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement reads, without those of functions and comprehensions in it."""
    inner = {name for node in ast.walk(statement) if isinstance(node, _SCOPES) for name in _names_of(node)}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in inner:
            yield node.id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _names_of(scope: ast.AST) -> Iterator[str]:
    for node in ast.walk(scope):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _bound(statements: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.alias):
                yield (node.asname or node.name).partition(".")[0]


def _makes_data(tree: ast.Module) -> bool:
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    names = (
        one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else "" for one in called
    )
    return any(name.startswith(_MAKES_DATA) for name in names)
