"""A sequence whose items are made when they are looked at, a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar, overload  # Any: pickle's protocol, and what users of a sequence remember with it

T = TypeVar("T")
CHUNK = 1_000
"""Cases, answers or results that are worked on at a time."""
HELD = 2 * CHUNK
"""Cases or answers up to which a run holds them as plain objects."""
RECENT = 4
"""Chunks that stay made, for who looks at single items."""


class LazySequence(Sequence[T]):
    """``count`` items in chunks of ``size``; ``read`` makes the chunk of a number, ``one`` a single item where that is
    cheap. A slice is a tuple, and is held whole."""

    def __init__(
        self,
        count: int,
        read: Callable[[int], Sequence[T]],
        size: int = CHUNK,
        one: Callable[[int], T] | None = None,
    ) -> None:
        self._count, self._read, self._size, self._one = count, read, size, one
        self._recent = lru_cache(RECENT)(read)
        self.memory: dict[str, Any] = {}
        """What was found by going through all items, for who asks again."""

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        for number in range(-(-self._count // self._size)):
            yield from self._read(number)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self._at(place) for place in range(*index.indices(self._count)))
        place = index + self._count if index < 0 else index
        if not 0 <= place < self._count:
            raise IndexError(f"{index} of {self._count}")
        return self._at(place)

    def pick(self, places: Sequence[int]) -> list[T]:
        """The items at these places, which may be anywhere."""
        if isinstance(places, range):
            return list(self[places.start : places.stop])
        return [self._at(place) if self._one is None else self._one(place) for place in places]

    def _at(self, place: int) -> T:
        number, rest = divmod(place, self._size)
        return self._recent(number)[rest]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LazySequence | tuple | list):
            return NotImplemented
        return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal to a tuple of the same items, and not hashed as one

    def __repr__(self) -> str:
        return f"<{self._count:,} items, read in chunks of {self._size:,}>"

    def __reduce__(self) -> Any:
        """A copy for another process has all items: what they are read from stays here."""
        return tuple, (tuple(self),)


def in_chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """The items in lists of this size, the last one shorter."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk
