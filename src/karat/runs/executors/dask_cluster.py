"""A Dask cluster to score on: one that is running somewhere, or one of this machine's own while it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from karat.core.installed.extras import require
from karat.core.problems import UserError
from karat.runs.executors.engine import Engine

START = 60.0
"""Seconds for the scheduler to start, on a busy machine."""
_COMMAND = "import sys; sys.path[:] = {path!r}; from karat.runs.executors.dask_process import main; main({words!r})"


@contextmanager
def open_dask(address: str, count: int | None, timeout: float) -> Iterator[Engine]:
    """The engine of a running scheduler, or, without an address, of ``count`` workers started here."""
    require(("dask",), "a Dask executor")
    from karat.runs.executors.dask_engine import DaskEngine

    if address:
        with DaskEngine(address, timeout) as engine:
            yield engine
        return
    from distributed import Security

    with tempfile.TemporaryDirectory(prefix="karat-dask-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        files = _certificates(folder)
        security = Security(
            tls_ca_file=files["ca"], tls_client_cert=files["cert"], tls_client_key=files["key"], require_encryption=True
        )
        with (
            _local_cluster(folder, count or os.cpu_count() or 1, files) as place,
            DaskEngine(place, timeout, security=security, own=True) as engine,
        ):
            yield engine


def _certificates(folder: Path) -> dict[str, str]:
    """A certificate for this cluster alone, in a folder that only this user can read: other users of the machine can
    reach the ports, and a scheduler runs whatever it is sent."""
    from distributed import Security

    made = Security.temporary()
    files = {"ca": made.tls_ca_file, "cert": made.tls_client_cert, "key": made.tls_client_key}
    for name, text in files.items():
        (folder / f"{name}.pem").touch(mode=0o600)
        (folder / f"{name}.pem").write_text(str(text), encoding="ascii")
    return {name: str(folder / f"{name}.pem") for name in files}


@contextmanager
def _local_cluster(folder: Path, count: int, files: dict[str, str]) -> Iterator[str]:
    """A scheduler and its workers on this machine's own loopback address. They end with this process, however it
    ends."""
    tls = ["--tls-ca-file", files["ca"], "--tls-cert", files["cert"], "--tls-key", files["key"]]
    where = folder / "scheduler.json"
    scheduler = _start(
        ["scheduler", "--host", "tls://127.0.0.1:0", "--no-dashboard", "--scheduler-file", str(where), *tls], folder
    )
    started = [scheduler]
    try:
        place = _address(scheduler, where, folder)
        words = ["worker", place, "--nworkers", str(count), "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        started.append(_start([*words, "--host", "tls://127.0.0.1", "--local-directory", str(folder), *tls], folder))
        yield place
    finally:
        for process in reversed(started):
            process.terminate()
        for process in reversed(started):
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()


def _start(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _COMMAND.format(path=[str(place) for place in sys.path], words=words)]
    with (folder / f"{words[0]}.log").open("wb") as log:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)  # noqa: S603 (our own words)


def _address(scheduler: subprocess.Popen[bytes], where: Path, folder: Path) -> str:
    until = time.monotonic() + START
    while time.monotonic() < until and scheduler.poll() is None:
        with suppress(OSError, msgspec.DecodeError, KeyError):
            return str(msgspec.json.decode(where.read_bytes())["address"])
        time.sleep(0.05)
    said = (folder / "scheduler.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    raise UserError(f"a Dask scheduler could not be started here: {' '.join(said) or 'it did not respond'}")
