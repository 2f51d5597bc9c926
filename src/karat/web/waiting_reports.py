"""Reports of large runs, written in a thread of their own, so that meanwhile the page can say that they are coming."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock, Thread

import msgspec

Key = tuple[int, ...]
MOST = 4
"""Reports that are kept."""


class Written(msgspec.Struct, frozen=True):
    """A report as it was written; nothing where that failed."""

    page: bytes | None


class WaitingReports:
    """Reports by what they are of. One is written at a time, because each holds all cases of its run in memory."""

    def __init__(self) -> None:
        self._written: dict[Key, Written] = {}
        self._begun: set[Key] = set()
        self._lock, self._writing = Lock(), Lock()

    def get(self, key: Key, write: Callable[[], bytes]) -> Written | None:
        """The report; None while it is being written, which begins with the first call."""
        with self._lock:
            found = self._written.get(key)
            if found is not None:
                if found.page is None:
                    del self._written[key]  # the next caller tries again
                return found
            if key not in self._begun:
                self._begun.add(key)
                Thread(target=self._write, args=(key, write), daemon=True).start()
            return None

    def _write(self, key: Key, write: Callable[[], bytes]) -> None:
        page = None
        try:
            with self._writing:
                page = write()
        except Exception:
            logging.getLogger(__name__).exception("the report could not be written")
        with self._lock:
            self._begun.discard(key)
            self._written[key] = Written(page)
            while len(self._written) > MOST:
                del self._written[next(iter(self._written))]
