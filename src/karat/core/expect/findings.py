"""What a check of expectations yields: for each part whether it holds, and what is wrong."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Reason = Literal[
    "tool_missing",
    "tool_arguments",
    "tool_order",
    "tool_not_allowed",
    "tool_forbidden",
    "too_many_calls",
    "table_missing",
    "table_forbidden",
    "source_missing",
    "over_seconds",
    "over_tokens",
    "over_cost",
    "answered_not_refused",
    "refused_not_answered",
    "not_clarified",
    "no_trace",
]
REASONS: tuple[str, ...] = get_args(Reason)
State = Literal["held", "broken", "unknown", "review", "error"]
"""``unknown``: the answer does not say, such as one without a trace. ``review``: a person has to look. ``error``: the
check itself failed."""
METRIC_NAMES = frozenset(
    (
        *("expectations", "tools_right", "tools_forbidden", "tables_right"),
        *("sources_right", "within_limits", "answer_kind", "tool_calls"),
    )
)
"""Only cases that expect something have these metrics."""
NO_TRACE = "the answer has no trace"
UNREAD = "the trace of the answer is in no form that is read"
NO_ARGUMENTS = "the trace does not say with which arguments a tool was called"


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is not as expected."""

    reason: Reason
    text: str
    """For people, with the nearest call where there is one."""
    label: str = ""
    """What it is about, in words that other cases share."""
    expected: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


class PartResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether one part of the expectations holds. ``why``: where that cannot be said."""

    state: State
    findings: tuple[Finding, ...] = ()
    why: str = ""


class Checked(msgspec.Struct, frozen=True, omit_defaults=True):
    """The expectations of one turn against one answer. Parts that the case does not have are not there."""

    parts: dict[str, PartResult] = {}
    calls: int | None = None
    """How many tools were called; None: the answer has no trace."""
    turn: int = 0

    @property
    def findings(self) -> list[Finding]:
        """All that is not as expected, in the order of the parts."""
        return [one for part in self.parts.values() if part.state == "broken" for one in part.findings]

    @property
    def codes(self) -> list[str]:
        """Every reason once, also why a part could not be checked."""
        return list(dict.fromkeys(one.reason for part in self.parts.values() for one in part.findings))

    def first(self, *states: State) -> str:
        """Why the first part in one of these states is in it; empty where there is none."""
        return next((part.why or part.state for part in self.parts.values() if part.state in states), "")


def result_of(findings: list[Finding], unknown: str = "") -> PartResult:
    """Broken by what was found; else unknown where something could not be looked at; else held."""
    if findings:
        return PartResult("broken", tuple(findings), unknown)
    return PartResult("unknown", why=unknown) if unknown else PartResult("held")
