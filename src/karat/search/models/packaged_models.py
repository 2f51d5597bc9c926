"""Packages that only carry a model's files: found without importing them, for their own loaders want a network or
torch."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from karat.core.problems import UserError


def installed(package: str) -> bool:
    """Whether a top-level package is there; it is not imported."""
    return find_spec(package) is not None


@cache
def package_folder(package: str, model: str, install: str) -> Path:
    """Where the package lies; UserError with what to install when it is not there."""
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise UserError(
            f'the model "{model}" needs the package "{package}", which is not installed', hint=f"Install it: {install}"
        )
    return Path(folders[0])


def package_version(distribution: str) -> str:
    """The installed version; ``0`` for a package without metadata, such as a copied folder."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "0"
