"""What goes wrong inside a match, and the verdict it becomes: a match that raises scores 0 and keeps the reason."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from karat.suites.answers.records import Verdict, wrong

LARGEST_FILE = 2 * 1024**3
"""Bytes of the largest file that is read. A larger one would take the memory of everything else."""

P = ParamSpec("P")


class UnreadablePrediction(Exception):
    """A submitted file that cannot be read as what it should be. Its text says why."""


class UnreadableGold(Exception):
    """The same of a gold file."""


def never_raising(match: Callable[P, Verdict]) -> Callable[P, Verdict]:
    """The same match, with every exception over what it reads turned into a verdict. Wrong arguments still raise."""

    @wraps(match)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        try:
            return match(*args, **kwargs)
        except UnreadablePrediction as problem:
            return wrong("unreadable_prediction", error=str(problem))
        except Exception as problem:
            return wrong("gold_error", error=said(problem))

    return guarded


def said(problem: BaseException) -> str:
    """An exception in one line, without the folders of this machine."""
    if isinstance(problem, (UnreadableGold, UnreadablePrediction)):
        return str(problem)
    if isinstance(problem, OSError) and problem.errno is not None:
        return f"{type(problem).__name__}: {os.strerror(problem.errno)}"
    first = str(problem).strip().splitlines() or [""]
    return f"{type(problem).__name__}: {first[0][:500]}".removesuffix(": ")


def check_size(path: str) -> int:
    """The bytes of a plain file. Raises OSError for anything that is not one, or is too large to read."""
    facts = Path(path).stat()
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "not a plain file")
    if facts.st_size > LARGEST_FILE:
        raise OSError(errno.EFBIG, "larger than 2 GiB")
    return facts.st_size


def unreadable(path: str, problem: BaseException) -> str:
    """Why this file cannot be read, in a sentence that names it."""
    name = Path(path).name
    if isinstance(problem, OSError) and problem.errno == errno.EFBIG:
        return f"{name}: larger than 2 GiB, the most that is read"
    return f"{name}: {said(problem).replace(path, name)}"
