"""A filter inside a loop over keys: the whole table is looked through once for each key, where one ``groupby`` does.

Up to some ten thousand rows a clock does not see it, so the code is read for it: a loop or comprehension over the
different values of something (``unique()``, ``set(…)``, ``drop_duplicates()``, the index of ``value_counts()``, in any
wrapping such as ``sorted``, also by a name that holds them), and in it a choice of rows that compares with the value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from karat.suites.codegen.analysis.quality_rules import Loss

KEY_FILTER = 0.15
REASON = "a filter inside a loop over keys looks through the whole table for each; use groupby"

_MAKES_KEYS = frozenset({"unique", "drop_duplicates"})
_WRAPS = frozenset({"sorted", "list", "tuple", "enumerate", "reversed", "tqdm"})
_KEEPS = frozenset({"tolist", "to_list", "dropna", "sort_values", "astype", "to_numpy", "keys"})


def key_loop_filters(tree: ast.Module) -> list[Loss]:
    """One loss for each such loop, at the line of the filter."""
    known = _named(tree)
    found: dict[int, Loss] = {}
    for target, keys, body in _loops(tree):
        names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
        if not _are_keys(keys, known):
            continue
        chosen = [node for part in body for node in ast.walk(part) if isinstance(node, ast.Subscript)]
        lines = [node.lineno for node in chosen if _filters_by(node, names)]
        if lines:
            found[min(lines)] = Loss(min(lines), REASON, KEY_FILTER, "key_filter")
    return [found[line] for line in sorted(found)]


def _loops(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, Sequence[ast.AST]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.AsyncFor):
            yield node.target, node.iter, node.body
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            made = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            for part in node.generators:
                yield part.target, part.iter, made


def _named(tree: ast.Module) -> Mapping[str, ast.expr]:
    """What names were last given."""
    return {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _are_keys(node: ast.expr, known: Mapping[str, ast.expr], depth: int = 0) -> bool:
    if depth > 10:
        return False
    if isinstance(node, ast.Name):
        return node.id in known and _are_keys(known[node.id], known, depth + 1)
    if isinstance(node, ast.Attribute) and node.attr in ("index", "values"):
        return _counts(node.value) or (node.attr == "values" and _are_keys(node.value, known, depth + 1))
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name) and node.args:
        if node.func.id == "set":
            return isinstance(node.args[0], ast.Subscript | ast.Attribute)
        return node.func.id in _WRAPS and _are_keys(node.args[0], known, depth + 1)
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in _MAKES_KEYS:
        return True
    return node.func.attr in _KEEPS and _are_keys(node.func.value, known, depth + 1)


def _counts(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "value_counts"


def _filters_by(node: ast.Subscript, names: set[str]) -> bool:
    """Whether this chooses rows by a column that equals one of these names: ``df[df.a == key]``, ``df.loc[…]``."""
    for part in ast.walk(node.slice):
        if isinstance(part, ast.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], ast.Eq):
            sides = (part.left, part.comparators[0])
            key = [side for side in sides if isinstance(side, ast.Name) and side.id in names]
            column = [side for side in sides if isinstance(side, ast.Subscript | ast.Attribute)]
            if key and column:
                return True
    return False
