"""Ways of writing pandas code that cost time or trouble, found in its syntax tree: each with its line, a reason and its
points."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import msgspec

ROW_LOOP = 0.2
GROWING = 0.2
ROW_APPLY = 0.15
CHAINED = 0.15
REPEATED = 0.1
INPLACE = 0.05
COMPLEXITY_LIMIT = 10
COMPLEXITY_STEP = 0.02

_ROW_METHODS = frozenset({"iterrows", "itertuples"})
_READERS = frozenset({"read_csv", "read_parquet", "read_excel", "read_json", "read_table", "read_sql"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.comprehension)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Loss(msgspec.Struct, frozen=True):
    """Points lost: where, why, how many, and by which rule."""

    line: int
    """The line of the code."""
    reason: str
    """What is wrong there."""
    points: float
    """How many points it cost."""
    rule: str
    """The rule."""


def anti_patterns(tree: ast.Module) -> list[Loss]:
    """Every one that is in the code, in the order of its lines."""
    loops = {
        id(node) for loop in ast.walk(tree) if isinstance(loop, _LOOPS) for node in ast.walk(loop) if node is not loop
    }
    found = [loss for node in ast.walk(tree) for loss in _of(node, id(node) in loops)]
    found += _repeated_scans(tree)
    return sorted(dict.fromkeys(found), key=lambda loss: (loss.line, loss.rule))


def _of(node: ast.AST, in_loop: bool) -> Iterator[Loss]:
    if isinstance(node, ast.Call):
        yield from _call(node, in_loop)
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if _is_chained(target):
                yield Loss(
                    node.lineno, "chained assignment: it may change a copy; use .loc[rows, column]", CHAINED, "chained"
                )
    if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension) and _over_rows(node.iter):
        line = getattr(node, "lineno", node.iter.lineno)
        yield Loss(line, "a loop over rows by their number; work on whole columns", ROW_LOOP, "row_loop")


def _call(node: ast.Call, in_loop: bool) -> Iterator[Loss]:
    name = _name(node.func)
    named = {word.arg: word.value for word in node.keywords if word.arg}
    if name in _ROW_METHODS and isinstance(node.func, ast.Attribute):
        yield Loss(node.lineno, f"{name}: a loop over rows; work on whole columns", ROW_LOOP, "row_loop")
    if name == "apply" and _value(named.get("axis")) in (1, "columns"):
        yield Loss(node.lineno, "apply(axis=1): a call for each row; work on whole columns", ROW_APPLY, "row_apply")
    if _value(named.get("inplace")) is True:
        yield Loss(node.lineno, "inplace=True: it saves nothing; assign the result", INPLACE, "inplace")
    frame_grows = name == "concat" or (name in ("append", "_append") and "ignore_index" in named)
    if in_loop and frame_grows:
        yield Loss(
            node.lineno,
            "growing a frame in a loop copies it each time; collect the parts, then concat once",
            GROWING,
            "growing",
        )


def _value(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_chained(target: ast.expr) -> bool:
    """``df[rows][column] = …`` and ``df.loc[rows][column] = …``: something is set in what a choice of rows gave."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Subscript):
        return False
    inner = target.value
    if isinstance(inner.value, ast.Attribute) and inner.value.attr in ("loc", "iloc"):
        return True
    return isinstance(inner.slice, ast.Compare | ast.BoolOp | ast.BinOp | ast.UnaryOp) or (
        isinstance(inner.slice, ast.Constant) and isinstance(inner.slice.value, str) and _is_rows(target.slice)
    )


def _is_rows(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare | ast.BoolOp | ast.BinOp | ast.UnaryOp)


def _over_rows(node: ast.expr) -> bool:
    """``range(len(df))``, ``range(df.shape[0])``, ``df.index``."""
    if isinstance(node, ast.Attribute) and node.attr == "index":
        return True
    if not (isinstance(node, ast.Call) and _name(node.func) == "range" and len(node.args) == 1):
        return False
    size = node.args[0]
    counted = isinstance(size, ast.Call) and _name(size.func) == "len"
    shaped = isinstance(size, ast.Subscript) and isinstance(size.value, ast.Attribute) and size.value.attr == "shape"
    return counted or shaped


def _repeated_scans(tree: ast.Module) -> list[Loss]:
    """The same choice of rows, grouping or reading of a file, written out more than once."""
    seen: Counter[str] = Counter()
    found = []
    for node in sorted(
        (node for node in ast.walk(tree) if isinstance(node, ast.Subscript | ast.Call)),
        key=lambda n: (n.lineno, n.col_offset),
    ):
        if _scans(node):
            text = ast.dump(node)
            seen[text] += 1
            if seen[text] == 2:
                found.append(Loss(node.lineno, f"computed twice: {ast.unparse(node)[:80]}", REPEATED, "repeated"))
    return found


def _scans(node: ast.Subscript | ast.Call) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Compare | ast.BoolOp | ast.BinOp)
    return _name(node.func) in _READERS | {"groupby", "query", "merge", "sort_values"} and isinstance(
        node.func, ast.Attribute
    )


def complexity(tree: ast.Module) -> list[Loss]:
    """McCabe's number of each function, and of the lines outside of functions; what is over the limit costs."""
    found = []
    for part in [tree, *(node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))]:
        number = 1 + sum(_paths(node) for node in _own(part))
        if number > COMPLEXITY_LIMIT:
            over = number - COMPLEXITY_LIMIT
            reason = f"{number} paths through this code; at most {COMPLEXITY_LIMIT} are recommended"
            found.append(Loss(getattr(part, "lineno", 1), reason, COMPLEXITY_STEP * over, "complexity"))
    return found


def _own(part: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    for child in ast.iter_child_nodes(part):
        if not isinstance(child, _FUNCTIONS):
            yield child
            yield from _own(child)


def _paths(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.Match):
        return len(node.cases)
    return 1 if isinstance(node, _BRANCHES) else 0
