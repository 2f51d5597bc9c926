"""Cases that are too many to be held: kept in the form in which a store keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar  # Any: the class of a suite's targets is known only when it runs

import msgspec

from karat.core.bulk.sequence import CHUNK, HELD, LazySequence, in_chunks
from karat.core.bulk.spool import Spool
from karat.core.records import AnyCase, Case, Prediction

T = TypeVar("T")
ANSWERS = 32
"""Answers that are read at a time: they are looked up one by one, in any order."""


def held_cases(cases: Iterable[AnyCase], target: Any) -> Sequence[AnyCase]:
    """The cases as a sequence: a tuple where they are few, else one that reads them a chunk at a time. ``target`` is
    the type of a suite's targets."""
    kind: Any = Case[target]
    decode = msgspec.json.Decoder(kind).decode
    return _held(cases, msgspec.json.Encoder().encode, decode, CHUNK)


def held_answers(predictions: Iterable[Prediction]) -> Sequence[Prediction]:
    """The same for recorded answers."""
    return _held(predictions, msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Prediction).decode, ANSWERS)


def _held(items: Iterable[T], encode: Callable[[T], bytes], decode: Callable[[bytes], T], size: int) -> Sequence[T]:
    few: list[T] = []
    spool: Spool | None = None
    for chunk in in_chunks(items):
        if spool is None and len(few) + len(chunk) <= HELD:
            few += chunk
            continue
        if spool is None:
            spool = Spool()
            spool.extend([encode(item) for item in few])
            few.clear()
        spool.extend([encode(item) for item in chunk])
    if spool is None:
        return tuple(few)
    kept = spool
    return LazySequence(
        len(kept),
        lambda number: [decode(one) for one in kept.read(number * size, (number + 1) * size)],
        size,
        lambda place: decode(kept.read(place, place + 1)[0]),
    )
