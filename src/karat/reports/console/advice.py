"""What to type next. Every command here works as it is printed, in the folder where the run was made."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import msgspec

from karat.core.report import visible
from karat.core.results.result import RunResult


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
    return typed(["karat", "show", *([*options, "--", case] if case.startswith("-") else [case, *options])])


def retry_command(result: RunResult, origin: Origin) -> str:
    """How to ask again what failed; empty where asking again gives the same: recorded answers, answers that cannot be
    read."""
    if not result.run.id or origin.recorded or not origin.failed_calls:
        return ""
    return typed(["karat", "run", "--resume", result.run.id, "--retry-errors", *origin.flags])


def typed(words: Sequence[str]) -> str:
    """A command as a shell takes it."""
    return shlex.join(words)
