"""How many series two sides select, and how many they share, without listing them.

A side is a union of boxes; a box has a set of ids for each dimension. In each dimension the ids are grouped by the
boxes that hold them (a bit mask), and the groups are counted. Then the dimensions are gone through with the mask of
boxes that are still alive and the number of series that leads there: a series in two boxes counts once.

Where a box takes everything and no codelist says what that is, all ids that nobody names are one group, ⊥. How many
they are is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

MOST_STEPS = 1_000_000


class TooMany(Exception):
    """The boxes overlap in more ways than are gone through."""


class Ids(NamedTuple):
    """Some ids, or (``rest``) all but these."""

    ids: frozenset[str] = frozenset()
    rest: bool = False

    def union(self, other: Ids) -> Ids:
        """What is in one of the two."""
        if self.rest and other.rest:
            return Ids(self.ids & other.ids, rest=True)
        if self.rest or other.rest:
            rest, some = (self, other) if self.rest else (other, self)
            return Ids(rest.ids - some.ids, rest=True)
        return Ids(self.ids | other.ids)

    def both(self, other: Ids) -> Ids:
        """What is in each of the two."""
        if self.rest and other.rest:
            return Ids(self.ids | other.ids, rest=True)
        if self.rest or other.rest:
            rest, some = (self, other) if self.rest else (other, self)
            return Ids(some.ids - rest.ids)
        return Ids(self.ids & other.ids)

    def within(self, other: Ids) -> bool:
        """Whether all of this is in the other. Codes that nobody names may be there."""
        return self.both(other) == self


EVERYTHING = Ids(rest=True)
Box = Mapping[str, Ids]
"""Dimension → its ids. A dimension that is not there is everything."""


def common_box(one: Box, other: Box) -> Box | None:
    """The series that two boxes of a dataset have in common; None where there are none."""
    found = {name: one.get(name, EVERYTHING).both(other.get(name, EVERYTHING)) for name in {**one, **other}}
    return found if all(ids.rest or ids.ids for ids in found.values()) else None


def lies_in(one: Box, other: Box) -> bool:
    """Whether all series of a box are in the other."""
    return all(one.get(name, EVERYTHING).within(ids) for name, ids in other.items())


class Group(NamedTuple):
    """Ids that the same boxes hold: how many, or ⊥."""

    mask: int
    size: int
    unknown: bool = False


class Shared(NamedTuple):
    """The series of two sides, counted. Those with ⊥ are not in the numbers, only noted."""

    left: int = 0
    right: int = 0
    both: int = 0
    left_unknown: bool = False
    right_unknown: bool = False
    meet: bool = False
    """A series is in both, ⊥ included."""
    left_beyond: bool = False
    """A series of the left is not in the right, ⊥ included."""
    right_beyond: bool = False

    def plus(self, other: Shared) -> Shared:
        """Both counts together, for series that cannot be the same."""
        return Shared(
            self.left + other.left,
            self.right + other.right,
            self.both + other.both,
            self.left_unknown or other.left_unknown,
            self.right_unknown or other.right_unknown,
            self.meet or other.meet,
            self.left_beyond or other.left_beyond,
            self.right_beyond or other.right_beyond,
        )


def groups(boxes: Sequence[Box], dimension: str, codes: Collection[str] | None) -> list[Group]:
    """The ids of a dimension by the boxes that hold them. ``codes``: those of its codelist, where there is one."""
    chosen = [box.get(dimension, EVERYTHING) for box in boxes]
    named: set[str] = set()
    for one in chosen:
        named |= one.ids
    open_boxes = sum(1 << place for place, one in enumerate(chosen) if one.rest)
    masks: dict[int, int] = {}
    known = 0
    for code in named:
        listed = codes is None or code in codes
        known += listed
        mask = 0
        for place, one in enumerate(chosen):
            if (code in one.ids) != one.rest and (listed or not one.rest):
                mask |= 1 << place
        masks[mask] = masks.get(mask, 0) + 1
    found = [Group(mask, count) for mask, count in masks.items() if mask]
    if open_boxes and codes is None:
        found.append(Group(open_boxes, 1, unknown=True))
    elif open_boxes and codes is not None and len(codes) > known:
        rest = len(codes) - known
        same = next((place for place, one in enumerate(found) if one.mask == open_boxes), None)
        if same is None:
            found.append(Group(open_boxes, rest))
        else:
            found[same] = Group(open_boxes, found[same].size + rest)
    return found


def alive(boxes: int, dimensions: Sequence[Sequence[Group]], most: int = MOST_STEPS) -> dict[tuple[int, bool], int]:
    """(mask of the boxes that hold it, whether it has ⊥) → how many series. Raises TooMany."""
    found: dict[tuple[int, bool], int] = {((1 << boxes) - 1, False): 1}
    steps = 0
    for held in sorted(dimensions, key=len):
        steps += len(found) * len(held)
        if steps > most:
            raise TooMany
        following: dict[tuple[int, bool], int] = {}
        for (mask, unknown), count in found.items():
            for group in held:
                left = mask & group.mask
                if left:
                    key = (left, unknown or group.unknown)
                    following[key] = following.get(key, 0) + count * group.size
        found = following
    return found


def shared(
    left: Sequence[Box], right: Sequence[Box], dimensions: Sequence[str], codes: Mapping[str, Collection[str] | None]
) -> Shared:
    """The series of two unions of boxes over these dimensions. Raises TooMany."""
    boxes = [*left, *right]
    ours = (1 << len(left)) - 1
    whole = Shared()
    for (mask, unknown), count in alive(len(boxes), [groups(boxes, one, codes.get(one)) for one in dimensions]).items():
        in_left, in_right = bool(mask & ours), bool(mask & ~ours)
        known = 0 if unknown else count
        whole = whole.plus(
            Shared(
                left=known * in_left,
                right=known * in_right,
                both=known * (in_left and in_right),
                left_unknown=unknown and in_left,
                right_unknown=unknown and in_right,
                meet=in_left and in_right,
                left_beyond=in_left and not in_right,
                right_beyond=in_right and not in_left,
            )
        )
    return whole
