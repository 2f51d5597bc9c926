"""The greatest one-to-one pairing of two sets, where only some pairs are allowed."""

from __future__ import annotations

from collections.abc import Sequence


def greatest_pairing(choices: Sequence[Sequence[int]]) -> list[int]:
    """For each left item the right item it is paired with, or -1. As many are paired as can be."""
    holder: dict[int, int] = {}
    paired = [-1] * len(choices)
    for left in range(len(choices)):
        make_room(left, choices, holder, paired)
    return paired


def make_room(start: int, choices: Sequence[Sequence[int]], holder: dict[int, int], paired: list[int]) -> bool:
    """Pair one more left item, moving others along a path that ends at a free right item; False when there is none.
    Breadth first, so that no path is too deep to follow."""
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
