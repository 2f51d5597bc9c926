"""How much may be fetched: bytes are counted as they come, whatever the store says of sizes; and people see how far it
is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from karat.core.files.limits import FILE_MB, MIB, REMOTE_FILES, REMOTE_MB, Limit
from karat.core.problems import UserError

Watch = Callable[[int, int], None]
"""(bytes so far, bytes in all or 0 where nobody knows) → shown to a person."""


@contextmanager
def _unseen(_url: str) -> Iterator[Watch]:
    yield lambda _done, _of: None


_display: Callable[[str], AbstractContextManager[Watch]] = _unseen


def display_with(display: Callable[[str], AbstractContextManager[Watch]]) -> None:
    """Show long fetches with this, from now on."""
    global _display
    _display = display


def displayed(url: str) -> AbstractContextManager[Watch]:
    """A display for one fetch."""
    return _display(url)


class Room:
    """What is left of the limits for one URL."""

    def __init__(self, shown: str, watch: Watch = lambda _done, _of: None) -> None:
        self._shown, self._watch = shown, watch
        self._done = self._total = 0
        self._lock = threading.Lock()

    def check(self, sizes: list[int]) -> None:
        """Raise before anything is fetched where a listing is already too much."""
        if len(sizes) > REMOTE_FILES.value:
            raise self._refused(f"holds {len(sizes):,} files, more than {REMOTE_FILES.value:,}", REMOTE_FILES)
        if max(sizes, default=0) > FILE_MB.value * MIB:
            raise self._refused(f"holds a file larger than {FILE_MB.value:,} MiB", FILE_MB)
        if sum(sizes) > REMOTE_MB.value * MIB:
            raise self._refused(f"is larger than {REMOTE_MB.value:,} MiB", REMOTE_MB)

    def expect(self, total: int) -> None:
        """How many bytes will come."""
        self._total += total

    def take(self, size: int) -> None:
        """Count bytes that came; raise past the limit."""
        with self._lock:
            self._done += size
            self._watch(self._done, self._total)
            if self._done > REMOTE_MB.value * MIB:
                raise self._refused(f"is larger than {REMOTE_MB.value:,} MiB", REMOTE_MB)

    def refuse_file(self) -> UserError:
        """The error for a single file that is too large."""
        return self._refused(f"is larger than {FILE_MB.value:,} MiB", FILE_MB)

    def _refused(self, what: str, limit: Limit) -> UserError:
        return UserError(f"{self._shown} {what}", hint=limit.hint)
