"""pandas and numpy where the environment has them, else stand-ins.

A stand-in has every name, and each is a class that nothing is an instance of: code that asks whether a value is a
``pandas.DataFrame`` gets the right answer without asking first whether there is a pandas.
"""

from __future__ import annotations

import importlib
import types
from typing import TYPE_CHECKING


class _Nothing(type):
    """A class without instances; whatever is asked of it is another one."""

    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(name, (), {})


class _Absent(types.ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _Nothing(name, (), {})
        setattr(self, name, found)  # the same class every time
        return found


def _library(name: str) -> types.ModuleType:
    """A package that fails to start is one that is not there: the snippet that imports it shows why."""
    try:
        return importlib.import_module(name)
    except Exception:
        return _Absent(name)


def is_there(module: types.ModuleType) -> bool:
    return not isinstance(module, _Absent)


if TYPE_CHECKING:
    import numpy
    import pandas
else:
    numpy = _library("numpy")
    pandas = _library("pandas")

__all__ = ["is_there", "numpy", "pandas"]
