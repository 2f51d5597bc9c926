"""What only a suite can read from an answer, for the expectations of a case."""

from __future__ import annotations

import msgspec


class AnswerFacts(msgspec.Struct, frozen=True):
    """What only the suite can read from an answer."""

    kind: str = ""
    """``data``, ``refusal``, ``clarification``; empty: the suite does not say."""
    sql: tuple[str, ...] = ()
    dialect: str = ""
    """Of the SQL of the answer and of its calls, by sqlglot's name."""
    datasets: tuple[str, ...] | None = None
    metrics: tuple[str, ...] | None = None


NOTHING = AnswerFacts()
