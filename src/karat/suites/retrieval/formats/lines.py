"""Text files a block of lines at a time, plain or gzip, and problems that name a line and a column.

Lines stay bytes: a run has ten million of them, and only keys and scores are ever needed as more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from karat.core.files.limits import LINE_MB, MIB
from karat.core.files.reading import BOM, FileRefused, is_gzip, open_unpacked, read_unpacked
from karat.core.problems import Problem, Severity, UserError

BLOCK = 4 * 1024 * 1024
_WORD = re.compile(rb"\S+")


def shown_name(path: Path) -> str:
    """The name for problems. Lines of a compressed file are those of what is in it, and no one can show them from the
    file itself."""
    try:
        return f"{path} (unpacked)" if is_gzip(path) else str(path)
    except OSError:
        return str(path)


def read_bytes(path: Path) -> bytes:
    """The whole file, without a byte order mark."""
    try:
        return read_unpacked(path).removeprefix(BOM)
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read {path}: {_why(error)}") from error


def beginning(path: Path, length: int = 64 * 1024) -> bytes:
    """The first bytes, for telling what a file is; empty when it cannot be read."""
    try:
        with open_unpacked(path) as file:
            return file.read(length).removeprefix(BOM)
    except OSError:
        return b""


def first_line(path: Path) -> bytes:
    """The first line that is neither blank nor a comment; empty when there is none near the beginning."""
    for line in beginning(path).split(b"\n"):
        if line.strip() and not line.lstrip().startswith(b"#"):
            return line.rstrip(b"\r")
    return b""


def blocks(path: Path, problems: list[Problem]) -> Iterator[tuple[int, list[bytes]]]:
    """(number of the first line, lines) for block after block. Every line is valid UTF-8: another is a problem, and
    blank here."""
    number = 1
    for chunk in _chunks(path, problems):
        lines = chunk.split(b"\n")
        if chunk.endswith(b"\n"):
            lines.pop()
        try:
            chunk.decode()
        except UnicodeDecodeError:
            _blank_undecodable(lines, number, shown_name(path), problems)
        yield number, lines
        number += len(lines)


def _chunks(path: Path, problems: list[Problem]) -> Iterator[bytes]:
    """Pieces that end where a line ends. What comes before damage in a compressed file still counts."""
    try:
        with open_unpacked(path) as file:
            rest = file.read(len(BOM)).removeprefix(BOM)
            while block := file.read1(BLOCK):  # as much as there is: what comes before damaged data is not lost
                whole, end, tail = block.rpartition(b"\n")
                if not end:
                    rest += block
                    if len(rest) > LINE_MB.value * MIB:
                        raise FileRefused(path, f"a line is longer than {LINE_MB.value:,} MiB", hint=LINE_MB.hint)
                    continue
                yield rest + whole + end
                rest = tail
            if rest:
                yield rest
    except OSError as error:
        hint = error.hint if isinstance(error, FileRefused) else ""
        problems.append(Problem(f"cannot be read to its end: {_why(error)}", file=str(path), hint=hint))


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")


def _blank_undecodable(lines: list[bytes], number: int, file: str, problems: list[Problem]) -> None:
    for index, line in enumerate(lines):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode()) + 1
            hint = "The file must be UTF-8; the line is skipped."
            problems.append(
                Problem("bytes that are not UTF-8", file=file, line=number + index, column=column, hint=hint)
            )
            lines[index] = b""


def word_problem(
    line: bytes, number: int, word: int, message: str, *, file: str, hint: str = "", severity: Severity = "error"
) -> Problem:
    """A problem with a word of a line, counted from 0; past the last word it is the end of the line."""
    words = [(found.start(), found.end()) for found in _WORD.finditer(line)]
    start, end = words[word] if word < len(words) else (len(line.rstrip()), len(line.rstrip()) + 1)
    column, width = len(line[:start].decode()) + 1, max(1, len(line[start:end].decode()))
    return Problem(message, file, number, column, width, hint, severity)


_AT_BYTE = re.compile(r" ?\(byte (\d+)\)$")


def json_problem(
    line: bytes, number: int, error: Exception, what: str, *, file: str, hint: str = "", at: int = 0
) -> Problem:
    """What msgspec says about a JSON text, at its line and column. ``at``: where the text begins in its line."""
    found = _AT_BYTE.search(str(error))
    offset = int(found[1]) if found else 0
    before = line[:offset].decode(errors="replace")
    rows = before.count("\n")
    column = len(before) - before.rfind("\n") if rows else len(before) + 1 + at
    return Problem(f"{what}: {_AT_BYTE.sub('', str(error))}", file, number + rows, column, hint=hint)
