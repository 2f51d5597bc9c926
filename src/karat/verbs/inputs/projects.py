"""The project file and the store that a verb works with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.files.project_folder import find_project
from karat.core.problems import UserError
from karat.runs.project_file.store_address import DEFAULT_STORE, STORE_RETRY, store_url

if TYPE_CHECKING:
    from karat.environments import Environment
    from karat.runs.project_file.project import Project
    from karat.store.store import Store


def project_here(config: str | Path | None) -> Project | None:
    """The project file that was named, or the one of this folder; None when there is none."""
    if config is not None and not Path(config).is_file():
        raise UserError(f"there is no project file {config}", hint="karat init starts a project.")
    found = Path(config) if config is not None else find_project()
    if not found:
        return None
    from karat.core.callables import also_find_in
    from karat.runs.project_file.project import load_project

    also_find_in(found.parent)
    return load_project(found)


def environments_here() -> dict[str, Environment]:
    """The environments of the project of this folder; UserError where it has mistakes: what they hide may decide which
    Python scores the answers."""
    project = project_here(None)
    return {} if project is None else project.environments


def store_here(store: str | Path | None, config: str | Path | None = None) -> str:
    """The URL of the store that was named, or the project's, or the default one of this folder."""
    if store:
        return store_url(str(store), Path.cwd())
    project = project_here(config)
    return project.store if project else store_url(DEFAULT_STORE, Path.cwd())


def open_store_here(
    store: str | Path | None = None, config: str | Path | None = None, *, create: bool = False, read_only: bool = False
) -> Store:
    """The same store, opened. Where it cannot be reached later, it is tried again for as long as the project says."""
    from karat.store import open_store

    project = None if store else project_here(config)
    opened = open_store(store_here(store, config), create=create, read_only=read_only)
    opened.patience.seconds = project.run.store_retry if project else STORE_RETRY
    return opened
