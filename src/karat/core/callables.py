"""A Python function by its name, ``module:callable``: in the current folder, beside the project file, or installed."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from karat.core.problems import UserError, did_you_mean, nearest

_WHERE = "It must be in the current folder, beside karat.yaml, or installed."
_BESIDE: list[str] = []
"""The folders of the project files that were read, newest first."""


def also_find_in(folder: Path) -> None:
    """Find modules in this folder as well: beside ``karat.yaml``, when Karat runs in another folder."""
    path = str(folder.absolute())
    if path in _BESIDE:
        _BESIDE.remove(path)
    _BESIDE.insert(0, path)


def find_function(text: str, *, example: str = "my_bot:answer") -> Callable[..., object]:
    """The callable behind ``module:callable``; UserError with the nearest names when there is none."""
    module_name, colon, name = text.partition(":")
    if not (colon and module_name and name):
        raise UserError(f'"{text}" does not name a function', hint=f'Write "module:callable", such as "{example}".')
    found: object = _module(module_name)
    for part in name.split("."):
        if not hasattr(found, part):
            names = [key for key in dir(found) if not key.startswith("_") and callable(getattr(found, key, None))]
            raise UserError(f'there is no "{part}" in "{module_name}"', hint=did_you_mean(part, names))
        found = getattr(found, part)
    if not callable(found):
        raise UserError(f'"{text}" is of type {type(found).__name__}, not a function')
    return found


def _from_source(name: str) -> ModuleType:
    """The module, without leaving compiled files: Python takes these for current when a file is changed within a second
    to another text of the same length, and an edited function would give the figures of the old one."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return importlib.import_module(name)
    finally:
        sys.dont_write_bytecode = before


def _module(name: str) -> ModuleType:
    folders = list(dict.fromkeys((str(Path.cwd()), *_BESIDE)))
    for folder in folders:
        if folder not in sys.path:
            sys.path.insert(0, folder)
            importlib.invalidate_caches()
        try:
            return _from_source(name)
        except ModuleNotFoundError as error:
            if not (error.name and (name == error.name or name.startswith(f"{error.name}."))):
                why = f'the module "{name}" cannot be imported: {error}'
                raise UserError(why, hint="Install what it needs.") from error
        except (Exception, SystemExit) as error:
            raise UserError(
                f'the module "{name}" fails when it is imported: {type(error).__name__}: {error}'
            ) from error
    close = nearest(name, [module.name for module in pkgutil.iter_modules(folders)])
    hint = f'Did you mean "{close[0]}"?' if close else _WHERE
    raise UserError(f'there is no module "{name}"', hint=hint)
