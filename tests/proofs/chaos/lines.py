"""A line of work: one run of one suite that must come to its end, and the processes that work on it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from karat.core.problems import UserError
from karat.store import open_store
from karat.store.records import run_name
from tests.conftest import ROOT
from tests.proofs.chaos.projects import Project
from tests.proofs.chaos.world import World

TRIES = 80
"""Processes after which a run that is still not finished never will be."""
FINE = (0, 1, 2, 3, 130, -signal.SIGINT, -signal.SIGKILL)
"""Exit codes of Karat, and of a process that was killed. Python itself, once it has ended the program and takes itself
down, ends by Ctrl-C as a program without a handler does; a shell calls that 130 too."""


class Line:
    """A run and its processes. ``url`` is how the processes reach the store, ``past`` how this one does."""

    def __init__(self, world: World, project: Project, folder: Path, url: str, past: str, *, shared: bool) -> None:
        self.world, self.project, self.folder, self.url, self.past, self.shared = (
            world,
            project,
            folder,
            url,
            past,
            shared,
        )
        self.acknowledged = folder / "acknowledged"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._said: dict[int, Path] = {}
        self._known: dict[int, str] = {}
        self.started = 0
        self.wrong: list[str] = []
        """What a process said or did that it must not."""

    @property
    def name(self) -> str:
        return f"{self.project.suite} in {'PostgreSQL' if self.shared else 'SQLite'}"

    @property
    def path(self) -> str:
        """Where this line asks the assistant."""
        return f"/{self.folder.name}"

    def runs(self) -> dict[int, str]:
        """The runs of this line and the status of each. Where the store cannot be read now (its server restarts, its
        disk is full), what was there last: an empty answer would have a new run begun beside the one that is there."""
        with suppress(UserError), open_store(self.past, read_only=True) as store:
            self._known = {row.id: row.status for row in store.runs(100, self.project.suite)}
        return self._known

    def finished(self) -> bool:
        return "finished" in self.runs().values()

    def start(self, *, again: bool = False) -> None:
        """A process that begins the run, or goes on with it. ``again``: beside another one."""
        words = ["run", "--executor", f"dask://{self.world.cluster.address}?timeout=10", "--store", self.url]
        if known := self.runs():
            words += ["--resume", run_name(max(known))]
            words += ["--join"] if self.shared and (again or self.started % 2) else []
        self._start(words)

    def _start(self, words: list[str]) -> None:
        environment = self.world.cluster.environment | self.world.clock_environment()
        environment |= {"CHAOS_ACKNOWLEDGED": str(self.acknowledged), "PYTHONPATH": str(ROOT)}
        self.started += 1
        file = self.folder / f"said-{self.started}"
        with file.open("wb") as said:
            command = [sys.executable, "-m", "tests.proofs.chaos.runner", *words]
            self.processes.append(
                subprocess.Popen(command, cwd=self.folder, env=environment, stdout=said, stderr=subprocess.STDOUT)
            )
        self._said[self.processes[-1].pid] = file

    def tend(self) -> bool:
        """Look after the processes: True when the run is finished and none is left."""
        for process in [one for one in self.processes if one.poll() is not None]:
            self.processes.remove(process)
            if process.returncode not in FINE:
                self.wrong.append(f"{self.name}: a process ended with {process.returncode}")
        if self.processes:
            return False
        if self.finished():
            return True
        if self.started >= TRIES:
            raise AssertionError(f"{self.name}: not finished after {self.started} processes\n{self.last_words()}")
        if self._stopped_too_early():
            self._start(["run", "--executor", f"dask://{self.world.cluster.address}?timeout=10", "--store", self.url])
        else:
            self.start()
        return False

    def _stopped_too_early(self) -> bool:
        """Whether the newest run has not all its cases: it must be started again."""
        known = self.runs()
        if not known:
            return False
        with open_store(self.past, read_only=True) as store:
            return len(store.case_ids(max(known))) < len(self.project.ids)

    def live(self) -> list[subprocess.Popen[bytes]]:
        return [process for process in self.processes if process.poll() is None]

    def begun(self) -> list[subprocess.Popen[bytes]]:
        """Those that are past the start of Python itself: they have said something."""
        return [process for process in self.live() if self._said[process.pid].stat().st_size]

    def last_words(self) -> str:
        """The end of what the last process said; where it is, if it goes on."""
        for process in self.live():
            process.send_signal(signal.SIGUSR1)
            time.sleep(1.0)
        return (self.folder / f"said-{self.started}").read_text(errors="replace")[-6_000:]

    def words(self) -> list[str]:
        """All that the processes said."""
        return [file.read_text(errors="replace") for file in sorted(self.folder.glob("said-*"))]

    def end(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGCONT)  # nothing where it has ended
            process.kill()
            process.wait()
