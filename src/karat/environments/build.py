"""Building an environment: resolve, lock, install with the hashes checked, and only then give it its name."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from karat.core.problems import UserError
from karat.environments.folders import (
    Built,
    built_in,
    folder_of,
    give_name,
    platform_tag,
    size_of,
    staging,
)
from karat.environments.installers import compile_files, installer, source_of
from karat.environments.interpreter import locked_here
from karat.environments.lock_file import write_locked
from karat.environments.pythons import short_version
from karat.environments.records import Environment, Locked


class Result(msgspec.Struct, frozen=True):
    """What a build did."""

    name: str
    folder: Path
    built: Built
    new: bool
    """False where it was there already."""


def build(name: str, environment: Environment, *, offline: bool = False) -> Result:
    """The environment, made now unless it is there. UserError when it cannot be made: then nothing is left of it."""
    if environment.path:
        raise UserError(f'the environment "{name}" names a path and is used as it is: there is nothing to build')
    with _named(name):
        source = source_of(environment, offline=offline)
    locked = locked_here(name, environment)
    if locked is not None and (note := built_in(folder_of(locked))) is not None:
        return Result(name, folder_of(locked), note, new=False)
    with staging() as folder, _named(name):
        tool = installer()
        tool.make(folder, environment.python)
        if locked is None:
            packages = tool.resolve(folder, environment.packages, source)
            locked = Locked(short_version(environment.python), platform_tag(), environment.asked(), packages)
        before = built_in(folder_of(locked))
        if before is None:
            tool.install(folder, locked, source)
            _only_python(folder / "bin")
            compile_files(folder, folder_of(locked))
            moment = datetime.now(UTC).isoformat(timespec="seconds")
            give_name(folder, Built(name, locked, moment, tool.name, size_of(folder)))
    write_locked(name, environment, locked)
    note = built_in(folder_of(locked))
    if note is None:
        raise UserError(f'the environment "{name}" was removed while it was being built')
    return Result(name, folder_of(locked), note, new=before is None)


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    """What goes wrong says which environment it was: several may be built by one command."""
    try:
        yield
    except UserError as error:
        raise UserError(
            f'the environment "{name}": {error.message}', hint=error.hint, problems=error.problems
        ) from error


def _only_python(folder: Path) -> None:
    """Programs of packages name the folder they were installed in, which gets another name; nobody runs them here."""
    for place in folder.iterdir():
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        elif not place.name.startswith("python"):
            place.unlink()
