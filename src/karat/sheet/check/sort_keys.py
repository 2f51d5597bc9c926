"""The keys of ``SORTBY(x, key1, order1, key2, …)`` and of ``sort key1, order1, key2, …``: what each sorts by, and which
way.

A key falls with a minus before it, or with -1 as the argument after it. A number there is an order and never a key:
as a key it would sort nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from karat.sheet.text.tree import At, Boolean, Expr, Missing, Number, Omitted, Text, Unary

ORDER_HINT = "After a key, 1 is for the smallest first and -1 for the largest."


class Misplaced(NamedTuple):
    """What is in the place of an order or a key and is neither."""

    at: At
    message: str


class SortKeys(NamedTuple):
    """The keys without their orders, and whether each falls."""

    keys: tuple[Expr, ...]
    down: tuple[bool, ...]
    wrong: Misplaced | None = None


def sort_keys(arguments: Sequence[Expr], whose: str, at: At) -> SortKeys:
    """The keys among these arguments, of which an empty one takes the usual order."""
    keys: list[Expr] = []
    down: list[bool] = []
    order_allowed = False
    wrong: Misplaced | None = None
    for argument in arguments:
        falls = isinstance(argument, Unary) and argument.operator == "-"
        inner = argument.operand if isinstance(argument, Unary) and falls else argument
        literal = isinstance(inner, Number | Text | Boolean | Missing)
        if isinstance(argument, Omitted) or (literal and keys):
            if not order_allowed:
                wrong = wrong or Misplaced(_place(inner, at), f'the argument "key" of {whose} is missing here')
            elif isinstance(inner, Number) and inner.value == 1:
                down[-1] = down[-1] != falls
            elif literal:
                wrong = wrong or Misplaced(_place(inner, at), f"the order of {whose} must be 1 or -1")
            order_allowed = False
            continue
        keys.append(inner)
        down.append(falls)
        order_allowed = True
    return SortKeys(tuple(keys), tuple(down), wrong)


def _place(node: Expr, at: At) -> At:
    return node.at if node.at.line else at
