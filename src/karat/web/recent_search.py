"""The answers of the run that was searched last, in memory as far as they fit. What does not fit is read again for the
next search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Lock

ROOM = 150_000_000
"""Characters that are kept."""

Text = tuple[int, str]
"""A case's position, and its answer in lower case."""
Positions = tuple[tuple[int, ...], ...]


class LastSearched:
    """The answers of one run."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._key: tuple[int, int] = (0, 0)
        self._texts: list[Text] = []
        self._lock = Lock()

    def find(self, key: tuple[int, int], words: list[str], read: Iterable[Text]) -> Positions:
        """For each word the positions of the answers that hold it. ``read`` is used when they are not in memory."""
        with self._lock:  # one search at a time: two would read all answers twice
            if key == self._key:
                return _holding(self._texts, words)
            self._key, self._texts = (0, 0), []
            kept: list[Text] = []
            found = _holding(self._keeping(read, kept), words)
            if kept:
                self._key, self._texts = key, kept
            return found

    def _keeping(self, read: Iterable[Text], kept: list[Text]) -> Iterator[Text]:
        """Everything that is read, put aside as long as all of it fits."""
        size = 0
        for text in read:
            size += len(text[1])
            if size <= self._room:
                kept.append(text)
            else:
                kept.clear()
            yield text


def _holding(texts: Iterable[Text], words: list[str]) -> Positions:
    found: list[list[int]] = [[] for _ in words]
    for position, text in texts:
        for word, positions in zip(words, found, strict=True):
            if word in text:
                positions.append(position)
    return tuple(tuple(sorted(positions)) for positions in found)
