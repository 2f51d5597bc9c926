"""A process of a session: it runs a step, sleeps, and is forked for the step after it.

After its first step this is a process that has run hostile code. Nothing here is needed for the server's safety: the
server stops the process when its answer is there, decides about every fork (``fork_gate``), and takes no time or figure
from it.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import socket
import sys
from typing import NoReturn

from .. import page_copies, snippet
from ..child import FAILED, GO, LENGTH, READY, RESULT, Isolation, arrange, enclose
from ..environment.libraries import is_there, numpy
from ..frames import Closed, read_exactly, read_head
from ..isolation import rlimits, seccomp
from ..tables import FILE, Tables
from . import fork_gate

RUN, FORK = b"r", b"f"
"""The words of the server: run what follows here; or fork, and the new process runs what follows on its own pipe."""
GIVEN = (60, 61, 62, 63)
"""Where the server puts the ends of a new process: output, errors, result, and what to run."""
SEED = 0


def main(tables: Tables, isolation: Isolation, pipes: tuple[int, int, int], go: int, *, gated: bool) -> NoReturn:
    """Never returns. The limits and the names are those of the session, and hold for all its steps."""
    try:
        arrange(pipes, go, isolation)
        base = rlimits.held()
        enclose(isolation.rules)
        streams = snippet.open_streams()
        page_copies.copy(isolation.usual)
        head, _ = read_head(GO)
        frames = {table["name"]: tables.frame(table["digest"]) for table in head["tables"] if table["kind"] != FILE}
        rlimits.apply(head["limits"], base)
        os.chdir(isolation.folder)
        if gated:
            _hand_over(fork_gate.install())
            seccomp.install(*seccomp.build(seccomp.machine(), may_ask_to_fork=True))
        elif isolation.filter is not None:
            seccomp.install(*isolation.filter)
        random.seed(SEED)
        if is_there(numpy):
            numpy.random.seed(SEED)
        names = snippet.namespace(frames)
        os.write(RESULT, READY)
        place = os.getcwd()
        while True:
            if read_exactly(GO, 1) == FORK and not _forked():
                continue
            step, size = read_head(GO)
            code = read_exactly(GO, size).decode("utf-8")
            if step["restored"]:
                _return_to(place, isolation.folder)
            figures = int(step["figures"]), int(step["pictures"])
            file = f"<snippet {step['number']}>"
            message = snippet.run_in(names, code, int(step["cells"]), file, figures)
            _close_figures()
            _answer(message, streams)
            with contextlib.suppress(OSError):
                place = os.getcwd()
    except Closed:
        os._exit(0)
    except BaseException as problem:
        with contextlib.suppress(BaseException):
            os.write(RESULT, FAILED + f"{type(problem).__name__}: {problem}".encode())
    finally:
        os._exit(97)


def _hand_over(listener: int) -> None:
    with socket.socket(fileno=os.dup(RESULT)) as way:
        socket.send_fds(way, [READY], [listener])
    os.close(listener)


def _forked() -> bool:
    """Whether this is the new process, with its own ends in their places."""
    if fork_gate.fork() != 0:
        for fd in GIVEN:
            with contextlib.suppress(OSError):
                os.close(fd)
        return False
    for fd, place in zip(GIVEN, (1, 2, RESULT, GO)):  # noqa: B905 (Python 3.9)
        os.dup2(fd, place)
        os.close(fd)
    os.write(RESULT, READY)
    return True


def _close_figures() -> None:
    """What one step drew is not drawn again by the next, as in a notebook."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        with contextlib.suppress(BaseException):  # a step may have changed it
            pyplot.close("all")


def _return_to(place: str, folder: str) -> None:
    """Its folder was put back as it was, so it is another one to the kernel."""
    try:
        os.chdir(place)
    except OSError:
        os.chdir(folder)


def _answer(message: bytes, streams: tuple[io.TextIOWrapper, io.TextIOWrapper]) -> None:
    for stream in streams:
        with contextlib.suppress(BaseException):  # a step may have closed it
            stream.flush()
    data = LENGTH.pack(len(message)) + message
    while data:
        data = data[os.write(RESULT, data) :]
