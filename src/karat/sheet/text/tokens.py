"""What the scanner hands to the parser: tokens, one logical line at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

from karat.sheet.text.tree import At, Missing

Cell = str | int | float | Missing | None
"""A cell as it was read. ``Missing`` is a typed NA, None an empty cell."""


class Unquoted(str):
    """A cell that is neither in quotes nor a number: a formula, or a text as it is written."""

    __slots__ = ()


END = "$END"
"""The type lark gives to the end of what it reads."""


class Token:
    """A word, sign or value. ``value`` is what it means: the text without its quotes, the number, the rows of an
    override."""

    __slots__ = ("column", "comments", "line", "marked", "text", "type", "value")

    def __init__(self, type: str, text: str, line: int, column: int, value: object = None) -> None:
        self.type = type
        self.text = text
        self.line = line
        self.column = column
        self.value = value
        self.comments: tuple[str, ...] = ()
        self.marked = False
        """A column of an override with ``key`` before it."""

    @property
    def at(self) -> At:
        return At(self.line, self.column, max(1, len(self.text)))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of an override as they were read."""

    cells: tuple[tuple[Cell, ...], ...]
    lines: tuple[int, ...]
    comments: tuple[str, ...] = ()


@dataclass(slots=True)
class Line:
    """A logical line: several lines of the file where a bracket is open. ``broken``: the scanner has complained
    already."""

    tokens: list[Token] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    broken: bool = False

    @property
    def first(self) -> str:
        """The type of its first token."""
        return self.tokens[0].type if self.tokens else ""
