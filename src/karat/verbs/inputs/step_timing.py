"""How long each step of a verb takes, as log messages of the logger ``karat.steps``. ``karat --verbose`` prints
them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOGGER = logging.getLogger("karat.steps")


@contextmanager
def step(what: str) -> Iterator[None]:
    """Log how long the block took: ``0.21 s  cases read``."""
    began = time.monotonic()
    yield
    LOGGER.info("%8.2f s  %s", time.monotonic() - began, what)
