"""Which Python of this machine has a wanted version."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from karat.core.problems import UserError

OLDEST = (3, 9)
_ASK = "import sys; print('%d.%d' % sys.version_info[:2])"


def own_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def short_version(wanted: str) -> str:
    """``3.11`` of ``3.11.4``; of a path, what the Python there says; Karat's own when nothing is wanted."""
    if not wanted:
        return own_version()
    if "/" in wanted:
        return _said(wanted)
    short = ".".join(wanted.split(".")[:2])
    if tuple(map(int, short.split("."))) < OLDEST:
        raise UserError(f"Python {wanted} is too old for the sandbox", hint="3.9 or newer is needed.")
    return short


def find_python(wanted: str) -> str:
    """The command of a Python with that version; empty when there is none here."""
    if "/" in wanted:
        return wanted
    short = short_version(wanted)
    own = getattr(sys, "_base_executable", "") or sys.executable
    if short == own_version() and Path(own).is_file():
        return str(own)
    for name in (f"python{short}", "python3", "python"):
        found = shutil.which(name)
        if found and _version_of(found) == short:
            return found
    return ""


def _said(command: str) -> str:
    version = _version_of(command)
    if not version:
        raise UserError(f"{command} is not a working Python")
    return short_version(version)


def _version_of(command: str) -> str:
    try:
        said = subprocess.run(  # noqa: S603 (a Python of this machine, or the one that the project names)
            [command, "-I", "-S", "-c", _ASK], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()
