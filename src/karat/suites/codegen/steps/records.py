"""What is found out about a session: every step, and the figures over them."""

from __future__ import annotations

from typing import Literal

import msgspec

StepState = Literal["right", "wrong", "missing", "review"]
"""``missing``: it was not answered, or a budget ran out before it. ``review``: no rule could settle it."""

STATE_MISSING = "state_missing"
NOT_REPEATABLE = "not_repeatable"
SESSION_TIMEOUT = "session_timeout"


class StepResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step of an answer."""

    number: int
    question: str
    state: StepState
    code: str = ""
    reason: str = ""
    """Why it is not right, as a code."""
    trouble: str = ""
    """The same in words."""
    ran: bool = False
    error: str = ""
    line: int = 0
    seconds: float = 0.0
    peak_memory: int = 0
    output: str = ""
    """What it printed, cut."""
    result: str = ""
    """What it left, as it shows itself, cut."""
    replayed: bool = False
    """The steps before it were run again for it, because their state could not be forked."""
    alone: StepState | None = None
    """The same after the references of the steps before it; None where that is not known."""
    alone_trouble: str = ""


class SessionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """All steps, in their order."""

    steps: tuple[StepResult, ...]
    final: tuple[int, ...]
    """The numbers of the steps that decide whether the session is right."""
    ran_out: str = ""
    """The budget that ended it."""
    no_alone: str = ""
    """Why no step was run after the references of the steps before it."""

    @property
    def unsettled(self) -> tuple[StepResult, ...]:
        """Steps that a person has to look at."""
        return tuple(step for step in self.steps if step.state == "review")

    @property
    def right(self) -> int:
        return sum(step.state == "right" for step in self.steps)

    @property
    def right_alone(self) -> int:
        return sum(step.alone == "right" for step in self.steps)

    @property
    def first_wrong(self) -> int | None:
        """The number of the first step that is wrong; missing ones are not."""
        return next((step.number for step in self.steps if step.state == "wrong"), None)
