"""Whether a DuckDB or Parquet file can be read without harm: a child process looks through it first.

The files come from submissions and other people's projects, and are parsed by native code. A file that crashes the
child, holds more cells than are read, or computes without end (a view can) is refused here, and this process goes on.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal

from karat.core.files.limits import CELLS, READ_SECONDS
from karat.tables.table import TableError

_WORKER = Path(__file__).with_name("probe_worker.py")


def probe(path: Path, kind: Literal["duckdb", "parquet"]) -> None:
    """Raise :class:`TableError` for a file that must not be read here. One that is only broken passes: its reader says
    what is wrong."""
    about = path.stat()
    most = CELLS.value
    found = _looked_at(str(path.absolute()), kind, about.st_mtime_ns, about.st_size, most, READ_SECONDS.value)
    if found.get("error"):
        raise TableError(f"{path.name} {found['error']}", "unreadable")
    cells = found.get("cells", 0)
    if isinstance(cells, int) and cells > most:
        said = f"{path.name} has a table of {cells:,} cells; at most {most:,} are read"
        said += f". To allow more, set {CELLS.variable}"
        raise TableError(said, "too_large")


@lru_cache(maxsize=256)
def _looked_at(path: str, kind: str, _changed: int, _size: int, most: int, seconds: int) -> dict[str, object]:
    return _PROBE.ask({"path": path, "kind": kind, "cells": most}, seconds)


class _Probe:
    """The child, started when it is first needed and again when it is gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, object], seconds: float) -> dict[str, object]:
        with self._lock:
            process = self._process = self._process or _started()
            late = threading.Event()

            def give_up() -> None:
                late.set()
                process.kill()

            timer = threading.Timer(seconds, give_up)
            timer.daemon = True
            timer.start()
            line = b""
            try:
                if process.stdin is not None and process.stdout is not None:
                    process.stdin.write(json.dumps(request).encode() + b"\n")
                    process.stdin.flush()
                    line = process.stdout.readline()
            except OSError:
                pass
            except BaseException:  # Ctrl-C: its answer must not be taken for that to the next question
                self._end()
                raise
            finally:
                timer.cancel()
            if line.endswith(b"\n") and not late.is_set():
                found: dict[str, object] = json.loads(line)
                return found
            self._end()
        if late.is_set():
            return {"error": f"takes longer than {seconds:g} s to read. To allow more, set {READ_SECONDS.variable}"}
        return {"error": "is damaged: it crashes the library that reads it"}

    def end(self) -> None:
        with self._lock:
            self._end()

    def forget(self) -> None:
        """After a fork: the child is the parent's."""
        self._lock, self._process = threading.Lock(), None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()


def _started() -> subprocess.Popen[bytes]:
    # No environment: it may hold keys. -P: what lies in the working folder is no module of ours.
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    return subprocess.Popen(  # noqa: S603 (our own interpreter and code)
        [sys.executable, "-P", str(_WORKER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"},
        start_new_session=True,  # Ctrl-C is the parent's business
    )


_PROBE = _Probe()
atexit.register(_PROBE.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PROBE.forget)
