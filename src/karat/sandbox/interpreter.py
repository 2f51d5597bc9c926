"""The Python that runs the snippets: where its files lie, and which packages it has."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from karat.core.installed.extras import install_command
from karat.core.problems import UserError

_ASK = """
import json, os, sys, site
here = os.path.dirname(os.path.abspath(sys.executable))
own = [p for p in (os.path.dirname(here), here) if os.path.isfile(os.path.join(p, "pyvenv.cfg"))][:1]
prefixes = own + [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
try:
    shared = not own or "true" in [line.partition("=")[2].strip().lower() for line in open(os.path.join(own[0],
        "pyvenv.cfg")) if line.partition("=")[0].strip() == "include-system-site-packages"]
except OSError:
    shared = True
sys.prefix = prefixes[0]
packages = site.getsitepackages(own + (prefixes[1:] if shared else []))
print(json.dumps({"version": list(sys.version_info[:3]), "prefixes": prefixes, "packages": packages,
    "executable": sys.executable}))
"""
"""Asked with -S: what packages put into the start of a Python (.pth files, sitecustomize) runs in the sandbox alone."""
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
    version: tuple[int, int, int]
    readable: tuple[str, ...]
    packages: tuple[str, ...] = ()
    """The folders that hold its packages."""

    def distributions(self) -> dict[str, str]:
        """The installed packages and their versions, as their files say. Nothing of theirs runs."""
        found: dict[str, str] = {}
        for one in importlib.metadata.distributions(path=list(self.packages)):
            name = one.metadata["Name"]
            if name:
                found.setdefault(re.sub(r"[-_.]+", "-", str(name)).lower(), one.version)
        return dict(sorted(found.items()))

    def has(self, module: str) -> bool:
        """Whether a module or package of that name lies in one of the folders."""
        places = [Path(folder, name) for folder in self.packages for name in (module, f"{module}.py")]
        return any(place.exists() for place in places)


class _Answer(msgspec.Struct, frozen=True):
    version: tuple[int, int, int]
    prefixes: list[str]
    packages: list[str]
    executable: str


@lru_cache(maxsize=8)
def interpreter(python: str = "") -> Interpreter:
    """The named Python, or the one that runs karat. It is asked itself, once."""
    command = _without_dots(python or sys.executable)
    try:
        said = subprocess.run(  # noqa: S603 (the user names the interpreter)
            [command, "-s", "-S", "-c", _ASK], capture_output=True, env={}, cwd="/", timeout=60, check=True
        )
        answer = msgspec.json.decode(said.stdout, type=_Answer)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        raise UserError(f"sandbox.python: {command} is not a working Python ({type(error).__name__})") from error
    if answer.version < (3, 9, 0):
        raise UserError(
            f"sandbox.python: {command} is Python {'.'.join(map(str, answer.version))}; 3.9 or newer is needed"
        )
    packages = tuple(_packages(answer))
    made = Interpreter(command, answer.version, _readable(command, answer, packages), packages)
    if not python and not made.has("pandas"):
        raise UserError(
            f"the Python of the sandbox has no pandas: {command}", hint=f"Install it: {install_command('codegen')}"
        )
    return made


def _without_dots(command: str) -> str:
    """The same program under a path without ``..``: the folder before the dots does not exist in the sandbox. The last
    part stays a link, which says whose packages it has."""
    place = Path(command)
    return str(place.parent.resolve() / place.name) if ".." in place.parts else command


def _packages(answer: _Answer) -> list[str]:
    """The folders of packages, and those that a .pth file in them adds. Its other lines, which run, are not looked
    at."""
    found = [place for place in answer.packages if Path(place).is_dir()]
    for place in list(found):
        for file in sorted(Path(place).glob("*.pth")):
            try:
                lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                continue
            added = [
                Path(place, line.strip()) for line in lines if line.strip() and not line.startswith(("import", "#"))
            ]
            found += [str(one) for one in added if one.name in ("site-packages", "dist-packages") and one.is_dir()]
    return list(dict.fromkeys(found))


def _readable(command: str, answer: _Answer, packages: Sequence[str]) -> tuple[str, ...]:
    """Prefixes and packages, not whatever else is on the path: an editable install points into the project."""
    own = [prefix for prefix in answer.prefixes if prefix not in SHARED_PREFIXES]
    found = ["/nix/store" if prefix.startswith("/nix/store/") else prefix for prefix in own]
    found += packages
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
