"""Tasks and their results as bytes, between processes that trust each other: a pickle can run any code."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any  # Any: work and what it gives travel pickled


class Garbled(Exception):
    """What came back is not an answer."""


def task(work: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """A call of a function that can be imported on the other side."""
    return pickle.dumps((work, args, kwargs), protocol=5)


def answer(call: bytes) -> bytes:
    """Make the call, and give what came of it, a value or an error."""
    try:
        work, args, kwargs = pickle.loads(call)  # noqa: S301 (from our own caller)
        value: tuple[bool, Any] = True, work(*args, **kwargs)
    except Exception as error:
        value = False, error
    try:
        packed = pickle.dumps(value, protocol=5)
        if not value[0]:
            pickle.loads(packed)  # noqa: S301 (made here: some errors can be packed and then not unpacked)
    except Exception as error:  # an error or a result that cannot travel
        return pickle.dumps((False, RuntimeError(f"{type(value[1]).__name__}: {value[1]} ({error})")))
    return packed


def value_of(reply: bytes) -> Any:
    """What came of a call; its error is raised. Raises :class:`Garbled` when it is not an answer."""
    try:
        done, value = pickle.loads(reply)  # noqa: S301 (from our own worker)
    except Exception as error:
        raise Garbled(f"it cannot be read ({type(error).__name__}: {error})") from error
    if not done:
        raise value
    return value
