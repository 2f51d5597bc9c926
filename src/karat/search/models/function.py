"""``python:module:function``: any function from texts to vectors, found in the current folder or beside ``karat.yaml``.

It is called with a list of texts and returns one vector for each: ``[[0.1, …], …]`` or an array. If it has a parameter
``role``, it gets ``"question"`` or ``"value"`` there. Its revision is its attribute ``revision`` where it has one, else
the hash of its file: after an edit its texts are embedded again.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from karat.core.callables import find_function
from karat.core.problems import UserError
from karat.search.models.info import ModelInfo
from karat.search.models.rows import checked_rows
from karat.search.records import Floats, Model, Role

PREFIX = "python:"
COST = 8.0


def info() -> ModelInfo:
    """What ``karat models`` says of it."""
    what = "your own function from a list of texts to a list of vectors"
    return ModelInfo(f"{PREFIX}MODULE:FUNCTION", what, True, "", None, COST)


def model(name: str) -> Model:
    """The model behind ``python:module:function``; UserError when there is no such function."""
    return Model(name, revision_of(_function(name)), embed=Embedding(name), cost=COST)


@dataclass(frozen=True)
class Embedding:
    """Texts to rows with one function, which is looked up by name so that this can go to another process."""

    name: str

    def __call__(self, texts: Sequence[str], role: Role) -> Floats:
        function = _function(self.name)
        more = {"role": role} if _takes_role(function) else {}
        try:
            found = function(list(texts), **more)
        except UserError:
            raise
        except Exception as error:
            place = place_of(error)
            raise UserError(
                f'the model "{self.name}" failed{place}: {type(error).__name__}: {error}',
                hint="Everything embedded so far is in the cache.",
            ) from error
        return checked_rows(found, texts, self.name)


def _takes_role(function: Callable[..., object]) -> bool:
    try:
        return "role" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def place_of(error: Exception) -> str:
    """`` at file:line``, where the function itself raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else ""


@cache
def _function(name: str) -> Callable[..., object]:
    try:
        return find_function(name.removeprefix(PREFIX), example="my_models:embed")
    except UserError as error:
        raise UserError(f'the model "{name}": {error.message}', hint=error.hint) from error.__cause__


def revision_of(function: Callable[..., object]) -> str:
    """The attribute ``revision`` of a function, else the hash of its file."""
    own = getattr(function, "revision", None)
    if own is not None:
        return str(own)
    file = getattr(sys.modules.get(getattr(function, "__module__", "")), "__file__", None)
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16] if file else "no file"
    except OSError:
        return "no file"
