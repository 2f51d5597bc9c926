"""Which profile a gold set is judged by first: strict where the gold is of the project's own form, spider2 where it is
Spider2's."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.records import Case
from karat.suites.answers.records import Gold

BY_STRICT = ("strict", "strict_of_gold")
"""The headline of own gold. Spider2's has the suite's: both profiles, spider2 before strict."""


OFFICIAL = {
    "bird": ("bird_ex", "bird_f1"),
    "spider": ("spider_exec", "spider_suite"),
    "defog": ("defog_correct", "defog_exact"),
    "ibm": ("bird_ex",),
}
"""Form of a question file → the figures of its own benchmark."""
EVERY = ("bird_ex", "bird_f1", "spider_exec", "spider_suite", "defog_exact", "defog_correct")


def headline(cases: Sequence[Case[Gold]]) -> tuple[str, ...]:
    """The metrics to put first for these cases; empty: as the suite lists them."""
    golds = [turn.target for case in cases for turn in case.conversation]
    queries = next((gold.queries for gold in golds if gold is not None and gold.queries is not None), None)
    if queries is not None:
        return tuple(dict.fromkeys((*OFFICIAL.get(queries.form, ()), *BY_STRICT, *EVERY)))
    return BY_STRICT if any(gold is not None and gold.family == "own" for gold in golds) else ()
