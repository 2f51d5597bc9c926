"""A Python function by its name, ``module:callable``, found from the current directory on."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from karat.core.problems import UserError, did_you_mean, nearest


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


def _module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
        importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            close = nearest(name, [module.name for module in pkgutil.iter_modules([here])])
            hint = f'Did you mean "{close[0]}"?' if close else "It must be installed, or be in the current directory."
            raise UserError(f'there is no module "{name}"', hint=hint) from None
        raise UserError(f'the module "{name}" cannot be imported: {error}', hint="Install what it needs.") from error
    except (Exception, SystemExit) as error:
        raise UserError(f'the module "{name}" fails when it is imported: {type(error).__name__}: {error}') from error
