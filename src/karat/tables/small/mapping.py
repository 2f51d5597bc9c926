"""Which prediction column stands for which gold column.

Each gold column takes one prediction column of its own. Where several would do, columns with the same header are tried
first, then those in the same place; a choice under which the rows agree is found if there is one, within a bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from karat.tables.small.bipartite import Unsettled, perfect_matching
from karat.tables.values.cells import folded

Check = Callable[[Sequence[tuple[int, int]]], bool]
"""Whether the rows agree on these (gold column, prediction column) pairs alone. May raise :class:`Unsettled`."""


def preferred(
    candidates: Sequence[Sequence[int]], gold_names: Sequence[str], pred_names: Sequence[str]
) -> list[list[int]]:
    """The candidates of each gold column, likeliest first: same header, then same place, then the order they are
    in."""
    headers = [folded(name) for name in pred_names]
    ordered = []
    for index, options in enumerate(candidates):
        header = folded(gold_names[index])
        ordered.append(sorted(options, key=lambda p: (headers[p] != header, p != index, p)))
    return ordered


def by_header(gold_names: Sequence[str], pred_names: Sequence[str]) -> list[int] | None:
    """The mapping that the headers name: every gold header is there once on either side. Where they do not name one,
    ``max_price`` is ``Max price``. None when they name none."""
    for key in (folded, loose_key):
        headers, wanted = [key(name) for name in pred_names], [key(name) for name in gold_names]
        if len(set(wanted)) == len(wanted) and all(name and headers.count(name) == 1 for name in wanted):
            return [headers.index(name) for name in wanted]
    return None


def loose_key(name: str) -> str:
    """A header without case, and with one blank for all that stands between its words."""
    return _BETWEEN_WORDS.sub(" ", folded(name)).strip()


_BETWEEN_WORDS = re.compile(r"[\s_.-]+")


def find_mapping(
    candidates: Sequence[Sequence[int]], check: Check, *, tries: int, twins: Sequence[int]
) -> list[int] | None:
    """A one-to-one mapping under which ``check`` holds for all columns; None when there is none.

    Candidates are in order of preference. ``twins`` gives for each prediction column the first one that is the same in
    every row: where one of them has been tried, another is not. Raises :class:`Unsettled` when ``tries`` checks did not
    settle it.
    """
    first = _preferred_mapping(candidates)
    if first is None:
        return None
    unsettled = False
    try:
        if check(list(enumerate(first))):
            return first
    except Unsettled:
        unsettled = True
    if all(len(options) == 1 for options in candidates):
        if unsettled:
            raise Unsettled
        return None
    return _Search(candidates, check, tries, twins).run()


def _preferred_mapping(candidates: Sequence[Sequence[int]]) -> list[int] | None:
    """Columns with the fewest choices choose first, so that a header's match is not taken away by a column that has
    others."""
    order = sorted(range(len(candidates)), key=lambda index: len(candidates[index]))
    paired = perfect_matching([candidates[index] for index in order])
    if paired is None:
        return None
    mapping = [-1] * len(candidates)
    for index, pred in zip(order, paired, strict=True):
        mapping[index] = pred
    return mapping


class _Search:
    """Depth first, columns with the fewest candidates first; a partial mapping under which the rows differ is left at
    once."""

    def __init__(self, candidates: Sequence[Sequence[int]], check: Check, tries: int, twins: Sequence[int]) -> None:
        self.candidates = candidates
        self.check = check
        self.left = tries
        self.twins = twins
        self.order = sorted(range(len(candidates)), key=lambda index: len(candidates[index]))
        self.unsettled = False

    def run(self) -> list[int] | None:
        found = self._extend([])
        if found is None and self.unsettled:
            raise Unsettled
        return found

    def _extend(self, pairs: list[tuple[int, int]]) -> list[int] | None:
        if len(pairs) == len(self.order):
            return [pred for _, pred in sorted(pairs)]
        gold = self.order[len(pairs)]
        used = {pred for _, pred in pairs}
        tried_twins: set[int] = set()
        for pred in self.candidates[gold]:
            if pred in used or self.twins[pred] in tried_twins:
                continue
            tried_twins.add(self.twins[pred])
            tried = [*pairs, (gold, pred)]
            if not self._possible(tried):
                continue
            found = self._extend(tried)
            if found is not None:
                return found
        return None

    def _possible(self, pairs: list[tuple[int, int]]) -> bool:
        if self.left <= 0:
            self.unsettled = True
            return False
        self.left -= 1
        try:
            return self.check(pairs)
        except Unsettled:
            # Too much for a part of the columns may be little for more of them; at the end it settles nothing.
            self.unsettled = True
            return len(pairs) < len(self.order)
