"""Reports of large runs, written in a thread of their own, so that meanwhile the page can say that they are coming."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic

import msgspec

Key = tuple[int, ...]
MOST = 4
"""Reports that are kept."""


class Written(msgspec.Struct, frozen=True):
    """A report as it was written; nothing where that failed."""

    page: bytes | None


class Progress(msgspec.Struct, frozen=True):
    """How far a report is: what is being done now, since when the report is being written."""

    doing: str
    began: float

    @property
    def waited(self) -> int:
        """Seconds since it was asked for."""
        return int(monotonic() - self.began)


class WaitingReports:
    """Reports by what they are of. One is written at a time, because each may hold all cases of its run in memory."""

    def __init__(self) -> None:
        self._written: dict[Key, Written] = {}
        self._begun: dict[Key, Progress] = {}
        self._lock, self._writing = Lock(), Lock()

    def progress(self, key: Key) -> Progress | None:
        """How far the report is; None when it is not being written."""
        return self._begun.get(key)

    def get(self, key: Key, write: Callable[[Callable[[str], None]], bytes]) -> Written | None:
        """The report; None while it is being written, which begins with the first call. ``write`` is given a function
        that takes what it does, in words."""
        with self._lock:
            found = self._written.get(key)
            if found is not None:
                if found.page is None:
                    del self._written[key]  # the next caller tries again
                return found
            if key not in self._begun:
                self._begun[key] = Progress("waiting for another report", monotonic())
                Thread(target=self._write, args=(key, write), daemon=True).start()
            return None

    def _write(self, key: Key, write: Callable[[Callable[[str], None]], bytes]) -> None:
        page, began = None, self._begun[key].began

        def say(words: str) -> None:
            self._begun[key] = Progress(words, began)

        try:
            with self._writing:
                page = write(say)
        except Exception:
            logging.getLogger(__name__).exception("the report could not be written")
        with self._lock:
            self._begun.pop(key, None)
            self._written[key] = Written(page)
            while len(self._written) > MOST:
                del self._written[next(iter(self._written))]
