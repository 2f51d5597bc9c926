"""A block of answers of which only the words are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.store.blocks.word_index import WordIndex


class IndexedBlock:
    """The words of some answers, and the position of the case of each; -1: it does not count."""

    def __init__(self, words: WordIndex, positions: Sequence[int]) -> None:
        self._words, self._positions = words, positions

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._words.size

    def holding(self, word: bytes) -> Iterator[int]:
        """The positions of the cases whose answer has this word."""
        for row in self._words.holding(word).nonzero()[0].tolist():
            position = self._positions[row]
            if position >= 0:
                yield position
