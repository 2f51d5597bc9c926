"""The answers of the run that was searched last, or their words, in memory as far as they fit. What does not fit is
read again for the next search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Lock
from typing import Protocol

ROOM = 256_000_000
"""Bytes that are kept."""

Positions = tuple[tuple[int, ...], ...]


class Searched(Protocol):
    """Some answers. ``size``: about how many bytes they take."""

    @property
    def size(self) -> int: ...

    def holding(self, word: bytes) -> Iterable[int]:
        """The positions of the cases whose answer has this word."""


class LastSearched:
    """The answers of one run."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._key: tuple[int, int] = (0, 0)
        self._blocks: list[Searched] = []
        self._lock = Lock()

    def find(self, key: tuple[int, int], words: list[str], read: Iterable[Searched]) -> Positions:
        """For each word the positions of the cases whose answers hold it. ``read`` is used when they are not in
        memory."""
        if not words:
            return ()
        with self._lock:  # one search at a time: two would read all answers twice
            if key == self._key:
                return _holding(self._blocks, words)
            self._key, self._blocks = (0, 0), []
            kept: list[Searched] = []
            found = _holding(self._keeping(read, kept), words)
            if kept:
                self._key, self._blocks = key, kept
            return found

    def _keeping(self, read: Iterable[Searched], kept: list[Searched]) -> Iterator[Searched]:
        """Everything that is read, put aside as long as all of it fits."""
        size = 0
        for block in read:
            size += block.size
            if size <= self._room:
                kept.append(block)
            else:
                kept.clear()
            yield block


def _holding(blocks: Iterable[Searched], words: list[str]) -> Positions:
    folded = [word.encode("utf-8", "surrogatepass") for word in words]
    found: list[set[int]] = [set() for _ in words]
    for block in blocks:
        for word, positions in zip(folded, found, strict=True):
            positions.update(block.holding(word))
    return tuple(tuple(sorted(positions)) for positions in found)
