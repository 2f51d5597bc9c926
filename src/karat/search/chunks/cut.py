"""Cut a text into chunks of tokens.

Chunk i is the tokens [i · (size - overlap), + size); the last one may be shorter, and one that would add nothing new is
not made. Where a token ends inside a character, the chunk has the whole character.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from karat.core.problems import UserError
from karat.search.models.rows import sendable
from karat.search.records import Integers
from karat.search.tokens import tokenizer

Span = tuple[int, int]
"""Characters [start, end)."""


def check_sizes(size: int, overlap: int) -> None:
    """Raises :class:`UserError` unless 0 ≤ overlap < size."""
    if size < 1:
        raise UserError(f"the size of a chunk is {size}, and must be 1 token or more")
    if not 0 <= overlap < size:
        raise UserError(
            f"the overlap of chunks is {overlap}, and must be 0 or more and below the size of {size}",
            hint="Each chunk begins size - overlap tokens after the one before.",
        )


def token_ranges(count: int, size: int, overlap: int) -> list[Span]:
    """The chunks of a text of this many tokens, as ranges of tokens."""
    check_sizes(size, overlap)
    found: list[Span] = []
    start = 0
    while not found or found[-1][1] < count:
        found.append((start, min(start + size, count)))
        start += size - overlap
    return found if count else []


def chunk_spans(text: str, size: int, overlap: int, encoding: str = "o200k_base") -> list[Span]:
    """The chunks of a text, as ranges of characters."""
    before, after = _token_ends(text, encoding)
    chunks = token_ranges(len(after), size, overlap)
    return [(int(before[low - 1]) if low else 0, int(after[high - 1])) for low, high in chunks]


@lru_cache(maxsize=4)
def _token_ends(text: str, encoding: str) -> tuple[Integers, Integers]:
    """How many characters end before or at the end of each token, and how many begin before it: more by one where the
    token ends inside a character."""
    if not text:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    own = tokenizer(encoding)
    sent = sendable(text)
    ends = np.cumsum([len(own.decode_bytes([token])) for token in own.encode_ordinary(sent)])
    encoded = np.frombuffer(sent.encode(), np.uint8)
    begins = np.flatnonzero((encoded & 0xC0) != 0x80)  # the first byte of each character
    if ends[-1] != len(encoded):
        raise ValueError("the tokens do not add up to the text")
    after = np.searchsorted(begins, ends, side="left")
    whole = np.append(begins, len(encoded))[after] == ends
    return after - ~whole, after
