"""Imports karat once, then forks for every command that a client sends."""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import marshal
import os
import pkgutil
import selectors
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from tests.quick_codegen import take_few_pairs

PACKAGES = (
    *("cli", "core", "imports", "judge", "reports", "runs", "search", "sheet", "stats", "store", "suites"),
    *("systems", "tables", "verbs"),
)
"""What commands import. The others are imported by these as far as they are needed."""
LIBRARIES = (
    *("bm25s", "email.contentmanager", "email.policy", "jinja2", "lark", "numba", "numpy", "rapidfuzz", "regex"),
    *("rich.progress", "rich.table", "safetensors", "scipy.sparse", "splintr", "sqlalchemy.dialects.sqlite", "sqlglot"),
    *("threadpoolctl", "tokenizers", "typer._adapters", "typer._click.decorators", "xlsxwriter"),
)
"""What they import when they need it. typer reads the words of every command with pydantic, and loads it only then:
that was half of the time of a short command."""
BACKLOG = 64
ROOT = Path(__file__).resolve().parents[2]


def main(address: str) -> None:
    """Serve until standard input ends."""
    import_all()
    gc.collect()
    gc.freeze()  # a fork that collects garbage would copy every page
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(BACKLOG)
    awake, wake = os.pipe2(os.O_NONBLOCK)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    selector = selectors.DefaultSelector()
    for source in (0, awake, listener):
        selector.register(source, selectors.EVENT_READ)
    commands: dict[int, socket.socket] = {}
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            if key.fileobj == 0:
                return
            if key.fileobj is listener:
                connection, _ = listener.accept()
                streams, request = received(connection)
                process = os.fork()
                if process == 0:
                    become(streams, *request)
                for stream in streams:
                    os.close(stream)
                commands[process] = connection
                selector.register(connection, selectors.EVENT_READ, process)
            elif key.fileobj == awake:
                os.read(awake, 4096)
                for process, status in ended(commands):
                    connection = commands.pop(process)
                    if connection.fileno() >= 0:
                        selector.unregister(connection)
                        connection.send(status.to_bytes(4, "big", signed=True))
                        connection.close()
            else:  # the client is gone: a test that waited too long
                selector.unregister(key.fileobj)
                os.kill(key.data, signal.SIGKILL)
                commands[key.data].close()


def import_all() -> None:
    """Every module of the packages that commands use, except those that need what is not installed."""
    import karat

    for name in LIBRARIES:
        importlib.import_module(name)
    for package in PACKAGES:
        for name in modules(importlib.import_module(f"{karat.__name__}.{package}")):
            try:
                importlib.import_module(name)
            except ImportError:
                continue
    take_few_pairs()


def modules(package: ModuleType) -> Iterator[str]:
    """The names of all modules below a package. Programs that are sent elsewhere as text are not modules, and where
    numba keeps what it compiles is for the command to find out."""
    others = (".__main__", ".migrations.env", ".sandbox_reader", ".render_worker", ".ranks.compiled")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not found.name.endswith(others):
            yield found.name


def received(connection: socket.socket) -> tuple[list[int], tuple[list[str], str, dict[str, str], int]]:
    """The standard streams of a client, and its arguments, folder, environment and umask."""
    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    request = connection.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    return list(streams), marshal.loads(request)


def ended(commands: dict[int, socket.socket]) -> Iterator[tuple[int, int]]:
    """The forks that have ended, with their exit code, or with the signal that ended them as a negative number."""
    while commands:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process == 0:
            return
        yield process, os.waitstatus_to_exitcode(status)


def become(streams: list[int], words: list[str], folder: str, environment: dict[str, str], umask: int) -> NoReturn:
    """Make this process, a fork, the one that the client asked for."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, 256)
    os.chdir(folder)
    os.umask(umask)
    own = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ.clear()
    os.environ.update(environment)
    wanted = [place for place in environment.get("PYTHONPATH", "").split(os.pathsep) if place]
    sys.path[:] = [*wanted, *(place for place in sys.path if place not in own)]
    sys.argv = words
    sys.modules["__main__"].__package__ = None  # else the usage line would name this module
    # The interpreter made these for the streams of the server.
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    out, error = (io.BufferedWriter(io.FileIO(number, "w", closefd=False)) for number in (1, 2))
    sys.stdout = io.TextIOWrapper(out, line_buffering=os.isatty(1))
    sys.stderr = io.TextIOWrapper(error, errors="backslashreplace", line_buffering=True)
    os._exit(run())


def run() -> int:
    """Run the command as Python would run a program, but for what it frees at the end: that would copy every page."""
    from karat.__main__ import main as karat

    code: object = 0
    try:
        karat()
    except SystemExit as stopped:
        code = stopped.code
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter calls first
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code if isinstance(code, int) else 1 if code else 0


if __name__ == "__main__":
    main(sys.argv[1])
