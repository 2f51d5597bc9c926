"""The rank of a span: the least n at which the first n chunks together cover enough of its characters.

Chunks that tie count at the last place of their group, as every value does: a tie never helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from karat.search.chunks.chunk import Chunk
from karat.search.chunks.spans import SpanTruth
from karat.search.records import DEEPER, NOT_A_VALUE


def places_of(chunks: Sequence[Chunk]) -> dict[str, list[int]]:
    """Document → the positions of its chunks."""
    found: dict[str, list[int]] = {}
    for place, chunk in enumerate(chunks):
        found.setdefault(chunk.document.name, []).append(place)
    return found


def touching(span: SpanTruth, chunks: Sequence[Chunk], places: Mapping[str, Sequence[int]]) -> list[int]:
    """The positions of the chunks that have a character of the span."""
    own = places.get(span.document, ())
    return [place for place in own if chunks[place].start < span.end and span.start < chunks[place].end]


def cover_rank(span: SpanTruth, chunks: Sequence[Chunk], ranks: Mapping[int, int], cover: Fraction) -> int:
    """The rank of a span from the ranks of the chunks that touch it. ``DEEPER`` where the ranks of too many of them are
    not known, ``NOT_A_VALUE`` where the chunks do not have enough of it."""
    known = sorted((rank, place) for place, rank in ranks.items() if rank >= 1)
    taken: list[tuple[int, int]] = []
    for rank, place in known:
        taken.append((chunks[place].start, chunks[place].end))
        if covered(span, taken) >= cover * (span.end - span.start):
            return rank
    everything = [(chunks[place].start, chunks[place].end) for place in ranks]
    enough = covered(span, everything) >= cover * (span.end - span.start)
    return DEEPER if enough else NOT_A_VALUE


def covered(span: SpanTruth, parts: Iterable[tuple[int, int]]) -> int:
    """How many characters of the span these parts have, each counted once."""
    count, at = 0, span.start
    for start, end in sorted(parts):
        low, high = max(start, at), min(end, span.end)
        if low < high:
            count += high - low
            at = high
    return count


def found_by(span: SpanTruth, retrieved: Sequence[Chunk]) -> int | None:
    """The place in a list of retrieved chunks, from 1, at which the span is covered; None: not at all."""
    ranks = {place: place + 1 for place in touching(span, retrieved, places_of(retrieved))}
    if not ranks:
        return None
    rank = cover_rank(span, retrieved, ranks, retrieved[0].cutting.cover)
    return rank if rank >= 1 else None
