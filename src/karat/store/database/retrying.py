"""Waiting for a store that cannot be reached for a while: a server that restarts, a cut network, a lock, a full disk.

A method of the store is one transaction, so it can be repeated as a whole when it failed and nothing of it is stored.
Only a connection that is lost while it commits leaves that open, see :mod:`karat.store.database.commits`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import wraps
from inspect import isfunction, isgeneratorfunction
from typing import Any, TypeVar  # Any: it wraps every method of the store, whatever it takes and gives

from karat.core.problems import UserError
from karat.store.database.failures import Unavailable

LOGGER = logging.getLogger("karat.store")
"""Says that a store cannot be reached, and that it is back."""
PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0, 5.0)
"""Seconds between two tries; the last one is repeated."""
_STEP = 0.2

C = TypeVar("C")


class _Commits(threading.local):
    """Counted apart in every thread."""

    count = 0


class Patience:
    """How long failed methods of a store are tried again. Any thread may change ``seconds`` at any time."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._of_thread = _Commits()

    @property
    def commits(self) -> int:
        """How many transactions this thread has committed."""
        return self._of_thread.count

    def count_commit(self) -> None:
        """One more."""
        self._of_thread.count += 1

    def begin(self) -> Waiting:
        """Start to wait, now that something has failed."""
        return Waiting(self)


class Waiting:
    """The time after a first failure."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._began = time.monotonic()
        self._tries = 0

    @property
    def left(self) -> float:
        """Seconds until the patience is over."""
        return self._patience.seconds - (time.monotonic() - self._began)

    def pause(self) -> bool:
        """Wait for the next try; False when there is none, because the time is over."""
        if self.left <= 0:
            return False
        until = time.monotonic() + PAUSES[min(self._tries, len(PAUSES) - 1)]
        self._tries += 1
        while (now := time.monotonic()) < until and self.left > 0:  # who is asked to stop meanwhile does not wait on
            time.sleep(min(_STEP, until - now, max(self.left, 0.0)))
        return True


def retrying(*once: str) -> Callable[[type[C]], type[C]]:
    """Make every public method of a store wait and try again, apart from those in ``once`` and from generators.

    The class has its :class:`Patience` in the attribute ``patience``.
    """

    def change(kind: type[C]) -> type[C]:
        for name, member in list(vars(kind).items()):
            if isfunction(member) and not name.startswith("_") and name not in once and not isgeneratorfunction(member):
                setattr(kind, name, _patient(member))
        return kind

    return change


def _patient(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(store: Any, *args: Any, **named: Any) -> Any:
        patience: Patience = store.patience
        waiting: Waiting | None = None
        while True:
            before = patience.commits
            try:
                result = method(store, *args, **named)
            except Unavailable as error:
                # A part of it that is stored must not be stored again; and who has waited inside does not wait again.
                if error.waited or patience.commits != before:
                    raise
                if waiting is None:
                    waiting = patience.begin()
                    if waiting.left > 0:
                        LOGGER.warning("%s; trying again for up to %g s", error.message, patience.seconds)
                if not waiting.pause():
                    error.waited = True
                    raise _gave_up(error, patience.seconds) from None
            else:
                if waiting is not None:
                    LOGGER.warning("the store is back")
                return result

    return call


def _gave_up(error: Unavailable, seconds: float) -> UserError:
    if seconds <= 0:
        return error
    found = Unavailable(error.message, hint=f"{error.hint} Karat tried again for {seconds:g} s.".strip())
    found.waited = True
    return found
