"""What a function is: its name, its arguments, what it does for single values, and an example that is run as a test.

A function says for each argument whether it wants a single value or an array. Given a column where it wants a single
value, it is done for each element; given a column of arrays where it wants an array, for each of the arrays (see
``compute.broadcast``). So a function's own code never meets more than it asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from karat.core.json_types import Json
from karat.sheet.values import Value

if TYPE_CHECKING:
    from karat.sheet.compute.resources import Resources

Takes = Literal["single", "array", "any", "condition", "key"]
"""``any``: as it is, never spread. ``condition`` and ``key`` are computed for each element of the first argument, which
is ``$`` there."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a function."""

    name: str
    what: str
    takes: Takes = "single"
    optional: bool = False
    repeated: bool = False
    """The last one: any number of times, at least once unless optional."""
    in_step: bool = False
    """A column of the same rows as another argument goes along row by row, even where it could be taken whole."""

    @property
    def depth(self) -> int:
        return 1 if self.takes == "array" else 0


@dataclass(frozen=True, slots=True)
class Example:
    """A formula and the value it gives (as JSON has it), beside the tables and files it needs."""

    formula: str
    value: Json
    sheet: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


Form = tuple[Parameter, ...]
Do = Callable[..., Value]
DoAll = Callable[[Sequence[tuple[Value, ...]], "Resources"], list[Value]]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language."""

    name: str
    group: str
    forms: tuple[Form, ...]
    """The ways to call it; the first that fits the number of arguments counts."""
    summary: str
    example: Example
    do: Do | None = None
    """For one set of single arguments."""
    do_all: DoAll | None = None
    """For all sets at once, where that is quicker."""
    sees_na: bool = False
    """It deals with NA itself; otherwise an NA among its arguments is its result."""
    sees_failures: bool = False
    """It may not need every argument, so it deals with failed ones itself."""
    gives: int = 0
    """The depth of its result: 1 for an array."""
    array_from: int = 0
    """With this many arguments or more it gives an array; 0: it never depends on that."""
    kind: str = "Function"
    """What its node is called in the plan."""

    @property
    def least(self) -> int:
        return min(_least(form) for form in self.forms)

    @property
    def most(self) -> int | None:
        ends = [_most(form) for form in self.forms]
        known = [end for end in ends if end is not None]
        return max(known) if len(known) == len(ends) else None

    @property
    def queries(self) -> bool:
        """Whether its later arguments are computed for each element of the first."""
        return any(parameter.takes in ("condition", "key") for form in self.forms for parameter in form)

    def form(self, count: int) -> Form | None:
        """The parameters for this number of arguments, one for each; None if no form takes that many."""
        for form in self.forms:
            end = _most(form)
            if _least(form) <= count and (end is None or count <= end):
                repeats = max(0, count - len(form))
                return (*form, *(form[-1:] * repeats))[:count]
        return None

    def signature(self) -> list[str]:
        """Each form as one writes it: ``RECALL(retrieved, truth)``."""
        return [f"{self.name}({', '.join(map(_written, form))})" for form in self.forms]


def _least(form: Form) -> int:
    return sum(not parameter.optional for parameter in form)


def _most(form: Form) -> int | None:
    return None if form and form[-1].repeated else len(form)


def _written(parameter: Parameter) -> str:
    name = f"{parameter.name}, …" if parameter.repeated else parameter.name
    return f"[{name}]" if parameter.optional else name
