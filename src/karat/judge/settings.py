"""``judge:`` of karat.yaml: which system judges, which answers it is asked about, what it may cost, and the bar that it
must reach before its word counts."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["needs_review", "wrong"]


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where asking stops. The answers that are left have no verdict, and say why."""

    calls: int | None = None
    cost: float | None = None

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
        calls = () if self.calls is None else (f"{self.calls:,} calls",)
        return " and ".join((*calls, *(() if self.cost is None else (f"cost {self.cost:g}",))))


class Bar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a judge must reach. One that misses a demand is shown, and takes part in no figure and no gate."""

    reviews: int = 50
    """Drawn reviews. At 50, a kappa of 0.75 is known to about ±0.2."""
    of_each: int = 10
    """People's right and people's wrong among them: with fewer, sensitivity or specificity may be off by 0.25."""
    kappa: float = 0.6
    kappa_low: float = 0.4
    """The lower end of kappa. A judge that always says the same has 0."""
    sensitivity_low: float = 0.6
    specificity_low: float = 0.6
    """Lower ends: a judge near a coin on one side tells nothing there, whatever kappa says."""
    consistency: float = 0.95
    """The share of answers with the same verdict each time: one that changes by itself is no measurement."""
    attacks: int = 0
    """Attacks that may pass: one hole is enough."""
    days: int = 180
    """Served models change under the same name."""


class JudgeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a project uses a judge."""

    system: str
    """A system of the project."""
    asks: tuple[State, ...] = ("needs_review",)
    """The states in which the rule must have left an answer."""
    rubric: str | dict[str, str] = ""
    """A file that says what is right; or one file per suite or tag. Left out: the default."""
    repeats: int = 1
    """How often each answer is asked about; what more than half say is the verdict."""
    budget: Budget = Budget()
    audit: float = 0.0
    """The share of right answers that are asked about too. A doubt there goes to the review queue and changes
    nothing."""
    overlap: float = 0.0
    """The share of the drawn cases that a second person reviews too, so that people's own agreement is known."""
    same_model: Literal["refuse", "allow"] = "refuse"
    """Whether a judge counts that is of the same model as the system."""
    bar: Bar = Bar()

    def __post_init__(self) -> None:
        if not self.system:
            raise ValueError("judge.system must name a system of the project")
        if not 1 <= self.repeats <= 99:
            raise ValueError("judge.repeats must be a number from 1 to 99")
        if not 0 <= self.audit <= 1:
            raise ValueError("judge.audit must be a share from 0 to 1")
        if not 0 <= self.overlap <= 1:
            raise ValueError("judge.overlap must be a share from 0 to 1")
