"""Which interpreter an environment means. Nothing is built here: one that is missing is an error with the command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from karat.core.problems import UserError, did_you_mean
from karat.environments.folders import built_in, folder_of, platform_tag
from karat.environments.lock_file import locked_in
from karat.environments.pythons import short_version
from karat.environments.records import Environment, Locked


def python_of(name: str, environments: Mapping[str, Environment]) -> str:
    """The command of its Python."""
    return python_in(name, named(name, environments))


def named(name: str, environments: Mapping[str, Environment]) -> Environment:
    """The entry of that name; UserError with the nearest one."""
    found = environments.get(name)
    if found is None:
        hint = did_you_mean(name, environments) or 'Add it under "environments:" in karat.yaml.'
        raise UserError(f'there is no environment "{name}"', hint=hint)
    return found


def python_in(name: str, environment: Environment) -> str:
    """The same for one entry."""
    if environment.path:
        return _given(name, Path(environment.path))
    locked = locked_here(name, environment)
    if locked is None or built_in(folder_of(locked)) is None:
        raise UserError(f'the environment "{name}" is not built', hint=f"Build it: karat env build {name}")
    return str(folder_of(locked) / "bin" / "python")


def locked_here(name: str, environment: Environment) -> Locked | None:
    """What it was resolved to for its Python on this platform; None when it was not yet."""
    return locked_in(name, environment, short_version(environment.python), platform_tag())


def _given(name: str, path: Path) -> str:
    places = [path] if path.is_file() else [path / "bin" / "python", path / "bin" / "python3"]
    for place in places:
        if place.is_file():
            return str(place)
    raise UserError(
        f'the environment "{name}" names {path}, where there is no Python', hint="Expected bin/python in it."
    )
