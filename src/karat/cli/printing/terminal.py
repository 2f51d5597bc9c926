"""The edge where text meets the terminal. Run names, case ids, questions, tags and error texts come from files and
systems, and may hold anything: escape sequences, markup, letters that turn the writing direction. Here, and only here,
they become plain signs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from karat.cli.options.standard_input import shown
from karat.reports.console.page import inert


class Terminal(Console):
    """A console on which no text can act: nothing is markup or emoji code, and control characters are shown, not
    obeyed."""

    def __init__(self, *, stderr: bool = False, file: IO[str] | None = None, silent: bool = False) -> None:
        super().__init__(
            stderr=stderr, file=file, quiet=silent, soft_wrap=False, highlight=False, markup=False, emoji=False
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of a renderable; what rich itself says to the terminal stays as it is."""
        for segment in super().render(renderable, options):
            if segment.control or (text := inert(shown(segment.text))) == segment.text:
                yield segment
            else:
                yield Segment(text, segment.style)


def write_out(data: bytes) -> None:
    """Data on standard output: as it is for a program that reads it, inert for a person at a terminal."""
    if sys.stdout.isatty():
        data = inert(data.decode("utf-8", "replace")).encode()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
