"""What a judge says of a run, whether it counts, and the rates corrected by what people found; see ``karat.judge``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.results.estimate import Estimate


class CorrectedFigure(msgspec.Struct, frozen=True):
    """One rate of a run, corrected. ``mean`` is None where nobody has reviewed a drawn case."""

    metric: str
    """The metric's name."""
    title: str
    """The metric's title in reports."""
    mean: float | None
    """The corrected rate; None if nobody has reviewed a drawn case."""
    low: float | None
    """The lower end of its 95 % interval."""
    high: float | None
    """The upper end of its 95 % interval."""
    n: int
    """How many cases the rate covers: those settled by a rule and those that the judge was asked about."""
    method: str
    """``ppi++``: people and judge together. ``people``: people alone. ``undefined``."""
    why: str = ""
    """Why people and judge are not combined."""
    people: float | None = None
    """The rate that people give the drawn cases."""
    people_low: float | None = None
    """The lower end of its 95 % interval."""
    people_high: float | None = None
    """The upper end of its 95 % interval."""


class Doubt(msgspec.Struct, frozen=True):
    """A case on which judge and people differ, with the judge's reason and the person's comment."""

    run: str
    """The run's id."""
    case: str
    """The case's id."""
    people: str
    """What people say: ``right`` or ``wrong``."""
    judge: str
    """What the judge says: ``right``, ``wrong`` or ``cannot_tell``."""
    reason: str = ""
    """The judge's reason."""
    comment: str = ""
    """The person's comment."""


class JudgeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How a version of a judge came out against people, when it was last calibrated."""

    created: str
    """When the judge was calibrated: ISO 8601, UTC."""
    reviewed: int
    """How many answers were drawn at random and reviewed by people, over all runs that were used."""
    agreement: Estimate
    """The share of reviewed answers on which judge and people agree."""
    base_rate: float | None
    """The share that people call right."""
    constant: float | None
    """The agreement of a judge that always gives the more frequent verdict."""
    kappa: Estimate
    """Cohen's kappa between judge and people: agreement beyond chance."""
    sensitivity: Estimate
    """Of the answers that people call right, the share that the judge calls right."""
    specificity: Estimate
    """Of the answers that people call wrong, the share that the judge calls wrong."""
    people: Estimate
    """How well people agree with each other: Krippendorff's alpha over the cases that two or more reviewed."""
    consistency: float | None = None
    """The share of answers that get the same verdict each time."""
    order_changed: float | None = None
    """The share of verdicts that change when the expected and the given answer are swapped."""
    length_effect: Estimate | None = None
    """How much more often the judge says right after two neutral sentences are appended."""
    attacks: int | None = None
    """How many attacks were tried on the judge."""
    attacks_passed: int | None = None
    """How many of them made it call a wrong answer right."""


class JudgeSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run as its newest judge sees it."""

    version: str
    """The version of the judge: a hash of its settings and rubric, such as ``j-1a2b3c4d``."""
    model: str = ""
    """The model behind the judge."""
    asked: int
    """How many answers the judge was asked about."""
    right: int
    """How many it called right."""
    wrong: int
    """How many it called wrong."""
    abstained: int
    """How many it gave no verdict on."""
    reviewed: int
    """Of the answers it was asked about, how many were drawn at random and reviewed by people."""
    cost: float | None = None
    """What the calls cost, if the prices are known."""
    tokens: int | None = None
    """How many tokens the calls used, if known."""
    counts: bool
    """Whether the judge meets its requirements, so that figures and gates may use it."""
    misses: tuple[str, ...] = ()
    """Each requirement that the judge does not meet."""
    calibration: JudgeFigures | None = None
    """How the judge compares with people; None if it was never calibrated."""
    doubts: tuple[Doubt, ...] = ()
    """The cases on which judge and people differ."""
    corrected: tuple[CorrectedFigure, ...] = ()
    """The rates, corrected by people and judge."""

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
