"""How near two codes are in their codelist: 1 if equal; 1/(1+k) if one is the other's ancestor k steps up, for k up to
the option ``hierarchy_depth``; else 0. Siblings are 0."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

Parents = Mapping[str, Sequence[str]]
"""Code → the codes right above it."""


class HierarchyComparison(msgspec.Struct, frozen=True):
    """The means over dimensions; None: undefined."""

    recall: float | None = None
    precision: float | None = None


def nearness(one: str, other: str, parents: Parents, depth: int) -> float:
    """How near two codes are."""
    if one == other:
        return 1.0
    steps = min(_steps(one, other, parents, depth), _steps(other, one, parents, depth))
    return 1.0 / (1 + steps) if steps <= depth else 0.0


def _steps(code: str, ancestor: str, parents: Parents, depth: int) -> int:
    """How many steps up; above ``depth`` where it is not reached."""
    level = {code}
    seen = {code}
    for step in range(1, depth + 1):
        level = {above for one in level for above in parents.get(one, ()) if above not in seen}
        seen |= level  # parents may go round in a circle
        if ancestor in level:
            return step
        if not level:
            break
    return depth + 1


def best(codes: Iterable[str], others: Collection[str], parents: Parents, depth: int) -> float | None:
    """The mean over some codes of their best nearness to others; None where there are none."""
    values = [
        1.0 if code in others else max((nearness(code, one, parents, depth) for one in others), default=0.0)
        for code in codes
    ]
    return sum(values) / len(values) if values else None


def compare_hierarchy(
    target: Mapping[str, Collection[str]],
    selected: Mapping[str, Collection[str]],
    parents: Mapping[str, Parents],
    depth: int,
) -> HierarchyComparison:
    """Dimension → ids on both sides, and the parents of each dimension's codes."""
    if not any(parents.get(name) for name in target):
        return HierarchyComparison()
    recalls = [best(ids, selected.get(name, ()), parents.get(name, {}), depth) for name, ids in target.items()]
    precisions = [
        best(ids, target[name], parents.get(name, {}), depth) if name in target else 0.0
        for name, ids in selected.items()
        if ids
    ]
    return HierarchyComparison(_mean(recalls), _mean(precisions))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
