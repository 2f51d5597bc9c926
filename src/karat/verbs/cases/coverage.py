"""``karat cases coverage``: what the cases touch of what there is, and the largest holes.

Each suite says what a case touches (``Suite.covers``) and what there is (``Suite.coverable``); tags and turns
of all suites are counted here. Drafts do not count: they are not scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from karat.core.case_files.drafts import is_draft
from karat.core.records import AnyCase
from karat.verbs.cases.listing import loaded
from karat.verbs.inputs.work import Work

SHOWN = 12


class KindCoverage(msgspec.Struct, frozen=True):
    """One kind of thing: how many there are, how many of them some case touches, and which none does."""

    kind: str
    touched: dict[str, int]
    """Item → how many cases touch it, most first."""
    total: int | None = None
    """How many there are; None: nothing says what there is."""
    untouched: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """Items that cases name and that are not among what there is."""

    @property
    def share(self) -> float | None:
        """The share of what there is that some case touches."""
        return (self.total - len(self.untouched)) / self.total if self.total else None


class Coverage(msgspec.Struct, frozen=True):
    """What the cases of one suite touch, largest hole first."""

    suite: str
    cases: int
    kinds: tuple[KindCoverage, ...]


def coverage(work: Work) -> Coverage:
    """Count what the accepted cases of a suite touch."""
    cases = [case for case in loaded(work).cases if not is_draft(case)]
    counted: dict[str, Counter[str]] = {}
    for case in cases:
        for kind, items in (*work.suite.covers(case, work.options).items(), *_of_all(case).items()):
            counted.setdefault(kind, Counter()).update(set(items))
    there = {kind: list(dict.fromkeys(items)) for kind, items in work.suite.coverable(cases, work.options).items()}
    kinds = [_kind(kind, counted.get(kind, Counter()), there.get(kind)) for kind in dict.fromkeys((*there, *counted))]
    kinds.sort(key=lambda one: (one.share is None, -len(one.untouched), one.kind))
    return Coverage(work.suite.name, len(cases), tuple(one for one in kinds if one.touched or one.untouched))


def _kind(kind: str, counts: Counter[str], there: Sequence[str] | None) -> KindCoverage:
    touched = dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
    if there is None:
        return KindCoverage(kind, touched)
    known = set(there)
    unknown = tuple(item for item in touched if item not in known)
    return KindCoverage(kind, touched, len(there), tuple(item for item in there if item not in touched), unknown)


def _of_all(case: AnyCase) -> dict[str, Sequence[str]]:
    turns = case.user_turns
    return {"tag": case.tags or ("(no tag)",), "turns": [f"{turns} turn{'s' if turns != 1 else ''}"]}
