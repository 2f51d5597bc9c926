"""The lines of a file, plain or gzip, without holding all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from karat.core.files.kinds import LOOKED_AT
from karat.core.files.limits import MIB
from karat.core.files.reading import BOM, open_bytes, open_unpacked, refuse_foreign


def each_line(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line) for each line that is not blank, without its line break. What cannot be read is raised
    where reading comes to it: the lines before it have been given by then."""
    with open_unpacked(path) as file:
        yield from _lines(file.read)


def plain_lines(path: str | Path, *, utf_16: bool = False) -> Iterator[tuple[int, bytes]]:
    """The same for a file that must not be compressed; one that is plainly no text is refused. ``utf_16``: not one in
    that encoding, whose lines come as they are."""
    with open_bytes(path) as file:
        refuse_foreign(path, file.peek(LOOKED_AT)[:LOOKED_AT], utf_16=utf_16)
        yield from _lines(file.read)


def _lines(read: Callable[[int], bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    parts = [read(len(BOM)).removeprefix(BOM)]
    while block := read(MIB):
        if b"\n" not in block:
            parts.append(block)
            continue
        *lines, rest = b"".join((*parts, block)).split(b"\n")
        parts = [rest]
        for line in lines:
            number += 1
            if line and not line.isspace():
                yield number, line
    for line in b"".join(parts).split(b"\n"):  # a file may be shorter than a byte order mark
        number += 1
        if line and not line.isspace():
            yield number, line
