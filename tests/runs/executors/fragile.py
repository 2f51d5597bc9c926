"""Work that ends the process which does it. Few imports: a new process does it at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence


def squares(numbers: Sequence[int]) -> tuple[float, list[int]]:
    began = time.perf_counter()
    found = [number * number for number in numbers]
    return time.perf_counter() - began, found


def fragile(numbers: Sequence[int]) -> tuple[float, list[int]]:
    """7 ends its process, 11 hangs."""
    if 7 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    if 11 in numbers:
        time.sleep(600)
    return squares(numbers)
