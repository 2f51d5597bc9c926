"""An environment as a project names it, and as it was resolved: every package with its version and hashes."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

LOCK = "karat-env.lock"
IDLE = 60.0

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PYTHON = re.compile(r"\d+\.\d+(\.\d+)?")
_VERSION = r"(?:===?|[<>~!]=|[<>])\s*+[A-Za-z0-9.*+!_-]++"
# Nothing that was taken is given back (``++``), so that no text takes long.
_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9]++(?:[._-]++[A-Za-z0-9]++)*+)\s*+(?:\[[A-Za-z0-9._,\s-]++\])?+\s*+"
    rf"(?:\(?+\s*+{_VERSION}(?:\s*+,\s*+{_VERSION})*+\s*+\)?+)?+\s*+(?:;[^\n\r]++)?+"
)


class Environment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry of ``environments``: packages to install, or the path of an environment that is used as it is."""

    packages: tuple[str, ...] = ()
    """Requirements as pip takes them: ``pandas==1.5.3``, ``polars>=1``."""
    python: str = ""
    """The version of Python, ``"3.11"``, or the path of one; Karat's own when left out."""
    wheels: str = ""
    """A folder of wheels: looked into first, and the only source with ``--offline``."""
    lock: str = ""
    """The file that holds the resolved packages; ``karat-env.lock`` beside karat.yaml when left out."""
    path: str = ""
    """An environment that exists: its folder, or its Python. It is used as it is."""
    idle: float = IDLE
    """Seconds without a task after which its server is stopped."""

    def __post_init__(self) -> None:
        if self.path and (self.packages or self.python or self.wheels or self.lock):
            raise ValueError('"path" is used as it is: leave out packages, python, wheels and lock')
        if not self.path and not self.packages:
            raise ValueError("an environment needs packages, or the path of one that exists")
        for one in self.packages:
            if not _REQUIREMENT.fullmatch(one.strip()):
                raise ValueError(
                    f'"{one[:80]}" is not a requirement such as pandas==1.5.3; URLs and options are refused'
                )
        if self.python and not _PYTHON.fullmatch(self.python) and "/" not in self.python:
            raise ValueError(f'python must be a version such as "3.11", in quotes, or a path; found {self.python[:80]}')
        if not self.idle > 0:
            raise ValueError("idle (seconds) must be above 0")

    def placed(self, root: Path) -> Environment:
        """The same with its paths made absolute, relative to the project; the lock file filled in."""
        lock = "" if self.path else _placed(self.lock or LOCK, root)
        python = _placed(self.python, root) if "/" in self.python else self.python
        wheels, path = _placed(self.wheels, root), _placed(self.path, root)
        return msgspec.structs.replace(self, lock=lock, python=python, wheels=wheels, path=path)

    def asked(self) -> tuple[str, ...]:
        """The packages as asked for, in one spelling and order."""
        return tuple(sorted(" ".join(one.split()).lower() for one in self.packages))


def _placed(place: str, root: Path) -> str:
    """No link is followed: the Python of a venv is one, and says by its place which venv it belongs to."""
    if not place:
        return ""
    found = Path(place).expanduser()
    return str(found if found.is_absolute() else Path(_normal(root / found)))


def _normal(path: Path) -> str:
    import os.path

    return os.path.normpath(path)


def wrong_name(name: str) -> str:
    """Why an environment cannot have this name; empty when it can."""
    return "" if _NAME.fullmatch(name) else "letters, digits, dots, dashes and underscores, at most 64"


def plain_name(name: str) -> str:
    """A package's name as an index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required_name(requirement: str) -> str:
    """The package that a requirement is about."""
    found = _REQUIREMENT.fullmatch(requirement.strip())
    return plain_name(found["name"]) if found else ""


class LockedPackage(msgspec.Struct, frozen=True):
    """One package, and the hashes of the files that are taken for it."""

    name: str
    version: str
    hashes: tuple[str, ...]


class Locked(msgspec.Struct, frozen=True):
    """What an environment was resolved to, for one Python on one platform."""

    python: str
    """``3.11``."""
    platform: str
    asked: tuple[str, ...]
    packages: tuple[LockedPackage, ...]

    def version_of(self, package: str) -> str:
        """The version of a package; empty when it is not in it."""
        wanted = plain_name(package)
        return next((one.version for one in self.packages if plain_name(one.name) == wanted), "")
