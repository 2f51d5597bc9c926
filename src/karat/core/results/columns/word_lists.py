"""A few words for each case, as arrays: its tags, the groups it belongs to, its figures in those groups.

A word is a tuple of texts and is kept once. ``starts[i]:starts[i + 1]`` are the entries of case i.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from karat.core.files.json import without_surrogates
from karat.core.results.columns.figures import FigureBuilder, plain, taken
from karat.core.results.columns.packed_numbers import (
    FOUR_BYTES,
    RAW,
    Coded,
    float_values,
    pack_floats,
    pack_whole,
    unpack_whole,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Word = tuple[str, ...]


class Entries(NamedTuple):
    """The entries of some cases, case by case: how many each case has; of each entry its word and its number."""

    counts: Integers
    codes: NDArray[np.int32]
    numbers: Floats | Coded

    @property
    def rows(self) -> Integers:
        """The place of each entry's case among these."""
        import numpy as np

        return np.repeat(np.arange(len(self.counts)), self.counts)


class WordLists(msgspec.Struct, frozen=True):
    """The words of all cases. ``numbers``: one for each entry; all 0 where words come without one."""

    words: list[Word]
    starts: Integers
    codes: NDArray[np.int32]
    numbers: Floats | Coded

    @property
    def values(self) -> Floats:
        """The numbers themselves."""
        return plain(self.numbers)

    def entries(self, places: Integers) -> Entries:
        """Those of these cases."""
        import numpy as np

        if len(places) == len(self.starts) - 1 and bool((places == np.arange(len(places))).all()):
            return Entries(np.diff(self.starts), self.codes, self.numbers)
        counts = self.starts[places + 1] - self.starts[places]
        before = np.cumsum(counts) - counts
        entry = np.arange(int(counts.sum())) - np.repeat(before, counts) + np.repeat(self.starts[places], counts)
        return Entries(counts, self.codes[entry], taken(self.numbers, entry))

    def take(self, places: Integers) -> WordLists:
        """The same for these cases only."""
        import numpy as np

        counts, codes, numbers = self.entries(places)
        starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return WordLists(self.words, starts, codes, numbers)


class WordListsBuilder:
    """Takes the words of one case after the other."""

    def __init__(self) -> None:
        from array import array

        self._words: dict[Word, int] = {}
        self._codes, self._values, self._starts = array("i"), array("d"), array("q", [0])

    def add(self, words: Iterable[Word], values: Iterable[float] | None = None) -> None:
        """The words of the next case, with their numbers where they have some."""
        known = self._words
        codes = [known.setdefault(word, len(known)) for word in words]
        self._codes.extend(codes)
        self._values.extend([0.0] * len(codes) if values is None else values)
        self._starts.append(len(self._codes))

    def built(self) -> WordLists:
        """All of them."""
        import numpy as np

        return WordLists(
            list(self._words),
            np.array(self._starts, dtype=np.int64),
            np.array(self._codes, dtype=np.int32),
            np.array(self._values, dtype=np.float64),
        )


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """Lists as bytes: words in UTF-8, half characters as visible escapes, as results in JSON have them; small whole
    numbers."""

    words: list[list[bytes]]
    counts: bytes
    codes: bytes
    values: bytes
    form: int


PLAIN, PACKED = 0, 1
"""How numbers are kept: four bytes for a count or a code and eight for a value, as stores before version 0009 do, or as
``packed_numbers`` does."""


def pack(lists: WordLists) -> bytes:
    """The lists of a block as bytes, for a store to keep."""
    import numpy as np

    return msgspec.msgpack.encode(
        _Packed(
            [[without_surrogates(part).encode() for part in word] for word in lists.words],
            pack_whole(np.diff(lists.starts)),
            pack_whole(lists.codes),
            pack_floats(lists.values) if lists.values.any() else b"",
            PACKED,
        )
    )


class _Read(msgspec.Struct, frozen=True, array_like=True):
    """The same with the words as they are stored: most blocks have the words of the one before."""

    words: msgspec.Raw
    counts: bytes
    codes: bytes
    values: bytes
    form: int = PLAIN

    def whole(self, data: bytes) -> NDArray[np.unsignedinteger]:
        """The counts or the codes."""
        return unpack_whole(data if self.form == PACKED else data + FOUR_BYTES)

    def fill(self, column: FigureBuilder, begin: int, end: int) -> None:
        """The values of the entries from ``begin`` to ``end`` into their column."""
        if begin == end:
            return
        if self.form == PACKED or not self.values:
            column.fill(begin, end, self.values or _ZERO + bytes(end - begin) + b"\1")
        else:
            column.fill_plain(begin, end, float_values(self.values + RAW))


_decoder = msgspec.msgpack.Decoder(_Read)
_words_decoder = msgspec.msgpack.Decoder(list[tuple[bytes, ...]])
_ZERO = bytes(8)


def unpack(blocks: Iterable[bytes]) -> WordLists:
    """The lists of one block of cases after the other, each as :func:`pack` gave it."""
    import numpy as np

    read = [(found, found.whole(found.codes)) for found in map(_decoder.decode, blocks)]
    total = sum(len(own) for _, own in read)
    words: dict[tuple[bytes, ...], int] = {}
    stored, renamed = b"", np.zeros(0, np.int32)
    codes, numbers = np.empty(total, np.int32), FigureBuilder(total)
    counts: list[NDArray[np.integer]] = [np.zeros(1, np.int64)]
    begin = 0
    for found, own in read:
        if bytes(found.words) != stored:
            stored = bytes(found.words)
            named = _words_decoder.decode(stored)
            renamed = np.array([words.setdefault(word, len(words)) for word in named], dtype=np.int32)
        end = begin + len(own)
        codes[begin:end] = renamed[own]
        found.fill(numbers, begin, end)
        counts.append(found.whole(found.counts))
        begin = end
    starts = np.cumsum(np.concatenate(counts), dtype=np.int64)
    return WordLists([tuple(part.decode() for part in word) for word in words], starts, codes, numbers.built())


class PackedBlock(msgspec.Struct, frozen=True):
    """The lists of one block with its words still as bytes, for a reader who needs few of them, or only numbers for
    them."""

    words: list[tuple[bytes, ...]]
    starts: NDArray[np.int64]
    codes: NDArray[np.unsignedinteger]

    def word_of(self, entry: int) -> Word:
        """The word of an entry."""
        return tuple(part.decode() for part in self.words[int(self.codes[entry])])


def unpack_block(block: bytes) -> PackedBlock:
    """One block, as :func:`pack` gave it."""
    import numpy as np

    found = _decoder.decode(block)
    starts = np.concatenate(([0], np.cumsum(found.whole(found.counts), dtype=np.int64)))
    return PackedBlock(_words_decoder.decode(found.words), starts, found.whole(found.codes))
