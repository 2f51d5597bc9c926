"""The verdict on a case in one word, from its state, the figure that says right or wrong, and its explanation."""

from __future__ import annotations

from typing import Literal

import msgspec

Word = Literal["right", "partly", "wrong", "review", "error", "missing", "left_out"]

_SHOWN: dict[Word, tuple[str, str, str]] = {
    "right": ("is-right", "✓", "Right"),
    "partly": ("is-wrong", "✗", "Partly right"),
    "wrong": ("is-wrong", "✗", "Wrong"),
    "review": ("is-error", "?", "Needs review"),
    "error": ("is-error", "!", "Error"),
    "missing": ("is-error", "!", "No answer"),
    "left_out": ("is-error", "–", "Left out"),
}
_MARKS: dict[Word, str] = {"right": "r", "partly": "w", "wrong": "w"}


class Verdict(msgspec.Struct, frozen=True):
    """A verdict as pages show it."""

    word: Word

    @property
    def look(self) -> str:
        """The class of the box at the top of a case."""
        return _SHOWN[self.word][0]

    @property
    def sign(self) -> str:
        """One character."""
        return _SHOWN[self.word][1]

    @property
    def said(self) -> str:
        """The word at the start of a sentence."""
        return _SHOWN[self.word][2]

    @property
    def mark(self) -> str:
        """The class in a strip of runs: right, wrong or neither."""
        return _MARKS.get(self.word, "e")


def verdict_of(status: str, value: float | None, outcome: str = "", *, rate: bool = True) -> Verdict:
    """``value``: the main figure of the case; ``rate``: it is one that says right or wrong; ``outcome``: of the
    explanation, where it is known."""
    if status == "error":
        return Verdict("error")
    if status == "missing":
        return Verdict("missing")
    if status == "not_applicable" or outcome == "not_applicable":
        return Verdict("left_out")
    if outcome == "needs_review" and value != 1:
        return Verdict("review")
    if rate and value is not None:
        return Verdict("right" if value >= 1 else "wrong" if value <= 0 else "partly")
    if outcome in ("right", "wrong"):
        return Verdict("right" if outcome == "right" else "wrong")
    if value is not None:
        return Verdict("right" if value >= 1 else "wrong" if value <= 0 else "partly")
    return Verdict("left_out")
