"""Whether a prediction holds the rows of gold: ``match_tables``.

The cheapest test first: are the same texts there, row by row? Only if not, cells are read and compared with tolerance.
Only if that fails too, the difference is explained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

from karat.core.json_types import JsonObject
from karat.tables.explain.labels import LABELS_SWAPPED, crossed, elsewhere, label_evidence, swapped
from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import Unsettled, perfect_matching
from karat.tables.small.compare import SmallComparison, Texts
from karat.tables.small.mapping import by_header, find_mapping, loose_key, preferred
from karat.tables.table import QUICKER_AS_LARGE, Table, TableError

if TYPE_CHECKING:
    from karat.tables.large.compare import LargeComparison

_MOST_TRIES = 20_000
_ROWS_TO_LOOK_AT = 3_000_000

RowPairs: TypeAlias = Any
"""For each gold row the prediction row equal to it, in the form of the comparison that found them: a list or an array.
Only that comparison reads it again."""


class Match(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a prediction compares with gold. ``mapping`` gives for each gold column the prediction column that stands for
    it, or None. Not ``settled``: no rule could tell within its bound, and the reason is then of the nearest thing
    found; or the rows agree and the headers contradict them (``labels_swapped``), which a person decides.
    """

    passed: bool
    settled: bool = True
    mapping: tuple[int | None, ...] = ()
    normalised: tuple[str, ...] = ()
    reason: str = ""
    evidence: JsonObject = {}
    cell_f1: float = 1.0
    row_share: float = 1.0


class Comparison(Protocol):
    """Two tables of the same height that have been read; see :class:`karat.tables.small.compare.SmallComparison`."""

    ordered: bool

    @property
    def twins(self) -> Sequence[int]: ...

    def candidates(self) -> list[list[int]]: ...

    def pair(self, g: int, p: int) -> object | None: ...

    def rows_agree(self, mapped: Sequence[tuple[int, int]]) -> RowPairs | None: ...

    def normalised(self, mapped: Sequence[tuple[int, int]], rows: RowPairs) -> tuple[str, ...]: ...


def match_tables(
    gold: Table,
    pred: Table,
    *,
    columns: Sequence[int] | None = None,
    ignore_order: bool = False,
    options: CompareOptions | None = None,
    explained: bool = True,
) -> Match:
    """Compares the chosen columns of gold (all when none are named) with the prediction.

    Without ``explained`` a failure has no reason, and costs less: for trying one gold after another. Raises
    :class:`TableError` when gold has not the columns that are asked for.
    """
    pair = TablePair(chosen(gold, columns), pred, options or CompareOptions(), _others(gold, columns))
    settled = True
    try:
        found = pair.same_rows(ordered=not ignore_order)
    except Unsettled:
        found, settled = None, False
    if found is not None:
        return found
    if not explained:
        return Match(False, settled)
    from karat.tables.explain.reasons import explain

    return explain(pair, ignore_order=ignore_order, settled=settled)


def chosen(gold: Table, columns: Sequence[int] | None) -> Table:
    """Gold with the chosen columns only."""
    if not columns:
        return gold
    outside = [column for column in columns if not 0 <= column < gold.width]
    if outside:
        raise TableError(f"column {outside[0]} was requested, but gold has columns 0 to {gold.width - 1}", "columns")
    return gold.select(columns)


def _others(gold: Table, columns: Sequence[int] | None) -> Table | None:
    """The columns of gold that were not chosen."""
    left = [index for index in range(gold.width) if index not in set(columns)] if columns else []
    return gold.select(left) if left else None


class TablePair:
    """Gold and a prediction, and what has been found out about them. ``others``: gold's columns that do not count."""

    def __init__(self, gold: Table, pred: Table, options: CompareOptions, others: Table | None = None) -> None:
        self.gold, self.pred, self.options, self.others = gold, pred, options, others
        self.header = by_header(gold.names, pred.names)
        self.held_large = gold.large or pred.large

    @cached_property
    def large(self) -> LargeComparison:
        """The columns outside Python's own objects, compared without their order; what is read once serves all that
        follows."""
        from karat.tables.large.compare import LargeComparison

        return LargeComparison(self.gold, self.pred, self.options, ordered=False)

    @property
    def as_large(self) -> bool:
        return self.held_large or self.gold.height >= QUICKER_AS_LARGE

    def same_rows(self, *, ordered: bool) -> Match | None:
        """The match of two tables with the same rows; None when they are not. Raises :class:`Unsettled`."""
        if self.gold.height != self.pred.height or self.gold.width > self.pred.width:
            return None
        if self.held_large:
            mapping = self.large.in_order(ordered).same_texts(self.gold.names, self.pred.names)
        else:
            mapping = same_texts(self.gold, self.pred, ordered=ordered)
        if mapping is None:
            return self._tolerant(self._comparison(ordered=ordered))
        if mapping == self.header or (self.header is None and not self._crossed(mapping)):
            return Match(True, mapping=tuple(mapping))
        return self._labelled(mapping, self._comparison(ordered=ordered))

    def _comparison(self, *, ordered: bool) -> Comparison:
        if self.as_large:
            return self.large.in_order(ordered)
        return _small(self.gold, self.pred, self.options, ordered=ordered)

    def _tolerant(self, comparison: Comparison) -> Match | None:
        candidates = preferred(comparison.candidates(), self.gold.names, self.pred.names)
        if not all(candidates):
            return None
        header = self.header
        decided = header is not None and all(p in options for p, options in zip(header, candidates, strict=True))
        if decided and header is not None:
            rows = comparison.rows_agree(list(enumerate(header)))
            if rows is not None:
                return _passed(comparison, header, rows)
            if all(len(options) == 1 for options in candidates):
                return None
        tries = max(64, min(_MOST_TRIES, _ROWS_TO_LOOK_AT // max(1, self.gold.height)))
        if decided:
            tries //= 8  # wrong already, unless the labels are swapped
        try:
            mapping = find_mapping(
                candidates, lambda pairs: comparison.rows_agree(pairs) is not None, tries=tries, twins=comparison.twins
            )
        except Unsettled:
            if decided:
                return None  # the headers say which column is which, and under them the rows differ
            raise
        return None if mapping is None else self._labelled(mapping, comparison)

    def _labelled(self, mapping: list[int], comparison: Comparison) -> Match:
        """The rows agree under this mapping; the headers, where they name another, may contradict it."""
        pairs = list(enumerate(mapping))
        if self.header is None and (found := self._crossed(mapping)):
            holders = {other: mapping[g] for g, other in found}
            by_name = [holders.get(g, p) for g, p in pairs]
            if _agreed(comparison, list(enumerate(by_name))) is not None:
                return _passed(comparison, by_name, _agreed(comparison, list(enumerate(by_name))))
            return self._swapped(mapping, label_evidence([(other, g) for g, other in found], self.gold.names))
        if self.header is None or self.header == mapping:
            return _passed(comparison, mapping, _agreed(comparison, pairs))
        rows = _agreed(comparison, list(enumerate(self.header)))
        if rows is not None:
            return _passed(comparison, self.header, rows)
        names = self.gold.names
        found = swapped(mapping, self.header, self.gold.width, lambda pairs: _agreed(comparison, pairs) is not None)
        if not found and self.others is not None:
            gold = Table((*names, *self.others.names), (*self.gold.columns, *self.others.columns), self.gold.height)
            names = gold.names
            wider = TablePair(gold, self.pred, self.options)._comparison(ordered=comparison.ordered)
            found = swapped(mapping, self.header, gold.width, lambda pairs: _agreed(wider, pairs) is not None)
        labels = label_evidence(found, names)
        if not found:
            found = elsewhere(mapping, self.header, lambda pairs: _agreed(comparison, pairs) is not None)
            labels = label_evidence(found, names, self.pred.names)
        if not found:
            return _passed(comparison, mapping, _agreed(comparison, pairs))
        return self._swapped(mapping, labels)

    def _crossed(self, mapping: Sequence[int]) -> list[tuple[int, int]]:
        keys = [loose_key(name) for name in self.gold.names], [loose_key(name) for name in self.pred.names]
        return crossed(mapping, *keys)

    def _swapped(self, mapping: Sequence[int], labels: list[dict[str, str]]) -> Match:
        evidence = {
            "gold_size": [self.gold.height, self.gold.width],
            "pred_size": [self.pred.height, self.pred.width],
            "labels": labels,
        }
        return Match(False, False, tuple(mapping), (), LABELS_SWAPPED, evidence)


def _passed(comparison: Comparison, mapping: Sequence[int], rows: RowPairs | None) -> Match:
    names = comparison.normalised(list(enumerate(mapping)), rows) if rows is not None else ()
    return Match(True, mapping=tuple(mapping), normalised=names)


def _agreed(comparison: Comparison, pairs: Sequence[tuple[int, int]]) -> RowPairs | None:
    """The rows that agree on these pairs of columns; None when they do not, or when that is unknown."""
    if any(comparison.pair(g, p) is None for g, p in pairs):
        return None
    try:
        return comparison.rows_agree(pairs)
    except Unsettled:
        return None


def _small(gold: Table, pred: Table, options: CompareOptions, *, ordered: bool) -> SmallComparison:
    gold_columns = [gold.texts(index) for index in range(gold.width)]
    pred_columns = [pred.texts(index) for index in range(pred.width)]
    return SmallComparison(gold_columns, pred_columns, options, ordered=ordered)


def same_texts(gold: Table, pred: Table, *, ordered: bool) -> list[int] | None:
    """The likeliest mapping, if under it the rows are the same texts. None says only that this quick test did not find
    them."""
    gold_columns = [gold.texts(index) for index in range(gold.width)]
    pred_columns = [pred.texts(index) for index in range(pred.width)]
    by_content: dict[tuple[str | None, ...] | int, list[int]] = {}
    for index, column in enumerate(pred_columns):
        by_content.setdefault(_content(column, ordered), []).append(index)
    candidates = [by_content.get(_content(column, ordered), []) for column in gold_columns]
    if not all(candidates):
        return None
    mapping = perfect_matching(preferred(candidates, gold.names, pred.names))
    if mapping is None:
        return None
    if ordered:
        return mapping
    mapped = [pred_columns[index] for index in mapping]
    same = Counter(zip(*gold_columns, strict=True)) == Counter(zip(*mapped, strict=True))
    return mapping if same else None


def _content(column: Texts, ordered: bool) -> tuple[str | None, ...] | int:
    # A sum of hashes is quickest; the rows, counted, then decide.
    return tuple(column) if ordered else sum(map(hash, column))
