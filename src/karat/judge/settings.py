"""``judge:`` of karat.yaml: which system judges, which answers it is asked about, what it may cost, and the bar that it
must reach before its word counts."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.problems import count_of

State = Literal["needs_review", "wrong"]


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where asking stops. The answers that are left have no verdict, and say why."""

    calls: int | None = None
    """The most calls in one go."""
    cost: float | None = None
    """The most money in one go, at the prices of the system."""

    def __post_init__(self) -> None:
        if (self.calls is not None and self.calls < 0) or (self.cost is not None and self.cost < 0):
            raise ValueError("a budget must not be negative")

    def less(self, calls: int, cost: float) -> Budget:
        """What is left after this."""
        return Budget(
            None if self.calls is None else max(0, self.calls - calls),
            None if self.cost is None else max(0.0, self.cost - cost),
        )

    def __str__(self) -> str:
        calls = () if self.calls is None else (count_of(self.calls, "call"),)
        return " and ".join((*calls, *(() if self.cost is None else (f"cost {self.cost:g}",))))


class Bar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a judge must reach. One that misses a demand is shown, and takes part in no figure and no gate."""

    reviews: int = 50
    """How many drawn answers people must have reviewed. With 50, a kappa of 0.75 is known to about ±0.2."""
    of_each: int = 10
    """How many of them people must have called right, and how many wrong. With fewer, sensitivity or specificity may be
    off by 0.25."""
    kappa: float = 0.6
    """The least kappa between judge and people."""
    kappa_low: float = 0.4
    """The least lower end of kappa's interval. A judge that always says the same has 0."""
    sensitivity_low: float = 0.6
    """The least lower end of sensitivity's interval."""
    specificity_low: float = 0.6
    """The least lower end of specificity's interval. A judge that guesses on one side shows nothing there, whatever
    kappa is."""
    consistency: float = 0.95
    """The least share of answers that get the same verdict each time."""
    attacks: int = 0
    """How many attacks may succeed."""
    days: int = 180
    """How old a calibration may be. Hosted models change without changing their name."""


class JudgeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a project uses a judge."""

    system: str
    """The system of the project that judges."""
    asks: tuple[State, ...] = ("needs_review",)
    """The rule's verdicts that are put to the judge."""
    rubric: str | dict[str, str] = ""
    """A file that says what is right, or one file per suite or tag. By default, the suite's own."""
    repeats: int = 1
    """How often the judge is asked about each answer; the majority decides."""
    budget: Budget = Budget()
    """Where asking stops."""
    audit: float = 0.0
    """The share of right answers that the judge is asked about too. A doubt there goes to the review queue and changes
    no figure."""
    overlap: float = 0.0
    """The share of drawn cases that a second person reviews too, which shows how well people agree."""
    same_model: Literal["refuse", "allow"] = "refuse"
    """Whether a judge may count that uses the same model as the system."""
    bar: Bar = Bar()
    """What the judge must reach before it counts."""

    def __post_init__(self) -> None:
        if not self.system:
            raise ValueError("judge.system must name a system of the project")
        if not 1 <= self.repeats <= 99:
            raise ValueError("judge.repeats must be a number from 1 to 99")
        if not 0 <= self.audit <= 1:
            raise ValueError("judge.audit must be a share from 0 to 1")
        if not 0 <= self.overlap <= 1:
            raise ValueError("judge.overlap must be a share from 0 to 1")
