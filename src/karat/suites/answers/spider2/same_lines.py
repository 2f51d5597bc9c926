"""Two large CSV files with the same lines, in any order: settled from their bytes, many times quicker than by reading
tables.

Where no field is quoted, pandas makes a row of each line whatever the lines around it. The same lines then give the
same columns of texts, and those the same values (see :mod:`.texts`), as long as types do not depend on the order of
rows. Whatever is not sure goes to pandas, as does every file that differs:

- quotes, zero bytes, a byte order mark, lone carriage returns, text that is not UTF-8;
- lines with more or fewer fields than the header: the first of them may change what the others mean;
- files read in pieces, when their lines are in another order;
- fields that begin with 16 digits or more, when lines are in another order (:data:`.texts.LONG_INTEGER`).

Lines are compared as multisets by the sums of their 64-bit hashes. The hashes have another secret seed in each process,
so that nobody can write a file for a wanted sum.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO  # Any: bytes of a file as an array of numpy

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 2**21
"""Bytes looked at together: they stay in the processor's cache. A line may be longer than that."""

LONGEST_HEADER = 2**20

_SEED = secrets.randbits(63)
_COMMA, _LINE_FEED, _RETURN = b",\n\r"

_IN_INTEGERS = np.zeros(256, dtype=bool)
_IN_INTEGERS[list(b"0123456789+- \t\n\v\f\r")] = True
_PLACES = (1, 13, 10, 4, 7, *(place for place in range(16) if place not in (1, 13, 10, 4, 7)))
"""The first 16 places of a field, those first where texts and moments have something that integers have not."""


def width_of_same(gold: str, found: str, *, in_order: bool) -> int | None:
    """How many columns both files have, if they are known to give pandas the same columns; None: not known.

    ``in_order``: the lines must come in the same order too.
    """
    try:
        with Path(gold).open("rb") as one, Path(found).open("rb") as other:
            return _Pair(one, other).width_of_same(in_order=in_order)
    except Exception:
        return None  # Every library has its own errors here; pandas finds out what is wrong, and says it.


class _Pair:
    def __init__(self, gold: BinaryIO, found: BinaryIO) -> None:
        self.gold, self.found = _File(gold), _File(found)

    def width_of_same(self, *, in_order: bool) -> int | None:
        width = self.gold.width
        if not width or self.found.width != width or self.gold.size != self.found.size:
            return None
        if self._same_bytes():
            return width if self.gold.is_plain(shuffled=False) else None
        same = not in_order and self._same_lines() and self.gold.is_plain(shuffled=True)
        return width if same else None

    def _same_bytes(self) -> bool:
        return all(one == other for one, other in zip(self.gold.blocks(), self.found.blocks(), strict=False))

    def _same_lines(self) -> bool:
        first = next(self.found.blocks()).partition(b"\n")[0].removesuffix(b"\r")
        # Most files that differ do so in their first line: looking for it costs a tenth of the sums.
        return any(first in block for block in self.gold.blocks()) and self.gold.sums() == self.found.sums()


class _File:
    """A header, and the lines after it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        start = file.read(LONGEST_HEADER)
        end = start.find(b"\n")
        self._body = end + 1
        self.width = _width(start[:end].removesuffix(b"\r")) if end > 0 else 0
        self.size = file.seek(0, 2) - self._body
        """Bytes after the header, without the last line feed."""
        if self.size:
            file.seek(-1, 2)
            self.size -= file.read(1) == b"\n"

    def blocks(self) -> Iterator[bytes]:
        """The lines after the header, several together, each with its line feed."""
        self._file.seek(self._body)
        left = self.size
        while left > 0:
            block = self._file.read(min(BLOCK, left)) + self._file.readline()
            if not block:
                raise EOFError("the file has become shorter")
            left -= len(block)
            yield block if block.endswith(b"\n") else block + b"\n"

    def sums(self) -> tuple[int, int, int]:
        """How many lines, and two sums that files with the same lines share. Raises for quotes and for what is not
        UTF-8."""
        import polars

        count = total = squares = 0
        for block in self.blocks():
            if b'"' in block:
                raise ValueError("a quote")
            lines = polars.read_csv(
                block, schema={"line": polars.String}, has_header=False, separator='"', quote_char=None
            )
            hashes = lines["line"].hash(_SEED).to_numpy()
            count += len(hashes)
            total += int(hashes.sum(dtype=np.uint64))
            squares += int((hashes * hashes).sum(dtype=np.uint64))
        return count, total % 2**64, squares % 2**64

    def is_plain(self, *, shuffled: bool) -> bool:
        """Whether pandas makes one row of the width of the header from each line; if ``shuffled``, of the same types in
        any order."""
        return all(_is_plain(block, self.width, shuffled=shuffled) for block in self.blocks())


def _width(header: bytes) -> int:
    """How many columns a header has that nothing is unusual about, else 0."""
    text = header.decode()
    plain = text and not text[0].isspace() and text[0] != "\ufeff" and not any(odd in text for odd in '"\r\0')
    return text.count(",") + 1 if plain else 0


def _is_plain(block: bytes, width: int, *, shuffled: bool) -> bool:
    if b'"' in block or b"\0" in block or not _is_utf_8(block):
        return False
    letters = np.frombuffer(block, dtype=np.uint8)
    feeds = letters == _LINE_FEED
    ends = np.flatnonzero(feeds | (letters == _COMMA))
    lines = ends[width - 1 :: width]
    if len(ends) != width * np.count_nonzero(feeds) or not feeds[lines].all():
        return False
    if b"\r" in block and block.count(b"\r") != np.count_nonzero(letters[lines - 1] == _RETURN):
        return False
    return not (shuffled and _may_be_long_integers(letters, ends))


def _is_utf_8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def _may_be_long_integers(letters: NDArray[Any], ends: NDArray[np.intp]) -> bool:
    """Whether a field may begin with an integer of 16 digits or more, blanks and a sign before it or not."""
    digits = len(_PLACES)
    left = ends[:-1][np.diff(ends) > digits] + 1
    if ends[0] >= digits:
        left = np.append(left, 0)
    for place in _PLACES:
        left = left[_IN_INTEGERS[letters[left + place]]]
    return bool(len(left))
