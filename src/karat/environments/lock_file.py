"""The lock file: for each environment, and each Python and platform it was resolved on, all packages with their hashes.

A file of pip's own form (``name==version --hash=sha256:…``, as pip-compile and ``uv pip compile`` write it) is read
too, and then never written over.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from karat.core.files.atomic import write_bytes
from karat.core.problems import Problem, UserError
from karat.environments.records import Environment, Locked, LockedPackage, plain_name

VERSION = 1
_PINNED = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(\[[^\]]*\])?\s*==\s*(?P<version>[A-Za-z0-9.+!_-]+)(?P<rest>.*)"
)
_HASH = re.compile(r"--hash=(sha(?:256|384|512):[0-9a-f]{64,128})")


class LockFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as a whole."""

    karat_env_lock: int = VERSION
    environments: dict[str, tuple[Locked, ...]] = {}


def locked_in(name: str, environment: Environment, python: str, platform: str) -> Locked | None:
    """What the environment was resolved to here; None when it was not, or asks for something else by now."""
    file = Path(environment.lock)
    data = _data(file)
    if data is None:
        return None
    if _is_pip_form(data):
        return Locked(python, platform, environment.asked(), parsed(data.decode("utf-8", "replace"), str(file)))
    for one in _decoded(data, file).environments.get(name, ()):
        if (one.python, one.platform, one.asked) == (python, platform, environment.asked()):
            return one
    return None


def write_locked(name: str, environment: Environment, locked: Locked) -> None:
    """Put it into the file; entries of other environments, Pythons and platforms stay."""
    file = Path(environment.lock)
    data = _data(file)
    if data is not None and _is_pip_form(data):
        return
    before = LockFile() if data is None else _decoded(data, file)
    others = [
        one
        for one in before.environments.get(name, ())
        if (one.python, one.platform) != (locked.python, locked.platform)
    ]
    entries = tuple(sorted((*others, locked), key=lambda one: (one.python, one.platform)))
    environments = dict(sorted({**before.environments, name: entries}.items()))
    text = msgspec.json.format(msgspec.json.encode(LockFile(VERSION, environments)), indent=2)
    write_bytes(file, text + b"\n")


def _data(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror or error}") from error


def _is_pip_form(data: bytes) -> bool:
    return not data.lstrip().startswith(b"{")


def _decoded(data: bytes, file: Path) -> LockFile:
    try:
        found = msgspec.json.decode(data, type=LockFile)
    except msgspec.DecodeError as error:
        raise UserError(f"{file} is not a lock file of environments: {error}", hint=_HINT) from error
    if found.karat_env_lock != VERSION:
        raise UserError(f"{file} was written by another version of Karat (form {found.karat_env_lock})", hint=_HINT)
    return found


_HINT = "Remove the file, and build the environments again: karat env build."


def parsed(text: str, file: str) -> tuple[LockedPackage, ...]:
    """The packages of a requirements file in which each is pinned and has hashes."""
    found: list[LockedPackage] = []
    problems: list[Problem] = []
    number, entry = 0, ""
    for line_number, line in enumerate(text.splitlines(), start=1):
        number = number if entry else line_number
        bare = re.sub(r"(^|\s)#.*$", "", line).strip()
        entry = f"{entry} {bare.removesuffix(chr(92)).strip()}".strip()
        if bare.endswith("\\") or not entry:
            continue
        pinned = _PINNED.fullmatch(entry.partition(";")[0].strip() + " " + " ".join(_hashes(entry)))
        hashes = tuple(_HASH.findall(entry))
        if pinned is None or not hashes:
            problems.append(Problem("expected NAME==VERSION --hash=sha256:…", file=file, line=number))
        else:
            found.append(LockedPackage(plain_name(pinned["name"]), pinned["version"], hashes))
        entry = ""
    if problems:
        raise UserError(f"{file} is not a lock: each package needs a version and a hash", problems=problems)
    return tuple(sorted(found, key=lambda one: one.name))


def _hashes(entry: str) -> list[str]:
    return [f"--hash={one}" for one in _HASH.findall(entry)]


def as_requirements(locked: Locked) -> str:
    """The packages in pip's form, for an installer that checks the hashes."""
    lines = [
        " ".join([f"{one.name}=={one.version}", *(f"--hash={value}" for value in one.hashes)])
        for one in locked.packages
    ]
    return "\n".join(lines) + "\n"
