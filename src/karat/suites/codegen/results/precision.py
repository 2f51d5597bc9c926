"""Where the digits of numbers must agree exactly: the question asks for a precision, or the reference rounds.

Elsewhere a rounded number may stand for the exact one, and numbers may differ by the tolerance. Here that would pass
code that does nothing: rounding is the task.
"""

from __future__ import annotations

import ast
import re

from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import Task

_ROUNDING = frozenset({"round", "round_", "around", "rint", "fix", "trunc", "floor", "ceil", "quantize"})
_FORMATTING = frozenset({"format_float_positional", "format_float_scientific"})
_FORMAT = re.compile(r"%[-+ 0#]*[0-9]*\.[0-9]+[feEgG]|\{[^{}]*:[^{}]*\.[0-9]+[feEgG%]\}")
_SPEC = re.compile(r"\.(?:[0-9]+|\{[^{}]*\})[feEgG%]?$")
_WHOLE_TYPE = re.compile(r"u?int(?:8|16|32|64|p|c|_)?", re.IGNORECASE)
_SQL_ROUNDS = re.compile(
    r"\b(?:round|round_even|floor|ceil|ceiling|trunc)\s*\(|(?:\bas\s+|::\s*)(?:u?(?:tiny|small|big|huge)?int(?:eger)?|decimal)\b",
    re.IGNORECASE,
)
_MOMENTS = frozenset({"dt", "Timestamp", "Timedelta", "index"})


def with_asked_digits(options: Options, asked: Asked, task: Task) -> Options:
    """The options for this task."""
    in_sql = (task.reference_language or task.language) == "sql"
    if options.asked_digits and (asked.precision or (_SQL_ROUNDS.search if in_sql else rounds)(task.reference)):
        return options.with_exact_digits()
    return options


def rounds(code: str) -> bool:
    """Whether code rounds numbers: it calls a function that does, writes numbers in a format with a fixed number of
    decimals, or makes whole numbers of its result at the end. Rounding of dates does not count.
    """
    tree = syntax_tree(code)
    if tree is None:
        return False
    return any(_rounds(node) for node in ast.walk(tree)) or (bool(tree.body) and _cuts(tree.body[-1]))


def _rounds(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and _FORMAT.search(node.value) is not None
    if isinstance(node, ast.FormattedValue):
        return node.format_spec is not None and _SPEC.search(ast.unparse(node.format_spec).strip("f'\"")) is not None
    if isinstance(node, ast.Attribute):  # called, or handed on: ``.map(np.floor)``, ``.agg(round)``
        return node.attr in _ROUNDING | _FORMATTING and not _of_moments(node.value)
    if isinstance(node, ast.Name):
        return node.id in _ROUNDING | _FORMATTING and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        spec = node.args[1] if name == "format" and len(node.args) > 1 else None
        applied = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]  # ``.agg("round")``
        return (isinstance(spec, ast.Constant) and _SPEC.search(str(spec.value)) is not None) or any(
            isinstance(value, str) and value in _ROUNDING and _applies(node.func) for value in applied
        )
    return False


def _applies(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in ("agg", "aggregate", "apply", "transform", "map")


def _of_moments(value: ast.expr) -> bool:
    return isinstance(value, ast.Attribute) and value.attr in _MOMENTS


def _cuts(last: ast.stmt) -> bool:
    """Whether the last statement makes whole numbers of what it gives: ``int(…)``, ``….astype(int)``."""
    value = last.value if isinstance(last, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) else None
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name):
        return value.func.id == "int"
    given = value.args[0] if value.args else None
    if not isinstance(value.func, ast.Attribute) or value.func.attr != "astype" or given is None:
        return False
    name = given.attr if isinstance(given, ast.Attribute) else given.id if isinstance(given, ast.Name) else ""
    name = str(given.value) if isinstance(given, ast.Constant) else name
    return _WHOLE_TYPE.fullmatch(name) is not None
