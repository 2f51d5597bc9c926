"""Things that were computed before, kept while they are among the last few."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar  # Any: one cache holds values of many types, and each caller gets what it made

V = TypeVar("V")


class Kept:
    """Values by their keys; the one that was longest not asked for goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[tuple[object, ...], Any] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: tuple[object, ...]) -> bool:
        return key in self._values

    def __call__(self, key: tuple[object, ...], make: Callable[[], V]) -> V:
        """A value that never changes for its key (a scoring never does)."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: V = self._values[key]
                return found
        made = make()
        with self._lock:
            self._values[key] = made
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return made
