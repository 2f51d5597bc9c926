"""Parameters of a metric as data: ``R@10`` is the metric ``R`` with ``cutoff: 10``.

A name with values has one of these forms, where ``@`` gives the first parameter and brackets give any of them by name:
``R@10``, ``R(cutoff=10)``, ``nDCG(gains=linear)@10``. Without values the defaults count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from karat.core.problems import UnknownName, UserError

Value = int | float | str

_NAME = re.compile(r"(?P<base>[^@()=<>]+)(?:\((?P<named>[^()]*)\))?(?:@(?P<first>[^@()]+))?")
_WORDS = {int: "a whole number", float: "a number", str: "a text"}


class Parameter(msgspec.Struct, frozen=True):
    """One thing that can be set: its name, its type, its value when nothing is said, and what it means in one
    sentence.

    >>> import karat
    >>> cutoff = karat.Parameter("cutoff", int, 10, "How many results count.", at_least=1)
    >>> cutoff.read("5", "R"), cutoff.expected
    (5, 'a whole number, at least 1')
    """

    name: str
    """The name of the parameter."""
    type: type[int] | type[float] | type[str]
    """The type of its values."""
    default: Value
    """The value if none is given."""
    summary: str
    """What it means, in one sentence."""
    at_least: float | None = None
    """The smallest value that makes sense."""
    at_most: float | None = None
    """The largest value that makes sense."""

    def read(self, given: Value, metric: str) -> Value:
        """A value, or the text of one, in the parameter's type. UserError where it does not fit."""
        try:
            value: Value = self.type(given.strip() if isinstance(given, str) else given)
            fits = not isinstance(given, bool) and (isinstance(given, str) or value == given)
            if isinstance(value, int | float):
                low, high = self.at_least, self.at_most
                fits &= math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high)
        except (ValueError, OverflowError):
            fits = False
        if not fits:
            message = f'"{given}" cannot be the {self.name} of the metric {metric}: it must be {self.expected}'
            raise UserError(message, hint=f"For example {metric}({self.name}={self.default}). {self.summary}".strip())
        return value

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        ends = (("at least", self.at_least), ("at most", self.at_most))
        limits = " and ".join(f"{words} {end:g}" for words, end in ends if end is not None)
        return f"{_WORDS[self.type]}{f', {limits}' if limits else ''}"


def parse_name(text: str) -> tuple[str, dict[str, str], str | None] | None:
    """(name without values, values by parameter, the value after ``@``); None when the text is no name of a metric."""
    found = _NAME.fullmatch("".join(text.split()))
    if found is None:
        return None
    named: dict[str, str] = {}
    for part in (found["named"] or "").split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not part.strip():
            continue
        if not (key and equals and value) or key in named:
            return None
        named[key] = value
    return found["base"], named, found["first"]


def read_values(parameters: Sequence[Parameter], given: Mapping[str, Value], metric: str) -> dict[str, Value]:
    """A value for every parameter, in their order: as given, else the default. UnknownName for a parameter that is not
    there."""
    known = [parameter.name for parameter in parameters]
    for name in given:
        if name not in known:
            raise UnknownName(f'the metric {metric} has no parameter "{name}"', name, known)
    return {one.name: one.read(given[one.name], metric) if one.name in given else one.default for one in parameters}


def suffix_of(parameters: Sequence[Parameter], values: Mapping[str, Value]) -> str:
    """What is after the name: the first value after ``@``, and those of the others that are not the default in
    brackets."""
    first, *others = parameters
    named = ", ".join(f"{one.name}={values[one.name]}" for one in others if values[one.name] != one.default)
    return f"{f'({named})' if named else ''}@{values[first.name]}"


def distance(left: Iterable[tuple[str, Value]], right: Mapping[str, Value]) -> float:
    """How far apart two sets of values are, to find the nearest: on a scale of ratios for numbers, 1 for each other
    text."""
    return sum(_apart(value, right[name]) for name, value in left)


def _apart(left: Value, right: Value) -> float:
    if isinstance(left, str) or isinstance(right, str):
        return float(left != right)
    return abs(left - right) / (abs(left) + abs(right) or 1.0)
