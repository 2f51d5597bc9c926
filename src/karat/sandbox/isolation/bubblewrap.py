"""The bubblewrap command: a root of its own with nothing in it but what Python reads, and no way to change it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

INSTALL = "install bubblewrap (apt install bubblewrap, dnf install bubblewrap), and allow user namespaces"
SCRATCH = "/tmp/box"  # noqa: S108 (inside the box, on a tmpfs of its own)


def command(readable: Sequence[str], scratch_bytes: int, environment: dict[str, str]) -> list[str]:
    """All of bubblewrap's words up to the program to run.

    Root keeps the real user namespace, and the right to become somebody else, which the server does at once. Anyone
    else gets a user namespace, in which nobody has any rights.
    """
    words = [shutil.which("bwrap") or "bwrap", "--clearenv", "--die-with-parent", "--new-session"]
    if os.geteuid() == 0:
        words += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        words += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        words += ["--unshare-all"]
    for folder in _parents(readable):
        words += ["--perms", "0755", "--dir", folder]
    for place in readable:
        if Path(place).is_symlink():
            words += ["--symlink", os.readlink(place), place]  # noqa: PTH115 (the text of the link as it is)
        else:
            words += ["--ro-bind", place, place]
    words += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    words += ["--perms", "0755", "--dir", "/tmp"]  # noqa: S108 (inside the box)
    words += ["--perms", "0777", "--size", str(scratch_bytes), "--tmpfs", SCRATCH]
    words += ["--remount-ro", "/", "--chdir", "/", "--hostname", "box"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    return words


def _parents(places: Sequence[str]) -> list[str]:
    """The folders above, from the top: bubblewrap would make them passable for their owner only. None inside what is
    bound."""
    found = dict.fromkeys(str(above) for place in places for above in reversed(PurePosixPath(place).parents))
    bound = [PurePosixPath(place) for place in places]
    return [
        folder for folder in found if folder != "/" and not any(PurePosixPath(folder).is_relative_to(b) for b in bound)
    ]


@lru_cache(maxsize=2)
def trouble(uid: int) -> str:
    """Why it cannot be used here by this user; empty: it can. Tried, not guessed: many systems have it and forbid
    it."""
    if not shutil.which("bwrap"):
        return "not installed"
    program = shutil.which("true") or "/bin/true"
    words = [*command(("/usr", *(p for p in ("/bin", "/lib", "/lib64") if Path(p).exists())), 1024**2, {}), program]
    try:
        tried = subprocess.run(words, capture_output=True, env={}, timeout=20, check=False)  # noqa: S603 (our words)
    except (OSError, subprocess.SubprocessError) as error:
        return f"installed, but does not run for user {uid}: {type(error).__name__}"
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return "" if tried.returncode == 0 else f"installed, but does not run for user {uid}: {(said or ['?'])[-1][:200]}"
