"""What is found out about a session: every step, and the figures over them."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.json_types import JsonObject

StepState = Literal["right", "wrong", "missing", "review"]
"""``missing``: it was not answered, or a budget ran out before it. ``review``: no rule could settle it."""

STATE_MISSING = "state_missing"
NOT_REPEATABLE = "not_repeatable"
SESSION_TIMEOUT = "session_timeout"


class StepResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step of an answer."""

    number: int
    """The number of the step, from 1."""
    question: str
    """Its question."""
    state: StepState
    """Whether the step is right."""
    code: str = ""
    """Its code."""
    reason: str = ""
    """Why it is not right, as a code."""
    trouble: str = ""
    """Why it is not right, in words."""
    ran: bool = False
    """Whether the code ran to its end."""
    error: str = ""
    """The error message."""
    line: int = 0
    """The line that failed; 0 if none did."""
    seconds: float = 0.0
    """How long the code ran."""
    peak_memory: int = 0
    """The most memory it used, in bytes."""
    output: str = ""
    """What it printed, truncated."""
    result: str = ""
    """What it left as its result, as text, truncated."""
    evidence: JsonObject = {}
    """What shows that its result is wrong: the cells that differ, or the copy of the tables on which they do."""
    replayed: bool = False
    """Whether the steps before it were run again for it, because their state could not be forked."""
    alone: StepState | None = None
    """Its state when it runs after the reference code of the earlier steps; None if that is not known."""
    alone_trouble: str = ""
    """Why it is not right then, in words."""


class SessionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """All steps, in their order."""

    steps: tuple[StepResult, ...]
    """Each step, in order."""
    final: tuple[int, ...]
    """The numbers of the steps that decide whether the session is right."""
    ran_out: str = ""
    """The budget that ended the session early."""
    no_alone: str = ""
    """Why no step was run after the reference code of the earlier steps."""

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
