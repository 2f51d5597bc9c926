"""Pairing two sets one to one, where only some pairs are allowed."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.pairing import make_room


class Unsettled(Exception):
    """The search for a pairing grew past its bound before it had an answer."""


def perfect_matching(choices: Sequence[Sequence[int]]) -> list[int] | None:
    """For each left item the right item it is paired with, every left item paired and no right item twice; None when
    there is no such pairing. Earlier choices are preferred where they are free.
    """
    holder: dict[int, int] = {}
    paired = [-1] * len(choices)
    for left, options in enumerate(choices):
        free = next((right for right in options if right not in holder), None)
        if free is not None:
            holder[free], paired[left] = left, free
        elif not make_room(left, choices, holder, paired):
            return None
    return paired
