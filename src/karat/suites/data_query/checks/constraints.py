"""Series that a constraint allows, or that have data.

Allowed keys are the union of the included regions without the excluded ones; with only excluded ones, all but these.
Key sets are read the same way. Regions and key sets together, and several constraints of one role, must all hold. A
term is outside when no allowed key has it; an entry is outside when none of its series is allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from karat.suites.data_query.selection.selection import DatasetSelection
from karat.suites.data_query.series.boxes import EVERYTHING, Box, Ids, TooMany, alive, groups
from karat.suites.data_query.series.comparison import box_of
from karat.suites.data_query.structures.codelists import Codelists
from karat.suites.data_query.structures.extensions import fits, members_of
from karat.suites.data_query.structures.records import Codelist, Constraint, Region, Values, parse_ref

MOST_TRIED = 200
"""Values that are tried to find one that is allowed."""
_NO_CODES: dict[str, str] = {}


class _Rule(msgspec.Struct, frozen=True):
    """Regions that belong together."""

    included: tuple[Region, ...]
    excluded: tuple[Region, ...]


class Allowed:
    """What the constraints of one role say about one dataset."""

    def __init__(self, dataset: str, constraints: Sequence[Constraint], codelists: Codelists, named: dict[str, str]):
        self.constraints = constraints
        parts = [part for one in constraints for part in (one.regions, one.keys) if part]
        structure = codelists.structure(parse_ref(dataset))
        names = {name for part in parts for region in part for name in region.values}
        key = [one.id for one in structure.dimensions if not one.time] if structure else sorted(names)
        self._rules = [rule for part in parts if (rule := _rule(part, key))]
        self._dimensions = [name for name in key if name in names]
        lists = {name: codelists.find(dataset, name, named) for name in self._dimensions}
        self._lists = {name: held for name, held in lists.items() if isinstance(held, Codelist) and held.codes}

    def __str__(self) -> str:
        return ", ".join(str(one.ref) for one in self.constraints)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def permits(self, part: DatasetSelection) -> bool:
        """Whether a series of an entry is allowed. True where it cannot be told."""
        return self._permits(box_of(part, self._dimensions))

    def permits_term(self, dimension: str, code: str) -> bool:
        """Whether an allowed key has this term."""
        return dimension not in self._dimensions or self._permits({dimension: Ids(frozenset((code,)))})

    def _permits(self, entry: Box) -> bool:
        boxes: list[Box] = [entry]
        masks: list[tuple[int, int, bool]] = []
        for rule in self._rules:
            included = [box for one in rule.included if (box := self._box(one, entry)) is not None]
            excluded = [box for one in rule.excluded if (box := self._box(one, entry)) is not None]
            start = len(boxes)
            boxes += included + excluded
            inside = ((1 << len(included)) - 1) << start
            outside = ((1 << len(excluded)) - 1) << (start + len(included))
            masks.append((inside, outside, bool(rule.included)))
        held = [groups(boxes, name, self._codes(name)) for name in self._dimensions]
        held = [[one for one in group if one.mask & 1] for group in held]
        try:
            keys = alive(len(boxes), held)
        except TooMany:
            return True
        return any(
            mask & 1 and all((not needed or mask & inside) and not mask & outside for inside, outside, needed in masks)
            for mask, _ in keys
        )

    def _codes(self, dimension: str) -> Collection[str] | None:
        held = self._lists.get(dimension)
        return held.codes if held is not None and not held.partial else None

    def _box(self, region: Region, entry: Box) -> Box | None:
        """A region as a box; None where it and the entry have nothing in common."""
        box: dict[str, Ids] = {}
        for name, values in region.values.items():
            if name not in self._dimensions:
                continue
            chosen = entry.get(name, EVERYTHING)
            ids = self._ids(name, values, chosen, region.include)
            if not chosen.rest and (not chosen.ids - ids.ids if ids.rest else not chosen.ids & ids.ids):
                return None
            box[name] = ids
        return box

    def _ids(self, dimension: str, values: Values, chosen: Ids, included: bool) -> Ids:
        """The ids that a region holds in one dimension. Where the codes are not all at hand, ``%`` may name others, and
        any code may be below another one: an included region may hold these, and an excluded one does not."""
        held = self._lists.get(dimension)
        codes, parents = (held.codes, held.parents) if held is not None else (_NO_CODES, {})
        found = members_of(values.members, codes, parents)
        patterns = [member.id for member in values.members if "%" in member.id]
        found |= {code for code in chosen.ids if any(fits(code, pattern) for pattern in patterns)}
        whole = self._codes(dimension) is not None
        if whole or not any("%" in member.id or member.cascade for member in values.members):
            return Ids(frozenset(found), rest=not values.include)
        below = any(member.cascade for member in values.members)
        others = frozenset() if below else (chosen.ids | frozenset(codes)) - found  # known not to be named
        if included:
            return Ids(others if values.include else frozenset(found), rest=True)
        return Ids(frozenset(found) if values.include else others)

    # -- what would be allowed --------------------------------------------------------------------------------------

    def near_values(self, dimension: str) -> list[str]:
        """Values of a dimension that some allowed key has."""
        return self._permitted({}, dimension)

    def way_out(self, part: DatasetSelection) -> str:
        """Another value in one dimension that makes a series of the entry allowed, in words."""
        entry = dict(box_of(part, self._dimensions))
        for name in reversed(list(entry)):
            rest = {other: ids for other, ids in entry.items() if other != name}
            found = self._permitted(rest, name)
            if found:
                with_these = ", ".join(f"{other} {'/'.join(sorted(ids.ids)[:3])}" for other, ids in rest.items())
                more = f" and {len(found) - 5} more" if len(found) > 5 else ""
                return f"With {with_these or 'this dataset'}, {name} may be {', '.join(found[:5])}{more}."
        return ""

    def _permitted(self, entry: Box, dimension: str) -> list[str]:
        return [code for code in self._named(dimension) if self._permits({**entry, dimension: Ids(frozenset((code,)))})]

    def _named(self, dimension: str) -> list[str]:
        held = self._lists.get(dimension)
        listed: Iterable[str] = held.codes if held is not None else ()
        named = (
            member.id
            for rule in self._rules
            for region in (*rule.included, *rule.excluded)
            if dimension in region.values
            for member in region.values[dimension].members
            if "%" not in member.id
        )
        return list(dict.fromkeys((*named, *listed)))[:MOST_TRIED]


def _rule(regions: Sequence[Region], key: Collection[str]) -> _Rule | None:
    """The regions as a rule; None where they say nothing. One that is excluded by more than the key, such as a year,
    leaves series of it."""
    excluded = tuple(one for one in regions if not one.include and all(name in key for name in one.values))
    included = tuple(one for one in regions if one.include)
    return _Rule(included, excluded) if included or excluded else None
