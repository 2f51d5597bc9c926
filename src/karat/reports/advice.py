"""What to type next. Every command here works as it is printed, in the folder where the run was made."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import msgspec

from karat.core.report import visible
from karat.core.result import RunResult

FILE = "FILE"
"""Stands for a file that only the reader can name."""


class Origin(msgspec.Struct, frozen=True):
    """How a result came about, as far as what to type next depends on it."""

    cases: str = ""
    """The path of its cases."""
    recorded: str = ""
    """The file or folder of recorded answers; empty when a system was asked."""
    failed_calls: int = 0
    """Calls that gave no answer, which a live system may be asked again."""
    again: str = ""
    """The command that makes such a result again."""
    flags: tuple[str, ...] = ()
    """``--store`` or ``--config``, where the store is not that of the working folder."""


def show_command(result: RunResult, origin: Origin, case: str) -> str:
    """How to see one case; empty when its run is not stored."""
    if not result.run.id or visible(case) != case or not case.strip():
        return ""
    options = ["--run", result.run.id, *origin.flags]
    return _typed(["karat", "show", *([*options, "--", case] if case.startswith("-") else [case, *options])])


def retry_command(result: RunResult, origin: Origin) -> str:
    """How to ask again what failed; empty where asking again gives the same: recorded answers, answers that cannot be read."""
    if not result.run.id or origin.recorded or not origin.failed_calls:
        return ""
    return _typed(["karat", "run", "--resume", result.run.id, "--retry-errors", *origin.flags])


def fix_names_command(result: RunResult, origin: Origin) -> tuple[str, str]:
    """How to put the official names into the cases, and what the reader has to name for it; the latter is empty when nothing is."""
    given = result.run.options.get("structures")
    structures = [str(file) for file in given] if isinstance(given, list | tuple) else []
    words = ["karat", "check", *([origin.cases, "--suite", result.run.suite] if origin.cases else [])]
    for file in structures or [FILE]:
        words += ["--structure", file]
    needed = "" if structures else f"{FILE}: the SDMX structures, or a CSV with codelist,id,name"
    return _typed([*words, "--fix-names"]), needed


def _typed(words: Sequence[str]) -> str:
    return shlex.join(words)
