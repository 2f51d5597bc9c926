"""The order in which a run asks its cases: random, so that figures over the first answers are fair estimates of the
figures over all; or as in the file. Results and reports keep the file's order either way.

The order depends only on the number of cases and a seed that is stored with the run: a resumed run, and every process
that shares one, has the same. Up to ``WINDOW`` cases, every order is equally likely. Of more, the blocks of ``CHUNK``
neighbouring cases come in random order, and the cases of ``WINDOW // CHUNK`` blocks at a time are mixed, so that the
answers of neighbouring cases are stored near each other and are read in linear time.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal, TypeVar, get_args

from karat.core.bulk.sequence import CHUNK, LazySequence
from karat.core.problems import UserError, did_you_mean

Order = Literal["random", "file"]
WINDOW = 16 * CHUNK
"""Cases that are mixed with each other."""

T = TypeVar("T")


def read_order(text: str) -> Order:
    """An order by its name."""
    known: dict[str, Order] = {name: name for name in get_args(Order)}
    if text not in known:
        hint = did_you_mean(text, known) or f"Available: {', '.join(known)}."
        raise UserError(f'unknown order "{text}"', hint=hint)
    return known[text]


def seed_of(truth_set: str) -> int:
    """The seed of a run: the same for all runs over the same cases, so that two of them that are half done have asked
    the same half."""
    return int.from_bytes(hashlib.sha256(truth_set.encode()).digest()[:4], "big")


class CaseOrder:
    """The places of cases in their file, in the order in which they are asked. ``seed`` is None for the file's
    order."""

    def __init__(self, count: int, seed: int | None = None) -> None:
        self._count, self._seed = count, seed
        chunks = -(-count // CHUNK)
        mixed = _shuffled(chunks, f"{seed} blocks") if seed is not None and count > WINDOW else list(range(chunks))
        step = WINDOW // CHUNK
        self._windows = [mixed[at : at + step] for at in range(0, chunks, step)]
        """The blocks that each window is made of."""
        sizes = (sum(len(_block(count, chunk)) for chunk in window) for window in self._windows)
        self._starts = [0, *accumulate(sizes)]
        self._window = lru_cache(2)(self._mixed)

    def places(self, start: int, stop: int) -> Sequence[int]:
        """The places of the cases that are asked from the ``start``-th up to the ``stop``-th."""
        stop = min(stop, self._count)
        if self._seed is None:
            return range(start, stop)
        found: list[int] = []
        while start < stop:
            number = bisect_right(self._starts, start) - 1
            begin, end = self._starts[number], min(self._starts[number + 1], stop)
            found += self._window(number)[start - begin : end - begin]
            start = end
        return found

    def chunks(self, items: Sequence[T], size: int = CHUNK) -> Iterator[tuple[Sequence[int], list[T]]]:
        """All items in this order, ``size`` of them at a time, with their places."""
        for start in range(0, self._count, size):
            places = self.places(start, start + size)
            yield places, pick(items, places)

    def _mixed(self, number: int) -> list[int]:
        places = [place for chunk in self._windows[number] for place in _block(self._count, chunk)]
        return [places[at] for at in _shuffled(len(places), f"{self._seed} window {number}")]


def pick(items: Sequence[T], places: Sequence[int]) -> list[T]:
    """The items at these places, in the order of the places."""
    return items.pick(places) if isinstance(items, LazySequence) else [items[place] for place in places]


def _block(count: int, chunk: int) -> range:
    return range(chunk * CHUNK, min((chunk + 1) * CHUNK, count))


def _shuffled(count: int, seed: str) -> list[int]:
    """0 … count - 1 in random order. Only ``random()`` of a seeded generator is the same in every version of
    Python."""
    draw = random.Random(seed).random  # noqa: S311 (an order, not a secret)
    keys = [draw() for _ in range(count)]
    return sorted(range(count), key=keys.__getitem__)
