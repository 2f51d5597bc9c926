"""Starting a server: the command, the settings it reads first, and the folder and cgroup that go with it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import resources

import msgspec

from karat.sandbox.interpreter import Interpreter
from karat.sandbox.isolation import bubblewrap, cgroups, folders
from karat.sandbox.isolation.folders import Folder
from karat.sandbox.layers import Plan
from karat.sandbox.records import MB, Limits
from karat.sandbox.server import MODULES

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "Agg",
    **dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
    ),
}
"""All that the code finds in its environment: constants, nothing of the caller's. One thread for linear algebra and
polars; plots without a screen."""

SERVER_MEMORY = 3 * 1024 * MB
"""What a server and its cached tables may hold beside a snippet, where a cgroup limits both together."""
SNAPSHOT_PROCESSES = 32
"""What a session may have beside them."""
SCRATCH_FACTOR = 2
TABLE_SPACE = 2 * 1024 * MB

_ENTER = 'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 98; shift; n=$((n-1)); done; exec "$@"'
"""A shell that walks into the cgroups before it becomes the server: what the server starts is then in them too."""


class Started(msgspec.Struct, frozen=True):
    """A server's process and what has to be tidied up after it."""

    process: subprocess.Popen[bytes]
    cgroup: cgroups.Cgroup
    folder: Folder | None

    def end(self) -> None:
        """Kill it and all that it started, and leave nothing behind."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    continue
        self.cgroup.remove()
        if self.folder is not None:
            self.folder.remove()


def start(plan: Plan, python: Interpreter, limits: Limits) -> Started:
    """A server that still has to say that it is ready."""
    room = limits.files * SCRATCH_FACTOR + TABLE_SPACE
    folder = None if plan.bubblewrap else folders.make(plan.become)
    group = cgroups.Cgroup()
    if plan.memory_cgroup or plan.pids_cgroup:
        made = cgroups.make(limits.memory + SERVER_MEMORY, limits.threads + 16 + SNAPSHOT_PROCESSES)
        group = cgroups.Cgroup(made.memory if plan.memory_cgroup else None, made.pids if plan.pids_cgroup else None)
    words = [python.command, "-s", "-S", "-c", _source("bootstrap")]
    if plan.bubblewrap:
        words = [*bubblewrap.command(python.readable, room, ENVIRONMENT), *words]
    words = _inside(group, words)
    process = _starter().submit(_open, words, {} if plan.bubblewrap else ENVIRONMENT).result()
    started = Started(process, group, folder)
    settings = {
        "sources": [(name, _source(name)) for name in MODULES],
        "become": {"uid": plan.become, "gid": plan.become} if plan.become else None,
        "namespaces": plan.namespaces,
        "own_pids": plan.bubblewrap,
        "landlock": plan.landlock,
        "seccomp": plan.seccomp,
        "readable": python.readable,
        "scratch": bubblewrap.SCRATCH if folder is None else str(folder.path),
        "scratch_bytes": room,
    }
    data = json.dumps(settings).encode()
    pipe = process.stdin
    if pipe is not None:
        try:
            pipe.write(struct.pack("<I", len(data)) + data)
            pipe.flush()
        except OSError:
            return started  # it is gone already; who waits for its first word will see
    return started


def _inside(group: cgroups.Cgroup, words: Sequence[str]) -> list[str]:
    files = [str(folder / "cgroup.procs") for folder in group.folders()]
    return ["/bin/sh", "-c", _ENTER, "sh", str(len(files)), *files, *words] if files else list(words)


def _open(words: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 (our own words)
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd="/",
        start_new_session=True,
        bufsize=0,
    )


_starters: dict[int, ThreadPoolExecutor] = {}


def _starter() -> ThreadPoolExecutor:
    """One thread that starts all servers. A server dies with the *thread* that started it, so it must be one that
    stays."""
    if os.getpid() not in _starters:
        _starters.clear()
        _starters[os.getpid()] = ThreadPoolExecutor(1, thread_name_prefix="karat-sandbox")
    return _starters[os.getpid()]


@cache
def _source(name: str) -> str:
    *above, module = name.split(".")
    place = resources.files("karat.sandbox.server").joinpath(*above, f"{module}.py")
    return place.read_text(encoding="utf-8")
