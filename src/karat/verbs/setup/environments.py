"""``karat env``: build, list and remove the Python environments that karat.yaml names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from karat.core.problems import UserError
from karat.environments import Environment
from karat.environments.build import Result, build
from karat.environments.folders import all_built, built_in, folder_of, remove
from karat.environments.interpreter import locked_here, named, python_in
from karat.verbs.inputs.projects import project_here

State = Literal["built", "not built", "path", "broken", "unused"]


class EnvironmentRow(msgspec.Struct, frozen=True):
    """One line of ``karat env list``."""

    name: str
    state: State
    python: str = ""
    packages: tuple[str, ...] = ()
    """``name==version`` of every package in it."""
    size: int = 0
    folder: str = ""
    note: str = ""
    """What to do, or what is wrong."""


def build_environments(
    name: str = "",
    *,
    offline: bool = False,
    config: str | Path | None = None,
    begins: Callable[[str], None] = lambda _: None,
) -> list[Result]:
    """Build one environment of the project, or all of them; those that are there already are left as they are."""
    known = _project_environments(config)
    chosen = {name: named(name, known)} if name else {one: found for one, found in known.items() if not found.path}
    if not chosen:
        raise UserError("every environment of this project names a path: there is nothing to build")
    made = []
    for one, environment in chosen.items():
        begins(one)
        made.append(build(one, environment, offline=offline))
    return made


def list_environments(config: str | Path | None = None) -> list[EnvironmentRow]:
    """The project's environments, and those of this user that the project does not name."""
    project = project_here(config)
    known = project.environments if project is not None else {}
    rows = [_row(name, environment) for name, environment in known.items()]
    used = {row.folder for row in rows}
    for folder, note in all_built():
        if str(folder) not in used:
            packages = tuple(f"{one.name}=={one.version}" for one in note.locked.packages)
            words = f"built {note.built} as {note.name}; remove it with: karat env remove {folder.name}"
            rows.append(
                EnvironmentRow(folder.name, "unused", note.locked.python, packages, note.size, str(folder), words)
            )
    return rows


def remove_environment(name: str, config: str | Path | None = None) -> Path:
    """Remove a built environment: by its name in the project, or by the name of its folder. The lock file stays."""
    project = project_here(config)
    known = project.environments if project is not None else {}
    environment = known.get(name)
    if environment is not None:
        if environment.path:
            raise UserError(
                f'the environment "{name}" is {environment.path}; Karat did not make it and leaves it alone'
            )
        locked = locked_here(name, environment)
        folder = None if locked is None else folder_of(locked)
    else:
        folder = next((place for place, _ in all_built() if place.name == name), None)
        if folder is None:
            named(name, known)
    if folder is None or built_in(folder) is None:
        raise UserError(f'the environment "{name}" is not built: there is nothing to remove')
    remove(folder)
    return folder


def _project_environments(config: str | Path | None) -> dict[str, Environment]:
    project = project_here(config)
    if project is None:
        raise UserError("there is no karat.yaml here", hint="karat init starts a project.")
    if not project.environments:
        hint = "For example: environments: {pandas15: {packages: [pandas==1.5.3, numpy==1.26.4]}}"
        raise UserError('this project names no environments under "environments:"', hint=hint)
    return project.environments


def _row(name: str, environment: Environment) -> EnvironmentRow:
    try:
        if environment.path:
            python_in(name, environment)
            return EnvironmentRow(name, "path", folder=environment.path)
        locked = locked_here(name, environment)
    except UserError as error:
        return EnvironmentRow(name, "broken", folder=environment.path, note=error.message)
    note = None if locked is None else built_in(folder_of(locked))
    if locked is None or note is None:
        return EnvironmentRow(name, "not built", environment.python, note=f"karat env build {name}")
    packages = tuple(f"{one.name}=={one.version}" for one in locked.packages)
    return EnvironmentRow(name, "built", locked.python, packages, note.size, str(folder_of(locked)))
