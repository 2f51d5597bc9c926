"""A real Dask scheduler and worker processes on the loopback address, for tests that kill them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import ROOT

START = 120.0
"""Seconds for a process to start, on a busy machine."""


class Cluster:
    """The processes, and how to treat them badly."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(_plugin(folder)), str(ROOT)]))
        self.workers: list[subprocess.Popen[bytes]] = []
        self._place = folder / "scheduler.json"
        words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self._place)]
        self.scheduler = self._start("distributed.cli.dask_scheduler", words, "scheduler", self.environment)

    @property
    def address(self) -> str:
        """``HOST:PORT``."""
        until = time.monotonic() + START
        while time.monotonic() < until:
            try:
                return str(json.loads(self._place.read_text())["address"]).removeprefix("tcp://")
            except (OSError, ValueError):
                time.sleep(0.05)
        raise AssertionError((self.folder / "scheduler.log").read_text())

    def add(self, count: int = 1, *words: str, environment: dict[str, str] | None = None) -> None:
        """More workers, each a process without a nanny: one that is killed stays away."""
        for _ in range(count):
            options = [self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
            options += ["--host", "127.0.0.1", "--local-directory", str(self.folder), *words]
            name = f"worker-{len(self.workers)}"
            self.workers.append(
                self._start("distributed.cli.dask_worker", options, name, environment or self.environment)
            )

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        worker.kill()
        worker.wait()
        self.workers.remove(worker)

    def fill(self, count: int) -> None:
        """At least this many workers, whatever happened to the earlier ones."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        self.add(max(0, count - len(self.workers)))

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()

    def _start(self, module: str, words: list[str], name: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("wb") as log:
            command = [sys.executable, "-m", module, *words]
            return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=log, stderr=log)


@contextmanager
def running_cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    cluster = Cluster(folder)
    try:
        cluster.add(workers)
        yield cluster
    finally:
        cluster.stop()


def _plugin(folder: Path) -> Path:
    """A folder for the path of a process, with the entry point of the troubled suite."""
    about = folder / "plugin" / "troubled-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: troubled\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[karat.suites]\ntroubled = tests.runs.executors.troubled_suite:suite\n")
    return folder / "plugin"
