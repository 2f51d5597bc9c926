"""What a question asks for, as far as its reference bears it out.

A question is read word by word, and a word may mislead: "the loans" may be a table, "highest" a name. The reference is
right by definition. What it does without was not asked for: a column, a condition, a group, an order or a join that it
has not is dropped from what was read.
"""

from __future__ import annotations

import msgspec

from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.metrics.requirements.matching import (
    FULL,
    does_nothing,
    groups,
    joined_so,
    met,
    sorts,
    taken,
    takes_some_rows,
)
from karat.suites.codegen.metrics.requirements.operations import operations_of
from karat.suites.codegen.question.records import Asked

_DIRECTIONS = ("ascending", "descending")


def counted(asked: Asked, facts: CodeFacts, reference: CodeFacts | None) -> Asked:
    """What counts as asked for: what the reference does, where there is one; and of code with a part that cannot be
    seen, only what was found in the rest."""
    if reference is not None:
        asked = confirmed(asked, reference)
    return confirmed(asked, facts) if facts.unread else asked


def confirmed(asked: Asked, reference: CodeFacts) -> Asked:
    """The part of it that the reference does. A reference that cannot be read bears out all."""
    if does_nothing(reference):
        return asked
    found = met(asked.conditions, reference.filters)
    kept = {condition: one for condition, (share, one) in zip(asked.conditions, found, strict=True) if share == FULL}
    links = tuple(
        link
        for link in asked.links
        if (first := kept.get(link.first)) is not None
        and (second := kept.get(link.second)) is not None
        and joined_so(reference, first, second, link.word)
    )
    keys = tuple(key for key in asked.group_keys if key in reference.group_keys)
    return msgspec.structs.replace(
        asked,
        columns=tuple(column for column in asked.columns if column in reference.columns),
        top=tuple(count for count in asked.top if taken(reference, True, count) == FULL),
        bottom=tuple(count for count in asked.bottom if taken(reference, False, count) == FULL),
        filtering=asked.filtering and takes_some_rows(reference),
        statistics=tuple(name for name in asked.statistics if name in operations_of(reference)[0]),
        conditions=tuple(
            condition for condition, (share, _) in zip(asked.conditions, found, strict=True) if share == FULL
        ),
        links=links,
        group_keys=keys,
        grouping=asked.grouping and groups(reference),
        ordering=_ordering(asked, reference),
        joining=asked.joining and bool(reference.joins),
    )


def _ordering(asked: Asked, reference: CodeFacts) -> tuple[str, ...]:
    """Without an order that the reference has not, without a direction that it has not."""
    said = [word for word in _DIRECTIONS if word in asked.ordering]
    ascending = said[0] == "ascending" if len(said) == 1 else None
    if sorts(reference, ascending):
        return asked.ordering
    if not sorts(reference, None):
        return ()
    return tuple(word for word in asked.ordering if word not in _DIRECTIONS)
