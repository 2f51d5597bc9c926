"""The database drivers, which are optional packages: imported when needed, with a word on how to get them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from karat.core.installed.extras import install_command
from karat.core.problems import UserError


def driver(module: str, extra: str) -> ModuleType:
    """A driver's module. Missing: a usage error, with the command that fixes it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        if not module.startswith(missing.partition(".")[0]):
            raise
        raise UserError(
            f'this engine needs the package behind "{missing}", which is not installed',
            hint=f"Install it: {install_command(extra)}",
        ) from None
