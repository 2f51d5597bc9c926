"""Whether the kernel counts an event for processes here."""

from __future__ import annotations

import os
import sys

from karat.sandbox.records import INSTRUCTIONS, Counter


def counter_trouble(counter: Counter = INSTRUCTIONS) -> str:
    """Why there is no such counter; empty when there is one."""
    if sys.platform != "linux":
        return f"not on {sys.platform}"
    from karat.sandbox.server import event_counter  # it cannot even be imported elsewhere

    try:
        os.close(event_counter.opened(counter))
    except OSError as error:
        return f"{error.strerror} (most virtual machines have none)"
    return ""
