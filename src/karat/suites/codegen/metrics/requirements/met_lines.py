"""Where code does what was asked for: the lines of the conditions and orders that meet a requirement in full."""

from __future__ import annotations

import msgspec

from karat.suites.codegen.analysis.records import CodeFacts, Filter
from karat.suites.codegen.metrics.requirements.confirmed_requirements import counted
from karat.suites.codegen.metrics.requirements.matching import FULL, does_nothing, met
from karat.suites.codegen.question.records import Asked

_IN_WORDS = {"isnull": "is missing", "notnull": "is not missing"}


class MetLine(msgspec.Struct, frozen=True):
    """A line of the code, and the condition that it meets, in words."""

    line: int
    """The line of the code, from 1."""
    words: str
    """The condition that it meets, in words."""


def met_lines(asked: Asked, facts: CodeFacts, reference: CodeFacts | None = None) -> tuple[MetLine, ...]:
    """In the order of the lines; nothing of code that does nothing."""
    if does_nothing(facts):
        return ()
    asked = counted(asked, facts, reference)
    found = met(asked.conditions, facts.filters)
    lines = [
        MetLine(one.line, condition_words(condition))
        for condition, (share, one) in zip(asked.conditions, found, strict=True)
        if share == FULL and one is not None and one.line
    ]
    return tuple(sorted(lines, key=lambda one: (one.line, one.words)))


def condition_words(condition: Filter) -> str:
    """``age > 30``."""
    words = _IN_WORDS.get(condition.operator, f"{condition.operator} {condition.value}")
    return f"{condition.column or '(any column)'} {words}"
