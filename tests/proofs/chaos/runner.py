"""``python -m tests.proofs.chaos.runner WORDS…``: the command line of Karat with short leases and a clock that others
set, which notes every answer once the store says that it has it.

- ``CHAOS_ACKNOWLEDGED``: the file of the notes.
- ``CHAOS_CLOCK``: a file with the seconds that the clock of this process is wrong by, unless libfaketime does that.
"""

from __future__ import annotations

import faulthandler
import hashlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from karat.cli.exit_codes import reporting_crashes, starting_up

EXPIRES, HEARTBEAT = 4.0, 0.3


def digest(response: bytes | None) -> str:
    """What tells one stored answer from another."""
    return hashlib.sha256(response or b"").hexdigest()[:16]


def note_acknowledged(file: str) -> None:
    from karat.store import Store

    add = Store.add_predictions

    def noted(self: Any, run_id: int, items: Any) -> None:
        add(self, run_id, items)
        text = "".join(f"{run_id} {one.case_id} {digest(one.response)}\n" for one in items)
        with Path(file).open("a") as out:  # one write: several processes append
            out.write(text)

    Store.add_predictions = noted  # type: ignore[method-assign]  # the shim


def set_clock(file: Path) -> None:
    right = time.time

    def wrong() -> float:
        try:
            return right() + float(file.read_text() or 0)
        except (OSError, ValueError):
            return right()

    time.time = wrong


def main() -> None:
    """As the program starts itself (karat.__main__), with the shims."""
    with reporting_crashes():
        with starting_up():
            from karat.cli.main import main as karat
            from karat.store.leases import leases

            faulthandler.register(signal.SIGUSR1)  # says where it is, when it takes too long
            leases.EXPIRES, leases.HEARTBEAT = EXPIRES, HEARTBEAT
            note_acknowledged(os.environ["CHAOS_ACKNOWLEDGED"])
            if clock := os.environ.get("CHAOS_CLOCK"):
                set_clock(Path(clock))
        sys.argv = ["karat", *sys.argv[1:]]
        karat()


if __name__ == "__main__":
    main()
