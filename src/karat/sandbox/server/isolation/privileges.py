"""Giving up what the server does not need: root, groups, namespaces shared with others, the way back.

Runs before anything else. With bubblewrap the namespaces are there already; without it, root makes its own.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import TypedDict

from .kernel import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    mount,
    prctl,
    unshare,
)

NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_PIDS, NEW_NET = 0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000
BIND, REMOUNT, READ_ONLY, NO_SUID, NO_DEV, PRIVATE, RECURSIVE = 4096, 32, 1, 2, 4, 1 << 18, 16384


DESCRIPTORS = 256


class Settings(TypedDict):
    """What the host decides for a server: how it is shut in, what it may read, where it may write."""

    become: dict[str, int] | None
    namespaces: bool
    own_pids: bool
    landlock: int
    seccomp: bool
    readable: list[str]
    scratch: str
    scratch_bytes: int


def enter(settings: Settings) -> tuple[int, int]:
    """All of it, in order. Returns the two ends to the host, moved away from standard input and output."""
    if settings["namespaces"]:
        settings["own_pids"] = _own_namespaces(settings["readable"], settings["scratch"], settings["scratch_bytes"])
    if settings["become"]:
        _become(settings["become"])
    _seal()
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    nothing = os.open(os.devnull, os.O_RDWR)
    control = (_moved(0), _moved(1))
    for fd in (0, 1, 3, 4, 5):
        os.dup2(nothing, fd)
    return control


def _moved(fd: int) -> int:
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)


def _own_namespaces(readable: Sequence[str], scratch: str, scratch_bytes: int) -> bool:
    """Root without bubblewrap: no network, no other processes, no shared memory of others; False where the kernel says
    no.

    The interpreter may lie where only root may look. Such a folder is covered by an empty one that shows just what is
    needed.
    """
    try:
        unshare(NEW_MOUNTS | NEW_UTS | NEW_IPC | NEW_PIDS | NEW_NET)
    except OSError:
        return False
    inner = os.fork()
    if inner:
        _wait_for(inner)
    mount("none", "/", "none", PRIVATE | RECURSIVE)
    mount("proc", "/proc", "proc", NO_SUID | NO_DEV)
    _uncover(readable)
    mount("tmpfs", scratch, "tmpfs", NO_SUID | NO_DEV, f"size={scratch_bytes},mode=777")
    return True


def _wait_for(inner: int) -> None:
    """The outer process only waits: a process cannot enter its new namespace itself. Its end ends all inside."""
    os.closerange(0, 64)
    _, status = os.waitpid(inner, 0)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


def _uncover(readable: Sequence[str]) -> None:
    hidden: dict[str, list[str]] = {}
    for path in readable:
        closed = _closed_ancestor(path)
        if closed:
            hidden.setdefault(closed, []).append(path)
    for folder, paths in hidden.items():
        held = {path: os.open(path, os.O_PATH) for path in paths}
        mount("tmpfs", folder, "tmpfs", NO_SUID | NO_DEV, "size=1m,mode=755")
        for path, fd in held.items():
            source = f"/proc/self/fd/{fd}"
            if os.path.isdir(source):
                os.makedirs(path, exist_ok=True)
            else:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
            mount(source, path, "none", BIND)
            mount("none", path, "none", BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEV)
            os.close(fd)


def _closed_ancestor(path: str) -> str:
    """The topmost folder on the way that others may not pass; empty when the way is open."""
    place = ""
    for part in path.strip("/").split("/")[:-1]:
        place += "/" + part
        if not os.stat(place).st_mode & 0o001:
            return place
    return ""


def _become(identity: Mapping[str, int]) -> None:
    """An unprivileged user and group, no other groups, for good."""
    uid, gid = identity["uid"], identity["gid"]
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid) or os.getresgid() != (gid, gid, gid) or os.getgroups():
        sys.exit("the server could not become another user")


def _seal() -> None:
    """No way back to privileges, no look into this process, death with the parent, and all orphans come here."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.umask(0o077)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGIO, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
