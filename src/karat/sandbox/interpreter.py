"""The Python that runs the snippets: where its files lie, and whether it has pandas."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import msgspec

from karat.core.extras import install_command
from karat.core.problems import UserError

_ASK = """
import json, sys, importlib.util as u
print(json.dumps({"version": list(sys.version_info[:2]), "prefixes": [sys.prefix, sys.base_prefix, sys.exec_prefix,
sys.base_exec_prefix], "path": [p for p in sys.path if p], "executable": sys.executable,
"pandas": u.find_spec("pandas") is not None}))
"""
SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/mime.types",
)
"""What every interpreter may need: shared libraries, time zones, the kinds of files."""
SHARED_PREFIXES = ("/", "/usr", "/usr/local")
"""Prefixes that hold much more than Python; of these only the libraries above are shown."""


class Interpreter(msgspec.Struct, frozen=True):
    """One Python: its command, and the folders and files that it must be able to read."""

    command: str
    version: tuple[int, int]
    readable: tuple[str, ...]


class _Answer(msgspec.Struct, frozen=True):
    version: tuple[int, int]
    prefixes: list[str]
    path: list[str]
    executable: str
    pandas: bool


@lru_cache(maxsize=8)
def interpreter(python: str = "") -> Interpreter:
    """The named Python, or the one that runs karat. It is asked itself, once."""
    command = python or sys.executable
    try:
        said = subprocess.run(  # noqa: S603 (the user names the interpreter)
            [command, "-s", "-c", _ASK], capture_output=True, env={}, cwd="/", timeout=60, check=True
        )
        answer = msgspec.json.decode(said.stdout, type=_Answer)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        raise UserError(f"sandbox.python: {command} is not a working Python ({type(error).__name__})") from error
    if answer.version < (3, 9):
        raise UserError(
            f"sandbox.python: {command} is Python {'.'.join(map(str, answer.version))}; 3.9 or newer is needed"
        )
    if not answer.pandas:
        hint = (
            f"Install it: {install_command('codegen')}"
            if not python
            else f"Install it: {command} -m pip install pandas."
        )
        raise UserError(f"the Python of the sandbox has no pandas: {command}", hint=hint)
    return Interpreter(command, answer.version, _readable(command, answer))


def _readable(command: str, answer: _Answer) -> tuple[str, ...]:
    """Prefixes and packages, not whatever else is on the path: an editable install points into the project."""
    own = [prefix for prefix in answer.prefixes if prefix not in SHARED_PREFIXES]
    found = ["/nix/store" if prefix.startswith("/nix/store/") else prefix for prefix in own]
    found += [place for place in answer.path if Path(place).name in ("site-packages", "dist-packages")]
    found += _links(command)
    existing = [place for place in dict.fromkeys([*SYSTEM, *found]) if Path(place).exists()]
    return tuple(place for place in existing if not _is_inside(place, existing))


def _links(command: str) -> list[str]:
    """The executable and every link on the way to it."""
    places: list[str] = []
    place = Path(command).absolute()
    while place.is_symlink() and len(places) < 20:
        places.append(str(place))
        place = place.parent / place.readlink()
    return [*places, str(place)]


def _is_inside(place: str, others: list[str]) -> bool:
    return any(
        place != other and Path(place).is_relative_to(other) and not Path(other).is_symlink() for other in others
    )
