"""Text that may be broken over lines, and how it is set.

A document is a nest of strings, groups, and places where a line may be broken. A group is set on one line if it fits;
if not, every break of its own becomes a newline, and the groups inside it are tried again. Both functions work with a
list of what is still to be set instead of calling themselves, so that no document is too deep.
"""

from __future__ import annotations

from typing import NamedTuple


class Break(NamedTuple):
    """A newline where the group is broken, else this text."""

    flat: str = ""


class Only(NamedTuple):
    """A text that is there only where the group is broken."""

    broken: str


class Indented(NamedTuple):
    """Lines that begin inside are indented by four more spaces."""

    parts: tuple[Document, ...]


class Group(NamedTuple):
    """All on one line, or broken at each of its own breaks."""

    parts: tuple[Document, ...]


class Joined(NamedTuple):
    """One after the other; breaks belong to the group around."""

    parts: tuple[Document, ...]


Document = str | Break | Only | Indented | Group | Joined

INDENT = 4

_Waiting = tuple[int, bool, Document]
"""How far it is indented, whether the group around it is broken, and what is to be set."""


def set_text(document: Document, *, width: int, indent: int = 0, column: int = 0) -> str:
    """The document as text. ``column`` is where it begins; its further lines are indented by ``indent`` at least."""
    written: list[str] = []
    waiting: list[_Waiting] = [(indent, True, document)]
    while waiting:
        depth, broken, part = waiting.pop()
        match part:
            case str():
                written.append(part)
                column += len(part)
            case Break():
                written.append("\n" + " " * depth if broken else part.flat)
                column = depth if broken else column + len(part.flat)
            case Only():
                written.append(part.broken if broken else "")
                column += len(part.broken) if broken else 0
            case Indented():
                waiting.extend((depth + INDENT, broken, inner) for inner in reversed(part.parts))
            case Joined():
                waiting.extend((depth, broken, inner) for inner in reversed(part.parts))
            case Group():
                fits = not broken or _fits(part, waiting, width - column)
                waiting.extend((depth, not fits, inner) for inner in reversed(part.parts))
    return "".join(written)


def _fits(group: Group, after: list[_Waiting], room: int) -> bool:
    """Whether the group fits on the line, with what follows it up to the next place where the line can end."""
    waiting: list[tuple[bool, Document]] = [(False, part) for part in reversed(group.parts)]
    rest = len(after)
    while room >= 0:
        if not waiting:
            if not rest:
                return True
            rest -= 1
            waiting.append((after[rest][1], after[rest][2]))
        broken, part = waiting.pop()
        match part:
            case str():
                room -= len(part)
            case Break():
                if broken:
                    return True
                room -= len(part.flat)
            case Only():
                room -= len(part.broken) if broken else 0
            case _:
                waiting.extend((broken and not isinstance(part, Group), inner) for inner in reversed(part.parts))
    return False
