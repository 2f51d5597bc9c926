"""Copies with values that code easily takes for others: a similar name, another case, an equal number, a shorter one.

Each is made only where it says something about the task, so that two right solutions agree on it:

- ``similar``: more rows whose category is like one that the reference names, but for its last letter
- ``letter_case``: texts in upper or lower case, where the reference compares without regard to case
- ``ties``: numbers that repeat in a column where none does, but for the three largest and smallest; not where the
  question asks for an order or a top, or the reference counts different values and the question does not
- ``digits``: some whole numbers a tenth as large, where all have as many digits; not for years, nor where the reference
  takes numbers apart or makes texts of them
"""

from __future__ import annotations

import ast
import string

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.records import Asked, Columns

ENDS = 3
"""The largest and smallest numbers, this many of each, that get no tie."""
FEWEST = 4
"""Numbers between them that must be there."""
YEARS = range(1900, 2101)
_FOLDING = frozenset({"lower", "upper", "casefold", "title", "capitalize", "swapcase"})


def similar(change: Change) -> Columns:
    if change.profile.grid is not None or change.profile.is_parent:
        return dict(change.columns)
    twins = {}
    for block in change.categories():
        known = {value for value in change.columns[block[0]] if isinstance(value, str)}
        named = sorted(known & {value for value in change.hints.named if isinstance(value, str)})
        like = [twin for value in named if (twin := _twin(value, known, change))]
        if len(block) == 1 and like:
            twins[block[0]] = like
    if not twins:
        return dict(change.columns)
    added = [change.pick.choice(change.rows) for _ in range(max(3, change.height // 4))]
    made = change.anew(change.take([*change.rows, *added]), range(change.height, change.height + len(added)))
    for name, like in twins.items():
        made[name] = [*made[name][: change.height], *(change.pick.choice(like) for _ in added)]
    return made


def _twin(text: str, known: set[str], change: Change) -> str:
    """The same but for its last letter; empty when it is too short or ends otherwise."""
    if len(text) < 3 or text[-1] not in string.ascii_letters:
        return ""
    letters = string.ascii_lowercase if text[-1].islower() else string.ascii_uppercase
    free = [letter for letter in letters if text[:-1] + letter not in known | change.hints.named]
    return text[:-1] + change.pick.choice(free) if free else ""


def letter_case(change: Change) -> Columns:
    made = dict(change.columns)
    if not change.hints.folds_case:
        return made
    for name, about in change.profile.columns.items():
        if about.kind == "text" and change.profile.free(name):
            made[name] = [
                change.pick.choice((value, value.upper(), value.lower())) if isinstance(value, str) else value
                for value in change.columns[name]
            ]
    return made


def ties(change: Change) -> Columns:
    made = dict(change.columns)
    if not change.hints.ties_free:
        return made
    for name, about in change.profile.columns.items():
        values = change.columns[name]
        middle = sorted({value for value in values if value is not None})[ENDS:-ENDS] if about.different else []
        if about.kind not in ("whole", "number") or not change.profile.free(name) or len(middle) < FEWEST:
            continue
        again = middle[: len(middle) // 2]
        made[name] = [change.pick.choice(again) if value in middle else value for value in values]
    return made


def digits(change: Change) -> Columns:
    made = dict(change.columns)
    if not change.hints.whole_values:
        return made
    for name, about in change.profile.columns.items():
        known = [value for value in change.columns[name] if value is not None]
        lengths = {len(str(abs(int(value)))) for value in known} if about.kind == "whole" else set()
        if len(lengths) != 1 or min(lengths) < 2 or not change.profile.free(name):
            continue
        if all(value in YEARS for value in known) or len(set(known)) < len(known) // 2:
            continue
        made[name] = [
            type(value)(value // 10) if value is not None and change.pick.random() < 1 / 3 else value
            for value in change.columns[name]
        ]
    return made


# -- what the reference says about them --------------------------------------------------------------------------------


def folds_case(tree: ast.AST) -> bool:
    """Whether texts are compared or grouped without regard to case."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and _folded(node):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("groupby", "isin") and _folded(node):
                return True
            if any(word.arg == "case" and _is_false(word.value) for word in node.keywords):
                return True
    return False


def _is_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _folded(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _FOLDING for part in ast.walk(node))


def ties_free(asked: Asked, *, counts_different: bool) -> bool:
    """Whether a tie makes no difference to what is asked."""
    ranked = asked.ordered or bool(asked.top or asked.bottom) or asked.by_position
    return not ranked and (asked.distinct or not counts_different)


def whole_values(tree: ast.AST) -> bool:
    """Whether numbers are used as they are: none is taken apart or made a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Mod):
            return False
        if (isinstance(node, ast.Name) and node.id == "str") or (
            isinstance(node, ast.Attribute) and node.attr == "str"
        ):
            return False
        if isinstance(node, ast.Constant) and node.value in ("str", "string", "object"):
            return False
    return True
