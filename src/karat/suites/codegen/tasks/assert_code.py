"""Code in a task's ``tests``, looked over before anything runs: an assert, and the filter that added rows miss."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence

import msgspec

from karat.core.problems import did_you_mean
from karat.suites.codegen.records import Cell

SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
}


class Condition(msgspec.Struct, frozen=True):
    """One comparison of a column with a constant."""

    column: str
    sign: str
    value: Cell


def assert_problem(code: str, tables: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """What is wrong with an assert, and the hint; empty when nothing is."""
    tree, problem = _parsed(code)
    if tree is None:
        return f"the assert is not Python: {problem}", ""
    alone = len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
    if not alone and not any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        return "the test has statements and no assert: it cannot fail", "Write an expression, or use assert."
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if "result" not in names:
        return 'the assert does not use "result": it says the same of every answer', ""
    named = dict(tables) | ({"df": next(iter(tables.values()))} if len(tables) == 1 and "df" not in tables else {})
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            continue
        columns, key = named.get(node.value.id), node.slice
        if columns and isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value not in columns:
            return f'the table "{node.value.id}" has no column "{key.value}"', did_you_mean(key.value, columns)
    return "", ""


def where_problem(text: str, tables: Sequence[Sequence[str]]) -> tuple[str, str]:
    """What is wrong with a filter, and the hint; empty when nothing is."""
    conditions = conditions_in(text)
    if isinstance(conditions, str):
        return conditions, "Write column == value, also with <, <=, >, >=, in [...], joined by and."
    wanted = {condition.column for condition in conditions}
    if any(wanted <= set(columns) for columns in tables):
        return "", ""
    known = [column for columns in tables for column in columns]
    for name in sorted(wanted):
        if name not in known:
            return f'there is no column "{name}" in the tables', did_you_mean(name, known)
    return f"no table has all of the columns {', '.join(sorted(wanted))}", ""


def conditions_in(text: str) -> list[Condition] | str:
    """The comparisons that a filter is made of; a text says why it cannot be used."""
    tree, problem = _parsed(text)
    if tree is None:
        return f"the filter is not Python: {problem}"
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return "the filter is not a comparison"
    top = tree.body[0].value
    parts = top.values if isinstance(top, ast.BoolOp) and isinstance(top.op, ast.And) else [top]
    found = [_condition(part) for part in parts]
    usable = [condition for condition in found if condition is not None]
    return usable if len(usable) == len(found) else "the filter is not a comparison of columns with constants"


def _condition(node: ast.expr) -> Condition | None:
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.left, ast.Name):
        return None
    sign = SIGNS.get(type(node.ops[0]))
    try:
        value = ast.literal_eval(node.comparators[0])
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    if sign is None or sign == "!=" or (sign == "in") != isinstance(value, list | tuple):
        return None
    if sign == "in" and not value:
        return None
    if sign in ("<", "<=", ">", ">=") and not (isinstance(value, int | float) and not isinstance(value, bool)):
        return None
    return Condition(node.left.id, sign, value)


def _parsed(code: str) -> tuple[ast.Module | None, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code.strip())
            compile(tree, "<test>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return None, error.msg if isinstance(error, SyntaxError) else str(error)
    return (tree, "") if tree.body else (None, "there is no code")
