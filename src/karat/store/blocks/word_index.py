"""Which texts of a block have a word: a search reads this instead of the texts, a fraction of their size.

A token is a longest run of letters, digits and ``_`` in a case-folded text. A word of such characters alone is in a
text if, and only if, it is inside one of its tokens. For any other word the texts themselves have to be read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from karat.core.results.columns.packed_numbers import pack_whole, unpack_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]

_TOKEN = re.compile(r"\w+")
_BETWEEN = b"\n"
WORTH = 0.5
"""The largest share of the size of the texts that an index may have."""


def is_indexed(word: str) -> bool:
    """Whether an index can say where a case-folded word is."""
    return _TOKEN.fullmatch(word) is not None


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """Tokens, those of most texts first. For each, the texts that have it: the first by its place, each other one by
    its distance; all low bytes first, then all high bytes, which compresses better."""

    texts: int
    tokens: bytes
    counts: bytes
    distances: bytes


_decoder = msgspec.msgpack.Decoder(_Packed)


def pack_word_index(texts: Sequence[str]) -> bytes | None:
    """The index of at most 65,535 texts; None where it would not be much smaller than they are."""
    import numpy as np

    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        for token in set(_TOKEN.findall(text.casefold())):
            places.setdefault(token, []).append(place)
    tokens = sorted(places, key=lambda token: (-len(places[token]), token))
    named = _BETWEEN.join(token.encode() for token in tokens)
    counts = np.array([len(places[token]) for token in tokens], np.int64)
    if len(named) + 2 * int(counts.sum()) > WORTH * sum(map(len, texts)):
        return None
    every = np.array([place for token in tokens for place in places[token]], "<u2")
    distances = np.diff(every, prepend=every[:1])
    starts = np.cumsum(counts) - counts
    distances[starts] = every[starts]
    turned = distances.view(np.uint8).reshape(-1, 2).T.tobytes()
    return msgspec.msgpack.encode(_Packed(len(texts), named, pack_whole(counts), turned))


class WordIndex:
    """What :func:`pack_word_index` gave."""

    def __init__(self, data: bytes) -> None:
        import numpy as np

        found = _decoder.decode(data)
        self.texts, self.size = found.texts, len(data)
        self._tokens = found.tokens
        counts = unpack_whole(found.counts)
        self._ends = np.cumsum(counts, dtype=np.int64)
        self._distances = np.frombuffer(found.distances, np.uint8).reshape(2, -1)
        if self._distances.shape[1] != (self._ends[-1] if len(counts) else 0):
            raise ValueError("an index of words has not a place for each of its entries")

    def holding(self, word: bytes) -> Flags:
        """Which texts have this word, see :func:`is_indexed`."""
        import numpy as np

        found = np.zeros(self.texts, bool)
        tokens, ends = self._tokens, self._token_ends
        at = tokens.find(word)
        while at >= 0:
            token = bisect_left(ends, at)
            found[self._places(token)] = True
            if found.all():
                break
            at = tokens.find(word, ends[token])
        return found

    def _places(self, token: int) -> NDArray[np.int64]:
        import numpy as np

        own = slice(self._ends[token - 1] if token else 0, self._ends[token])
        low, high = self._distances[:, own]
        return np.cumsum(low + high.astype(np.int64) * 256)

    @cached_property
    def _token_ends(self) -> list[int]:
        """Where each token ends."""
        import numpy as np

        ends: list[int] = np.flatnonzero(np.frombuffer(self._tokens, np.uint8) == _BETWEEN[0]).tolist()
        return [*ends, len(self._tokens)]
