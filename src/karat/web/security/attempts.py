"""A limit on wrong tokens: after ten of one caller within a minute, no token of theirs is looked at until the oldest is
a minute ago.

A caller is an address; behind a proxy, the one that the proxy says. People who are signed in are not held up, as their
session needs no token.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock

MOST = 10
WITHIN = 60.0
CALLERS = 10_000
"""Callers that are remembered; the one that failed longest ago goes first."""


class Attempts:
    """Wrong tokens of the last minute. ``clock`` gives seconds that only grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = Lock()

    def failed(self, caller: str) -> None:
        """One more wrong token."""
        with self._lock:
            self._failed.setdefault(caller, deque(maxlen=MOST)).append(self._clock())
            self._failed.move_to_end(caller)
            while len(self._failed) > CALLERS:
                self._failed.popitem(last=False)

    def wait(self, caller: str) -> float:
        """Seconds until a token of this caller is looked at again; 0: it is now."""
        with self._lock:
            times = self._failed.get(caller)
            if times is None or len(times) < MOST:
                return 0.0
            return max(0.0, times[0] + WITHIN - self._clock())
