"""What reports on the terminal are written with: lines of styled text that fit its width, in which nothing can act on
it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from karat.core.report import visible

if TYPE_CHECKING:
    from rich.console import Console

LABEL = 15
"""Width of the labels on the left, below the table."""
_TURNS = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
Span = tuple[str, str]
"""A text and its style."""


def plain(text: str) -> str:
    """A text on one line, in which nothing can act on the terminal."""
    return inert(text).replace("\n", " ").replace("\t", " ")


def inert(text: str) -> str:
    """A text in which nothing can act on the terminal: no escape sequence, no turn of the writing direction."""
    return text if text.isprintable() else _TURNS.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))


class Page:
    """Lines of styled text, as wide as the screen. Where nobody's screen is meant (a pipe, a file, a log), nothing is
    cut."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(40, console.width)
        self.cuts = is_screen(console)

    def line(self, spans: Iterable[Span], *, whole: bool = False) -> None:
        from rich.text import Text

        text = Text(no_wrap=True, overflow="ellipsis", end="\n")
        for words, style in spans:
            text.append(self._writable(words), style or None)
        text.rstrip()
        if self.cuts and not whole:
            text.truncate(self.width, overflow="ellipsis" if self._writable("…") == "…" else "crop")
        self.console.print(text, soft_wrap=True, highlight=False)

    def labelled(self, label: str, spans: Sequence[Span]) -> None:
        self.line([(label.ljust(LABEL), "dim"), *spans])

    def wrapped(self, label: str, spans: Sequence[Span], *, indent: int = LABEL, most: int | None = None) -> None:
        """A text that is read to its end: on a screen it goes on below, elsewhere it is one line. ``most``: lines on a
        screen."""
        from rich.text import Text

        if not self.cuts:
            self.labelled(label, spans)
            return
        text = Text(end="")
        for words, style in spans:
            text.append(self._writable(words), style or None)
        lines = text.wrap(self.console, self.width - indent, justify="left", overflow="fold", no_wrap=False)
        kept = list(lines)[:most]
        if len(kept) < len(lines):
            kept[-1].truncate(self.width - indent - 4)
            kept[-1].append(self._writable(" …"))
        for number, line in enumerate(kept or [text]):
            line.rstrip()
            head = Text(end="\n").append(label.ljust(LABEL) if not number else " " * indent, "dim")
            self.console.print(head.append_text(line), soft_wrap=True, highlight=False)

    def fitted(self, text: str, room: int) -> str:
        """A text cut to the room that a screen has for it; elsewhere as it is."""
        return fit(text, room).rstrip() if self.cuts else text

    def parts(self, label: str, parts: Sequence[str]) -> None:
        """Parts of one statement, parted by dots; those that do not fit go on below."""
        text = ""
        for part in map(plain, parts):
            if text and LABEL + len(f"{text} · {part}") > self.width:
                self.labelled(label, [(text, "")])
                label, text = "", part
            else:
                text = f"{text} · {part}" if text else part
        self.labelled(label, [(text, "")])

    def _writable(self, text: str) -> str:
        encoding = self.console.encoding or "utf-8"
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            for sign, stand_in in (("–", "-"), ("·", "|"), ("×", "x"), ("…", "..."), ("→", "->")):
                text = text.replace(sign, stand_in)
            text = text.encode(encoding, "backslashreplace").decode(encoding)
        return text


def is_screen(console: Console) -> bool:
    """Whether a person reads this on a screen of that width. Colour that was forced onto a log does not make it one."""
    if not console.is_terminal or "FORCE_COLOR" not in os.environ:
        return console.is_terminal
    return bool(getattr(console.file, "isatty", bool)())


def fit(text: str, width: int) -> str:
    """A text cut or padded to exactly this width in terminal cells; a cut shows."""
    from rich.cells import cell_len, set_cell_size

    return set_cell_size(text, width) if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
