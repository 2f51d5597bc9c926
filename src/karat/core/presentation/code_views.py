"""Code as a case shows it: its lines with what is wrong in them; of long code, what does not matter is folded."""

from __future__ import annotations

from itertools import groupby
from typing import ClassVar, Literal

import msgspec


class Span(msgspec.Struct, frozen=True):
    """A piece of a line of code. ``wrong``: it should not be there or not be so; ``counterpart``: what is in its
    place on the other side; ``other``: written differently, the same in meaning."""

    text: str
    mark: Literal["", "wrong", "counterpart", "other"] = ""


LineMark = Literal["", "met", "lost", "dead"]
"""``met``: it does what was asked for; ``lost``: it costs points; ``dead``: it has no effect on the result."""


class CodeLine(msgspec.Struct, frozen=True):
    """A line of code; ``bad`` where it fails or is wrong, with the reason."""

    number: int
    spans: tuple[Span, ...]
    bad: bool = False
    why: str = ""
    mark: LineMark = ""


class CodeRun(msgspec.Struct, frozen=True):
    """Lines in a row; ``folded`` where nothing in them matters."""

    lines: tuple[CodeLine, ...]
    folded: bool = False


WHOLE_CODE = 40
"""Lines of code that are shown at once."""


_NEAR = 3


_ENDS = 10


class Code(msgspec.Struct, frozen=True):
    """A program or a query."""

    title: str
    lines: tuple[CodeLine, ...]
    note: str = ""
    folded: bool = False
    more: int = 0
    """Lines that are left out."""

    @property
    def runs(self) -> tuple[CodeRun, ...]:
        """All lines of short code; of long code those around a mark, or both ends, with the others folded."""
        if len(self.lines) <= WHOLE_CODE:
            return (CodeRun(self.lines),)
        last = len(self.lines) - 1
        marked = [place for place, line in enumerate(self.lines) if _matters(line)]
        near = {beside for place in marked for beside in range(max(0, place - _NEAR), min(last, place + _NEAR) + 1)}
        near = set(sorted(near)[:WHOLE_CODE]) or {*range(_ENDS), *range(last - _ENDS + 1, last + 1)}
        return tuple(
            CodeRun(tuple(line for _, line in group), folded)
            for folded, group in groupby(enumerate(self.lines), key=lambda numbered: numbered[0] not in near)
        )


def _matters(line: CodeLine) -> bool:
    return line.bad or bool(line.why) or any(span.mark in ("wrong", "counterpart") for span in line.spans)


class Codes(msgspec.Struct, frozen=True):
    """One piece of code, or two side by side; folded ones below."""

    kind: ClassVar[str] = "code"
    title: str
    codes: tuple[Code, ...]
    note: str = ""


def code_lines(
    text: str,
    bad: dict[int, str] | None = None,
    most: int = 400,
    marks: dict[int, tuple[LineMark, str]] | None = None,
) -> tuple[CodeLine, ...]:
    """The lines of a text with their numbers; ``bad``: line → why; ``marks``: line → what happened there, in words."""
    wrong, marked = bad or {}, marks or {}
    return tuple(
        CodeLine(
            number,
            (Span(line),),
            number in wrong,
            "\n".join(said for said in (wrong.get(number, ""), marked.get(number, ("", ""))[1]) if said),
            marked.get(number, ("", ""))[0],
        )
        for number, line in enumerate(text.splitlines()[:most], start=1)
    )


def more_lines(text: str, most: int = 400) -> int:
    """How many lines :func:`code_lines` leaves out."""
    return max(len(text.splitlines()) - most, 0)
