"""Cut a text into chunks of tokens.

Chunk i is the tokens [i · (size - overlap), + size); the last one may be shorter, and one that would add nothing new is
not made. Where a token ends inside a character, the chunk has the whole character.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from karat.core.problems import UserError
from karat.search.models.rows import sendable
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
    ends = _token_ends(text, encoding)
    starts = [0, *ends]
    chunks = token_ranges(len(ends), size, overlap)
    return [(_floor(starts[low]), _ceiling(ends[high - 1])) for low, high in chunks]


@lru_cache(maxsize=4)
def _token_ends(text: str, encoding: str) -> tuple[float, ...]:
    """Where each token ends, in characters; a half where it is inside a character."""
    if not text:
        return ()
    sent = sendable(text)
    own = tokenizer(encoding)
    lengths = [len(own.decode_bytes([token])) for token in own.encode_ordinary(sent)]
    at = {0: 0.0}
    place = 0
    for number, char in enumerate(sent, start=1):
        width = len(char.encode())
        at.update((place + part, number - 0.5) for part in range(1, width))
        place += width
        at[place] = float(number)
    ends = tuple(at[end] for end in accumulate(lengths))
    if ends[-1] != len(text):
        raise ValueError("the tokens do not add up to the text")
    return ends


def _floor(place: float) -> int:
    return int(place)


def _ceiling(place: float) -> int:
    return int(place) + (place != int(place))
