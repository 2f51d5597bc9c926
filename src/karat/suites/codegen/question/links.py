"""How the conditions of a question are joined: "older than 30 or in Berlin" asks for either, "older than 30 and in
Berlin" for both.

The word between two conditions decides; in a list ("in Oslo, Rome or Bonn") the last word is that of all. Two values of
one column are always one or the other ("people in Oslo and Rome"), and two excluded values are both excluded. Where
nothing is said, nothing is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from karat.suites.codegen.analysis.records import Filter, Link
from karat.suites.codegen.question.conditions import or_more
from karat.suites.codegen.question.vocabulary import Vocabulary
from karat.suites.codegen.question.words import Word

Joined = Literal["and", "or"] | None


def links_of(words: Sequence[Word], placed: Sequence[tuple[int, Filter]], known: Vocabulary) -> tuple[Link, ...]:
    """A link for each two neighbours that are joined by a word."""
    found_more = or_more(words, known, [False] * len(words))
    other = {at for start, end, _ in found_more for at in range(start, end)}
    found: list[Link] = []
    after: Joined = None
    for (place, first), (next_place, second) in reversed(list(pairwise(placed))):
        between = [words[at] for at in range(place + 1, next_place) if at not in other]
        after = _joined(first, second, between, after, known)
        if after is not None:
            found.append(Link(after, first, second))
    return tuple(reversed(found))


def _joined(first: Filter, second: Filter, between: Sequence[Word], after: Joined, known: Vocabulary) -> Joined:
    if first.column == second.column and first.column and first.operator == second.operator:
        if first.operator == "==":
            return "or"
        if first.operator == "!=":
            return "and"
    said: list[Literal["and", "or"]] = [
        word for word in ("and", "or") if any(one.lower in known.links.get(word, ()) for one in between)
    ]
    if len(said) == 1:
        return said[0]
    listed = not said and any(one.text == "," for one in between)
    return after if listed else None
