"""A choice that the file does not settle: asked on a terminal, an error with the candidates elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import UserError


class Unclear(UserError):
    """Which of several is meant. ``what`` is what is to be chosen: a field, or ``sheet``."""

    def __init__(self, what: str, message: str, candidates: Sequence[str], *, optional: bool = False) -> None:
        self.what, self.candidates, self.optional = what, list(candidates), optional
        option = "--sheet NAME" if what == "sheet" else f"--map {what}=COLUMN"
        known = ", ".join(candidates) or "none"
        hint = f"Choose one with {option}. Candidates: {known}."
        super().__init__(message, hint=hint)
