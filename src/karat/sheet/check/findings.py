"""A list of problems with a limit: nobody reads hundreds of them, and searching for near names takes time."""

from __future__ import annotations

from collections.abc import Iterable

from karat.core.problems import Problem, Severity, did_you_mean
from karat.sheet.text.tree import At

MOST_PROBLEMS = 100


class Findings:
    """What is wrong in one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    @property
    def full(self) -> bool:
        return len(self.problems) >= MOST_PROBLEMS

    def add(
        self,
        at: At,
        message: str,
        hint: str = "",
        *,
        unknown: str = "",
        known: Iterable[str] = (),
        severity: Severity = "error",
    ) -> None:
        """One more. Without a hint, the known name nearest to an unknown one is the hint."""
        if self.full:
            return
        hint = hint or (did_you_mean(unknown, known) if unknown else "")
        self.problems.append(
            Problem(
                message, file=self.file, line=at.line, column=at.column, width=at.width, hint=hint, severity=severity
            )
        )
