"""What a response does, beside what it selects: it answers, refuses, asks back, has no data. And the project's rules
that say so.

A rule of the option ``outcome_from`` looks at one place of the response, and the first that applies counts::

    outcome_from:
      - {path: structuredContent.status, map: {NO_DATA: no_data, OUT_OF_SCOPE: out_of_scope}}
      - {tool: ask_user, outcome: clarification}
      - {text: "(?i)outside my scope", outcome: out_of_scope}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

import msgspec

from karat.core.problems import did_you_mean
from karat.core.replies import Reply
from karat.core.suite import Unreadable

Outcome = Literal["answer", "clarification", "no_data", "invalid_period", "out_of_scope", "error"]
OUTCOMES: tuple[str, ...] = get_args(Outcome)
WITHOUT_ANSWER = ("clarification", "no_data", "invalid_period", "out_of_scope")
"""Outcomes in which nothing is selected, and the response says so."""


NOT_STATED = "not_stated"
"""Nothing is selected, and the response does not say why."""
REFUSALS = ("no_data", "invalid_period", "out_of_scope")


class OutcomeComparison(msgspec.Struct, frozen=True):
    """What a response does beside what it should do."""

    expected: tuple[str, ...] = ()
    """Any of these is right. Empty: the case does not say."""
    found: str = NOT_STATED
    how: str = ""
    """What says so."""

    @property
    def right(self) -> bool | None:
        """Whether it does what it should; None where the case does not say."""
        return self.found in self.expected if self.expected else None

    @property
    def row(self) -> str:
        """The class under which the case counts: what was found if that is right, else the first that is expected."""
        return self.found if self.found in self.expected else next(iter(self.expected), "")


class SaysError(Unreadable):
    """The response says itself that it failed. Only a case that expects this can be scored."""

    def __init__(self, message: str, how: str) -> None:
        super().__init__(message)
        self.how = how


class OutcomeRule(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One rule: a path with a map, a tool with an outcome, or a regular expression with an outcome."""

    path: str = ""
    """Keys and indices in the response, separated by dots; ``*`` is every item of a list."""
    map: dict[str, Outcome] = {}
    """The value found there → the outcome."""
    tool: str = ""
    """The name of the last tool that was called."""
    text: str = ""
    """A regular expression to look for in the answer's text."""
    outcome: Outcome | None = None
    """The outcome if ``tool`` or ``text`` applies."""

    def __post_init__(self) -> None:
        given = [name for name in ("path", "tool", "text") if getattr(self, name)]
        if len(given) != 1:
            raise ValueError("a rule of outcome_from needs one of path, tool and text")
        if self.path and (not self.map or self.outcome):
            raise ValueError("a rule with path needs map, such as {path: status, map: {NO_DATA: no_data}}")
        if not self.path and (self.map or self.outcome is None):
            raise ValueError(f"a rule with {given[0]} needs outcome, one of {', '.join(OUTCOMES)}")
        try:
            re.compile(self.text)
        except re.error as error:
            raise ValueError(f"text is not a regular expression: {error}") from error

    def __str__(self) -> str:
        return f"outcome_from: {self.path or self.tool or self.text}"

    def applies(self, reply: Reply) -> Outcome | None:
        """The outcome that this rule sees in a response; None where it sees none."""
        if self.path:
            values = (_word(value) for value in values_at(reply.body, self.path.split(".")))
            return next((self.map[value] for value in values if value in self.map), None)
        if self.tool:
            return self.outcome if reply.calls and reply.calls[-1].name == self.tool else None
        return self.outcome if re.search(self.text, reply.text) else None


class Found(msgspec.Struct, frozen=True):
    """An outcome and what says so."""

    outcome: Outcome
    how: str
    rule: OutcomeRule | None = None


def outcome_by_rule(reply: Reply, rules: Sequence[OutcomeRule]) -> Found | None:
    """What the first rule that applies says."""
    for rule in rules:
        outcome = rule.applies(reply)
        if outcome is not None:
            return Found(outcome, str(rule), rule)
    return None


def own_outcome(word: str) -> Found:
    """The outcome that a response states itself. An unknown word is unreadable."""
    if word not in OUTCOMES:
        raise Unreadable(f'unknown outcome "{word}". {did_you_mean(word, OUTCOMES)}'.strip())
    return Found(msgspec.convert(word, Outcome), "outcome")


def values_at(body: object, steps: Sequence[str]) -> Iterator[object]:
    """Every value at a path."""
    if not steps:
        yield body
        return
    step, rest = steps[0], steps[1:]
    if isinstance(body, Mapping):
        if step in body:
            yield from values_at(body[step], rest)
    elif isinstance(body, list):
        if step == "*":
            for item in body:
                yield from values_at(item, rest)
        elif re.fullmatch(r"-?\d{1,9}", step) and -len(body) <= int(step) < len(body):
            yield from values_at(body[int(step)], rest)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
