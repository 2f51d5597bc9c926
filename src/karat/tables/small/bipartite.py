"""Pairing two sets one to one, where only some pairs are allowed."""

from __future__ import annotations

from collections.abc import Sequence


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
        elif not _make_room(left, choices, holder, paired):
            return None
    return paired


def _make_room(start: int, choices: Sequence[Sequence[int]], holder: dict[int, int], paired: list[int]) -> bool:
    """Moves others along a path that ends at a free right item; breadth first, so that no path is too deep to
    follow."""
    came_from: dict[int, int] = {}
    waiting = [start]
    for left in waiting:
        for right in choices[left]:
            if right in came_from:
                continue
            came_from[right] = left
            if right in holder:
                waiting.append(holder[right])
                continue
            while True:
                mover = came_from[right]
                given_up = paired[mover]
                holder[right], paired[mover] = mover, right
                if mover == start:
                    return True
                right = given_up
    return False
