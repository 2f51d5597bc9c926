"""What is wrong, where it is, what was expected, and the nearest valid thing.

A :class:`Problem` is a finding in somebody's file. A :class:`UserError` is the one exception for a user's mistake: the
command line prints it without a traceback and exits with 2. Anything else that is raised is a bug, and shows as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

Severity = Literal["error", "warning"]
MOST_SHOWN = 16 * 1024 * 1024
"""Bytes of a file in which the line of a problem is looked for, to show it."""

REMOTE = "/cache/remote/"
"""In the path of every copy of a remote file, see ``core.remote``. Messages about such a copy name its URL instead."""

NO_SETTINGS = (".sheet", ".py", ".sql", ".csv", ".tsv")
"""Files in which no setting of a system is found: what looks like a secret is hidden in their lines too, but no name
tells of one."""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding in one place of one file. Lines and columns count from 1; 0 means the file as a whole.

    >>> import karat
    >>> problem = karat.Problem('unknown key "relevent"', file="cases.yaml", line=3, hint='Did you mean "relevant"?')
    >>> problem.place
    'cases.yaml:3'
    """

    message: str
    """What is wrong."""
    file: str = ""
    """The file; empty if there is none."""
    line: int = 0
    """The line, from 1; 0 for the file as a whole."""
    column: int = 0
    """The column, from 1; 0 for the line as a whole."""
    width: int = 1
    """How many characters to underline."""
    hint: str = ""
    """What to do about it."""
    severity: Severity = "error"
    """``error`` or ``warning``."""
    shown: bool = True
    """Whether the line itself may be shown; false if it contains a secret."""
    missing_extra: str = ""
    """The extra that is not installed and without which this could not be checked: nothing is known to be wrong."""

    def __post_init__(self) -> None:
        if REMOTE in self.file or REMOTE in self.message or REMOTE in self.hint:
            from karat.core.remote.display_names import shown

            for name in ("message", "file", "hint"):
                msgspec.structs.force_setattr(self, name, shown(getattr(self, name)))

    @property
    def place(self) -> str:
        """``file:line:column``, as far as it is known."""
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


class UserError(Exception):
    """A mistake that the person at the keyboard can fix. Carries what to print, and where the mistake is.

    >>> import karat
    >>> try:
    ...     karat.score("retrieval", [], [])
    ... except karat.UserError as error:
    ...     print(error.message)
    no cases were given
    """

    def __init__(self, message: str, *, hint: str = "", problems: Sequence[Problem] = ()) -> None:
        if REMOTE in message or REMOTE in hint:
            from karat.core.remote.display_names import shown

            message, hint = shown(message), shown(hint)
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.problems = tuple(problems)

    def __str__(self) -> str:
        lines = [problem_text(p) for p in self.problems]
        lines.append(self.message)
        if self.hint:
            lines.append(self.hint)
        return "\n".join(lines)


class UnknownName(UserError, KeyError):
    """A name that nothing has: a metric, a suite, a system. ``nearest`` is the known name most like it; empty when none
    is close.

    >>> import karat
    >>> try:
    ...     karat.check("retreival", [])
    ... except karat.UnknownName as error:
    ...     print(error.nearest)
    retrieval
    """

    def __init__(self, message: str, name: str, known: Iterable[str]) -> None:
        words = list(known)
        super().__init__(message, hint=did_you_mean(name, words))
        self.name = name
        self.nearest = next(iter(nearest(name, words)), "")


def problem_text(problem: Problem, *, source: str | None = None) -> str:
    """The problem as a person reads it: place and message, the line with a caret under the spot, the hint."""
    head = f"{problem.place}: {problem.message}" if problem.place else problem.message
    warning = problem.severity == "warning" and not problem.missing_extra
    lines = [f"warning: {head}" if warning else head]
    lines_of_file = _source_lines(problem, source)
    if lines_of_file is not None:
        from karat.core.secrets.quoting import hidden_line

        number = str(problem.line)
        # Secrets first: a part of one that is left by the cut would not look like it any more.
        names = not problem.file.lower().endswith(NO_SETTINGS)
        column, width = max(problem.column - 1, 0), max(problem.width, 1)
        text, start, wide = hidden_line(lines_of_file, problem.line - 1, column, width, names=names)
        shown, offset = _window(text, start)
        width = max(1, min(wide, len(shown) - (start - offset)))
        lines.append(f"    {number} | {shown}")
        lines.append(f"    {' ' * len(number)} | {' ' * (start - offset)}{'^' * width}")
    if problem.hint:
        lines.append(problem.hint)
    return "\n".join(lines)


def _source_lines(problem: Problem, source: str | None) -> list[str] | None:
    """The lines of the file up to that of the problem; None when it has none to show."""
    if not problem.line or not problem.shown:
        return None
    if source is None:
        from karat.core.remote.display_names import copy_of

        try:
            file = copy_of(problem.file)
            about = Path(file).stat()
            lines = _lines_of_file(str(file), about.st_mtime_ns, about.st_size)
        except (OSError, ValueError):
            return None
    else:
        lines = _lines(source)
    return lines[: problem.line] if problem.line <= len(lines) else None


@lru_cache(maxsize=1)
def _lines_of_file(file: str, _changed: int, _size: int) -> list[str]:
    """Kept for the next problem, which is most often in the same file: reading it again for each of many takes time in
    the square."""
    from karat.core.files.reading import text_to_show

    return _lines(text_to_show(file, MOST_SHOWN))


def _lines(source: str) -> list[str]:
    # YAML and JSON lines end at \n or \r\n only; str.splitlines would also break at \x0b, \u2028 and others.
    return re.split("\r\n|\n|\r", source.replace("\t", " "))


def _window(text: str, start: int, width: int = 110) -> tuple[str, int]:
    """A long line cut to what is around the spot: (shown text, how many characters were left out before it)."""
    if len(text) <= width:
        return text, 0
    offset = max(0, min(start - width // 3, len(text) - width))
    return text[offset : offset + width], offset


_A_SLIP = 85.5
"""How alike, of 100, a word and the one it was meant to be are: one letter of a word of four may be missing."""


def nearest(word: str, known: Iterable[str], *, count: int = 1, cutoff: float = 60.0) -> list[str]:
    """The known words most like this one, best first; none when nothing is close."""
    from rapidfuzz import fuzz, process, utils

    found = process.extract(
        word, list(known), scorer=fuzz.ratio, processor=utils.default_process, limit=count, score_cutoff=cutoff
    )
    return [match for match, _, _ in found]


def slip_of(word: str, known: Iterable[str]) -> str:
    """The known word that another is a slip of: nearly the same, or with letters exchanged. Empty when it is known
    itself, when none is that near, and for a word of its own that begins with the known one (``expected``, ``expect``).
    """
    words = list(known)
    if word in words:
        return ""
    near = nearest(word, words, cutoff=_A_SLIP)
    close = (one for one in near if not word.startswith(one) or len(word) < len(one) + 2)
    exchanged = (one for one in words if len(one) > 3 and sorted(one) == sorted(word.lower()))
    return next(close, next(exchanged, ""))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``Did you mean "name"?``, or the list of what is known when it is short, or nothing."""
    words = sorted(known)
    close = nearest(word, words)
    if close:
        return f'Did you mean "{close[0]}"?'
    return f"Available: {', '.join(words)}." if 0 < len(words) <= 24 else ""


def percent(share: float) -> str:
    """A share for people. What is not all never reads 100%: close to it, hundredths are shown, rounded down."""
    return f"{share:.0%}" if share < 0.995 or share >= 1 else f"{int(share * 10_000) / 100:.2f}%"


def count_of(number: int, noun: str, plural: str = "") -> str:
    """``1 case``, ``3 cases``: a count with its noun in the right number."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def p_words(p: float | None) -> str:
    """``p = 0.022``, ``p < 0.001``; empty where no claim is made."""
    return "" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
