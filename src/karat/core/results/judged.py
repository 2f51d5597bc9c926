"""What a judge says of a run, whether it counts, and the rates corrected by what people found; see ``karat.judge``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class CorrectedFigure(msgspec.Struct, frozen=True):
    """One rate of a run, corrected. ``mean`` is None where nobody has reviewed a drawn case."""

    metric: str
    title: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    """The cases that the rate is over: settled by a rule, or put to the judge."""
    method: str
    """``ppi++``: people and judge. ``people``: people alone. ``undefined``."""
    why: str = ""
    """Why it is not people and judge."""
    people: float | None = None
    """What people say of the drawn cases alone."""
    people_low: float | None = None
    people_high: float | None = None


class Doubt(msgspec.Struct, frozen=True):
    """A case on which judge and people differ, with the judge's reason and the person's comment."""

    run: str
    case: str
    people: str
    judge: str
    reason: str = ""
    comment: str = ""


class JudgeSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run as its newest judge sees it."""

    version: str
    model: str = ""
    asked: int
    right: int
    wrong: int
    abstained: int
    reviewed: int
    """Of those asked about, drawn at random and reviewed by people."""
    cost: float | None = None
    tokens: int | None = None
    counts: bool
    misses: tuple[str, ...] = ()
    """Why the judge does not count: every demand that it misses."""
    calibrated: str = ""
    """When it was held against people; empty: never."""
    agreement: float | None = None
    kappa: float | None = None
    kappa_low: float | None = None
    kappa_high: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    doubts: tuple[Doubt, ...] = ()
    corrected: tuple[CorrectedFigure, ...] = ()

    def figure(self, metric: str) -> CorrectedFigure | None:
        """The corrected rate of one metric."""
        return next((one for one in self.corrected if one.metric == metric), None)


def verdict_words(found: JudgeSummary) -> Sequence[str]:
    """``12 right``, ``3 wrong``, ``2 abstained``."""
    counts = (("right", found.right), ("wrong", found.wrong), ("abstained", found.abstained))
    return [f"{count:,} {name}" for name, count in counts if count]
