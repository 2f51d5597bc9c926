"""Answers in the form that is searched: case-folded UTF-8, many in one piece.

Case folding a text of millions of characters takes seconds. Most of it is ASCII, which ``bytes.lower`` folds at once;
the few other characters that change are replaced one kind after the other. The result is what ``str.casefold`` gives.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate


class CasePlaces(Sequence[int]):
    """The position of each of these cases, looked up when it is asked for: few texts have the word that is searched
    for. -1: the case does not count."""

    def __init__(self, cases: Sequence[str], places: Mapping[str, int]) -> None:
        self._cases, self._places = cases, places

    def __len__(self) -> int:
        return len(self._cases)

    def __getitem__(self, row: int) -> int:  # type: ignore[override]  # no slices are asked for
        return self._places.get(self._cases[row], -1)


class FoldedBlock:
    """Folded texts one after the other, the place where each ends, and the position of its case; -1: it does not
    count."""

    def __init__(self, data: bytes, ends: Sequence[int], positions: Sequence[int]) -> None:
        self.data = data
        self._ends = ends
        self._positions = positions

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return len(self.data)

    def holding(self, word: bytes) -> Iterator[int]:
        """The positions of the cases whose text has this word, folded as the texts are."""
        data, ends = self.data, self._ends
        at = data.find(word)
        while at >= 0:
            row = bisect_right(ends, at)
            if at + len(word) > ends[row]:  # it goes on in the next text
                at = data.find(word, at + 1)
                continue
            if self._positions[row] >= 0:
                yield self._positions[row]
            at = data.find(word, ends[row])


def folded_texts(texts: Iterable[tuple[int, str]]) -> FoldedBlock:
    """(position, text) of some cases as a block."""
    found = [(position, text.casefold().encode("utf-8", "surrogatepass")) for position, text in texts]
    ends = list(accumulate(len(data) for _, data in found))
    return FoldedBlock(b"".join(data for _, data in found), ends, [position for position, _ in found])


def folded_in_place(data: bytes, unfolded: str) -> bytes:
    """Joined texts folded, each where it was. ``unfolded``: the characters beyond ASCII that folding changes, none of
    which changes its length."""
    data = data.lower()
    for char in unfolded:
        data = data.replace(char.encode(), char.casefold().encode())
    return data
