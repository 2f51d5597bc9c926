"""A scheduler or a group of workers that ``dask-local`` starts. It ends when the process that started it is gone."""

from __future__ import annotations

import os
import signal
import sys
import threading


def main(words: list[str]) -> None:
    """``scheduler …`` or ``worker …``, in the words of Dask's own commands. Standard input is open as long as the
    caller lives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the caller ends what it started
    threading.Thread(target=_end_with_caller, daemon=True).start()
    if words[0] == "scheduler":
        from distributed.cli.dask_scheduler import main as command
    else:
        from distributed.cli.dask_worker import main as command
    sys.argv = words
    command(words[1:])


def _end_with_caller() -> None:
    os.read(0, 1)
    os._exit(1)
