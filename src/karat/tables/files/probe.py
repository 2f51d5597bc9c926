"""DuckDB and Parquet files that can be read without harm: copies that a child process makes of them.

The files come from submissions and other people's projects, and are parsed by native code. A file that crashes the
child, holds more cells than are read, or computes without end (a view can) is refused here, and this process goes on.
Damage can lie where one query sees it and another does not, so this process never opens the file itself: it reads the
copy that the child has written.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Literal

from karat.core.files.limits import CELLS, READ_SECONDS
from karat.tables.table import TableError

_WORKER = Path(__file__).with_name("probe_worker.py")


def duckdb_copy(path: Path) -> Path:
    """A copy of a DuckDB file that can be opened here, with the same name and tables; its views are tables too.

    It is there until the process ends, or many others have been read. Raises :class:`TableError` for a file that
    cannot be read, and :class:`NotOpened` with DuckDB's own words for one that it does not open.
    """
    return _copy(path, "duckdb")


def parquet_copy(path: Path, *, by: Literal["duckdb", "arrow"]) -> Path:
    """A copy of a Parquet file for the library that reads it here; otherwise as :func:`duckdb_copy`."""
    return _copy(path, "parquet" if by == "duckdb" else "arrow")


def _copy(path: Path, kind: str) -> Path:
    found, copy = _COPIES.of(path, kind)
    if isinstance(said := found.get("unopened"), str):
        raise NotOpened(said)
    if found.get("error"):
        raise TableError(f"{path.name} {found['error']}", "unreadable")
    cells, most = found.get("cells", 0), CELLS.value
    if isinstance(cells, int) and cells > most:
        said = f"{path.name} has a table of {cells:,} cells; at most {most:,} are read"
        said += f". To allow more, set {CELLS.variable}"
        raise TableError(said, "too_large")
    return copy


class NotOpened(Exception):
    """Why a file is not opened, in the words of the library that reads it."""


class _Copies:
    """The newest copies of this process, in a folder of its own."""

    KEPT = 32

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """After a fork: the folder is the parent's."""
        self._lock = threading.Lock()
        self._made: OrderedDict[tuple[object, ...], tuple[dict[str, object], Path]] = OrderedDict()
        self._folder: Path | None = None
        self._number = 0

    def of(self, path: Path, kind: str) -> tuple[dict[str, object], Path]:
        about = path.stat()
        most, seconds = CELLS.value, READ_SECONDS.value
        key = (kind, str(path.absolute()), about.st_mtime_ns, about.st_size, most, seconds)
        with self._lock:
            if key not in self._made:
                self._made[key] = self._make(path, kind, most, seconds)
            self._made.move_to_end(key)
            while len(self._made) > self.KEPT:
                _, (_, oldest) = self._made.popitem(last=False)
                shutil.rmtree(oldest.parent, ignore_errors=True)
            return self._made[key]

    def clear(self) -> None:
        with self._lock:
            self._made.clear()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None

    def _make(self, path: Path, kind: str, most: int, seconds: int) -> tuple[dict[str, object], Path]:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="karat-tables-"))
        self._number += 1
        copy = self._folder / str(self._number) / path.name
        copy.parent.mkdir()
        request = {"path": str(path.absolute()), "kind": kind, "cells": most, "copy": str(copy)}
        return _PROBE.ask(request, seconds), copy


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
_COPIES = _Copies()
atexit.register(_PROBE.end)
atexit.register(_COPIES.clear)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PROBE.forget)
    os.register_at_fork(after_in_child=_COPIES.forget)
