"""What an operator of a filter means, under each of the names that assistants give it.

On codes a filter lists them (``in``), leaves them out (``not_in``), takes every code (``all``), or is switched off
(``excluded``). Only a period can be compared: ``gt``, ``ge``, ``lt``, ``le``, ``between``. Case, spaces, hyphens and
underscores do not matter.
"""

from __future__ import annotations

from karat.core.problems import did_you_mean
from karat.core.suite import Unreadable

_NAMES = {
    "in": ("in", "equals", "equal", "eq", "=", "=="),
    "not_in": ("not_in", "not_equals", "not_equal", "nin", "ne", "neq", "!=", "<>"),
    "all": ("all", "*"),
    "excluded": ("excluded",),
    "gt": ("gt", "greater_than", ">"),
    "ge": ("ge", "gte", "greater_than_or_equals", "greater_than_or_equal", ">="),
    "lt": ("lt", "less_than", "<"),
    "le": ("le", "lte", "less_than_or_equals", "less_than_or_equal", "<="),
    "between": ("between",),
}
_FOLD = str.maketrans("", "", "_- ")
_MEANING = {name.translate(_FOLD): meaning for meaning, names in _NAMES.items() for name in names}
ON_CODES = frozenset(("in", "not_in", "all", "excluded"))


def meaning(operator: str) -> str | None:
    """``in``, ``not_in``, ``all``, ``excluded``, or a comparison of periods; None when the operator is not known."""
    return _MEANING.get(operator.lower().translate(_FOLD))


def on_codes(operator: str, dimension: str) -> str:
    """The meaning of an operator on a dimension of codes. Raises Unreadable for one that has none there."""
    found = known(operator, dimension)
    if found not in ON_CODES:
        raise Unreadable(f'the operator "{operator}" compares periods and cannot be used on the codes of {dimension}')
    return found


def known(operator: str, dimension: str) -> str:
    """The meaning of an operator. Raises Unreadable, with the nearest known one, when there is none."""
    found = meaning(operator)
    if found is None:
        names = [name for names in _NAMES.values() for name in names if name.isascii() and name[0].isalpha()]
        raise Unreadable(f'unknown operator "{operator}" on {dimension}. {did_you_mean(operator, names)}'.rstrip())
    return found
