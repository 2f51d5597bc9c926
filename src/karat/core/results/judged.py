"""What a judge says of a run, whether it counts, and the rates corrected by what people found; see ``karat.judge``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.results.estimate import Estimate


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


class JudgeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How a version of a judge came out against people, when it was last calibrated."""

    created: str
    reviewed: int
    """Drawn at random and reviewed, over all runs that were taken."""
    agreement: Estimate
    base_rate: float | None
    """The share that people call right."""
    constant: float | None
    """The agreement of a judge that always says the same."""
    kappa: Estimate
    sensitivity: Estimate
    specificity: Estimate
    people: Estimate
    """People's own agreement: Krippendorff's alpha over the cases that two or more have seen."""
    consistency: float | None = None
    """The share of answers with the same verdict each time."""
    order_changed: float | None = None
    """The share of verdicts that changed when the expected and the given answer were swapped."""
    length_effect: Estimate | None = None
    """How much more it called right after two neutral sentences were appended."""
    attacks: int | None = None
    attacks_passed: int | None = None


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
    calibration: JudgeFigures | None = None
    """None: it was never held against people."""
    doubts: tuple[Doubt, ...] = ()
    corrected: tuple[CorrectedFigure, ...] = ()

    def figure(self, metric: str) -> CorrectedFigure | None:
        """The corrected rate of one metric."""
        return next((one for one in self.corrected if one.metric == metric), None)


class JudgeChange(msgspec.Struct, frozen=True):
    """A case of which a judge says something else in another run."""

    case: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"judge: {self.before.replace('_', ' ')} → {self.after.replace('_', ' ')}"


class JudgeChanges(msgspec.Struct, frozen=True):
    """What one version of a judge says of the same cases in two runs. It is a list, and no claim."""

    version: str
    both: int
    """Cases that it was asked about in both runs."""
    changes: tuple[JudgeChange, ...]


def verdict_words(found: JudgeSummary) -> Sequence[str]:
    """``12 right``, ``3 wrong``, ``2 abstained``."""
    counts = (("right", found.right), ("wrong", found.wrong), ("abstained", found.abstained))
    return [f"{count:,} {name}" for name, count in counts if count]
