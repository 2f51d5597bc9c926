"""The forked child: everything it could hold is let go, every protection is put in place, and only then
does the snippet run."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import struct
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from . import event_counter, page_copies, snippet
from .frames import Closed, read_exactly, read_head
from .isolation import landlock, machine_limits, rlimits, seccomp
from .isolation.kernel import PR_SET_DUMPABLE, PR_SET_PDEATHSIG, Places, prctl
from .tables import FILE, Tables

READY, FAILED = b"R", b"E"
BEGIN = struct.Struct("<cdQ")
"""The first thing on the way of the result: ready, processor seconds and peak memory so far. The server reads it and
starts its clock before it lets the snippet run, so that nothing the snippet does can change it."""
LENGTH = struct.Struct("<I")
RESULT = 3
"""The descriptor that the result is written to. 0, 1, 2 and this are all that is open."""
GO = 4
"""The descriptor over which the server sends what the code needs, and then the code itself. Closed before it runs."""


class Isolation(NamedTuple):
    """What the server prepared once for all children."""

    rules: landlock.Rules | None
    filter: tuple[bytes, list[int]] | None
    folder: str
    highest_fd: int
    usual: Places
    """Memory that most snippets write to."""


def main(tables: Tables, isolation: Isolation, pipes: tuple[int, int, int], go: int) -> NoReturn:
    """Never returns: the process ends here, whatever the snippet does to the code around it."""
    try:
        arrange(pipes, go, isolation)
        base = rlimits.held()
        enclose(isolation.rules)
        out, err = snippet.open_streams()
        page_copies.copy(isolation.usual)
        head, size = read_head(GO)
        frames = {table["name"]: tables.frame(table["digest"]) for table in head["tables"] if table["kind"] != FILE}
        if head["counter"]:
            event_counter.offer(RESULT, head["counter"])
        _limit(head["limits"], base, isolation)
        used = resource.getrusage(resource.RUSAGE_SELF)
        os.write(RESULT, BEGIN.pack(READY, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024))
        read_exactly(GO, 1)
        code = read_exactly(GO, size).decode("utf-8")
        os.close(GO)
    except Closed:
        os._exit(0)
    except BaseException as problem:
        os.write(RESULT, FAILED + f"{type(problem).__name__}: {problem}".encode())
        os._exit(97)
    try:
        me = os.getpid()
        limits = head["limits"]
        figures = int(limits["figures"]), int(limits["pictures"])
        message = snippet.run(code, frames, int(limits["cells"]), figures)
        if os.getpid() != me:  # a process that the snippet forked has come out of it too; it has nothing to say
            os._exit(0)
        for stream in (out, err):
            with contextlib.suppress(BaseException):  # the snippet may have closed it
                stream.flush()
        data = LENGTH.pack(len(message)) + message
        while data:
            data = data[os.write(RESULT, data) :]
        os.close(RESULT)  # the clock stops here, before the kernel takes this process apart
    finally:
        os._exit(0)


def arrange(pipes: tuple[int, int, int], go: int, isolation: Isolation) -> None:
    """Only 0 to 3 stay open, and for a moment more the way that the code comes."""
    result, out, err = pipes
    nothing = os.open(os.devnull, os.O_RDONLY)
    # All of these lie above the places they go to: the server keeps 0 to 5 taken from its start.
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.dup2(result, RESULT)
    os.dup2(go, GO)
    os.closerange(GO + 1, isolation.highest_fd)


def enclose(rules: landlock.Rules | None) -> None:
    """What does not depend on the snippet. The rules are put together here: one of the files is this process's own."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    _offer_to_the_reaper()
    if rules is not None:
        own = landlock.ruleset([*rules.allowed, (machine_limits.OWN, landlock.READ_FILE)], rules.version)
        landlock.restrict(own)
        os.close(own)


def _limit(limits: Mapping[str, float], base: tuple[int, int], isolation: Isolation) -> None:
    """What does, and the filter last: it forbids some of the rest."""
    rlimits.apply(limits, base)
    os.chdir(isolation.folder)
    if isolation.filter is not None:
        seccomp.install(*isolation.filter)


def _offer_to_the_reaper() -> None:
    """When memory runs out for all, the kernel is to take the child and not the server."""
    try:
        prctl(PR_SET_DUMPABLE, 1)
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
    finally:
        prctl(PR_SET_DUMPABLE, 0)
