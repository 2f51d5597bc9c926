"""Resuming a run from its page: the same command that a person would type, as a process of its own that goes on when
the viewer ends.

This is done only where the viewer was told the command: it listens on this machine alone, and its store is a file of
this machine. Else the page shows the command to copy.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import BinaryIO

from karat.core.problems import UserError

LONGEST = 2_000
"""Characters of what a command said that are shown."""


class Resuming:
    """``command`` is all of it but the run's name; empty: no run is resumed from here."""

    def __init__(self, command: Sequence[str] = (), folder: Path | None = None) -> None:
        self._command, self._folder = tuple(command), folder
        self._begun: dict[str, tuple[subprocess.Popen[bytes], BinaryIO]] = {}
        self._lock = Lock()

    @property
    def allowed(self) -> bool:
        """Whether runs can be resumed from their pages."""
        return bool(self._command)

    def start(self, run: str) -> None:
        """Resume a run, unless that is under way."""
        if not self.allowed:
            raise UserError("runs cannot be resumed from here", hint=f"In the project: karat run --resume {run}")
        with self._lock:
            if self.under_way(run):
                return
            if (before := self._begun.pop(run, None)) is not None:
                before[1].close()
            said: BinaryIO = TemporaryFile()  # noqa: SIM115 (as long as the process)
            process = subprocess.Popen(  # noqa: S603 (our own command; the run's name is r- and digits)
                [*self._command, run],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
            self._begun[run] = process, said

    def under_way(self, run: str) -> bool:
        """Whether a command that was started here has not ended."""
        found = self._begun.get(run)
        return found is not None and found[0].poll() is None

    def complaint(self, run: str) -> str:
        """What the last command for a run said, where it failed."""
        found = self._begun.get(run)
        if found is None or found[0].poll() in (None, 0):
            return ""
        found[1].seek(0)
        return found[1].read()[-LONGEST:].decode("utf-8", "replace").strip()
