"""Large tables, compared column by column in Polars and NumPy. The rules are those of the small ones.

A column becomes a key (a hash of what is compared exactly) and a number for each row. Rows are sorted by their keys,
then by their numbers, and compared side by side; only groups of rows that do not pair up in this way are searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING

from karat.tables.large.columns import LargeColumn
from karat.tables.large.rows import Rows, compared_exactly, pair_rows, refuted
from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import perfect_matching
from karat.tables.small.mapping import by_header, preferred
from karat.tables.table import Table

if TYPE_CHECKING:
    from karat.tables.arrays import Array

Pairs = Sequence[tuple[LargeColumn, LargeColumn]]

_SEED = 20_240_229
_PIECE = 65_536
"""Rows hashed at a time: their hashes stay in the processor's cache."""


class LargeComparison:
    """Two tables of the same height. See :class:`karat.tables.small.compare.SmallComparison` for what is asked of
    it."""

    def __init__(self, gold: Table, pred: Table, options: CompareOptions, *, ordered: bool) -> None:
        self.options = options
        self.ordered = ordered
        self.height = gold.height
        self.gold = [LargeColumn(gold.series(index), options, _SEED, gold=True) for index in range(gold.width)]
        self.pred = [LargeColumn(pred.series(index), options, _SEED, gold=False) for index in range(pred.width)]
        self._pairs: dict[tuple[int, int], tuple[LargeColumn, LargeColumn] | None] = {}
        self._agreed: tuple[list[tuple[int, int]], Array | None] = ([], None)

    def in_order(self, ordered: bool) -> LargeComparison:
        """The same columns, read once, compared with or without their order."""
        if ordered == self.ordered:
            return self
        other = copy(self)
        other.ordered, other._pairs, other._agreed = ordered, {}, ([], None)
        return other

    def same_texts(self, gold_names: Sequence[str], pred_names: Sequence[str]) -> list[int] | None:
        """The likeliest mapping, if under it the rows are the same texts: by 64-bit hashes of cells, columns and
        rows."""
        header = None if self.ordered else by_header(gold_names, pred_names)
        if header is not None and self._same_rows(header):
            return header
        by_sum: dict[int, list[int]] = {}
        for index, column in enumerate(self.pred):
            by_sum.setdefault(column.sum_of_hashes, []).append(index)
        candidates = [by_sum.get(column.sum_of_hashes, []) for column in self.gold]
        if self.ordered:
            same = [[p for p in options if _same(self.gold[g], self.pred[p])] for g, options in enumerate(candidates)]
            return perfect_matching(preferred(same, gold_names, pred_names))
        if not all(candidates):
            return None
        mapping = perfect_matching(preferred(candidates, gold_names, pred_names))
        return mapping if mapping not in (None, header) and self._same_rows(mapping or ()) else None

    def _same_rows(self, mapping: Sequence[int]) -> bool:
        return _row_sums(self.gold) == _row_sums([self.pred[index] for index in mapping])

    @cached_property
    def twins(self) -> list[int]:
        """For each prediction column the first one with the same texts in the same rows."""
        firsts: dict[int, list[int]] = {}
        twins = []
        for index, column in enumerate(self.pred):
            known = firsts.setdefault(column.sum_of_hashes, [])
            first = next((other for other in known if _same(self.pred[other], column)), index)
            if first == index:
                known.append(index)
            twins.append(first)
        return twins

    def candidates(self) -> list[list[int]]:
        """For each gold column the prediction columns that could be it; only none for all, once one column has none."""
        sums = {column.sum_of_hashes for column in self.pred}
        found: dict[int, list[int]] = {}
        for g in sorted(range(len(self.gold)), key=lambda index: self.gold[index].sum_of_hashes in sums):
            found[g] = [p for p in range(len(self.pred)) if self.pair(g, p) is not None]
            if not found[g]:
                return [[] for _ in self.gold]
        return [found[g] for g in range(len(self.gold))]

    def pair(self, g: int, p: int) -> tuple[LargeColumn, LargeColumn] | None:
        if (g, p) not in self._pairs:
            self._pairs[g, p] = self._compare(self.gold[g], self.pred[p])
        return self._pairs[g, p]

    def _compare(self, gold: LargeColumn, pred: LargeColumn) -> tuple[LargeColumn, LargeColumn] | None:
        if not gold.may_equal(pred):
            return None
        if self._alike(gold, pred):
            return gold, pred
        if gold.percent != pred.percent and (pred if gold.percent else gold).may_be_percent():
            gold, pred = gold.shown, pred.shown
            if self._alike(gold, pred):
                return gold, pred
        return None

    def _alike(self, gold: LargeColumn, pred: LargeColumn) -> bool:
        if self.ordered:
            return bool(gold.equal_to(pred, slice(None), slice(None)).all())
        return gold.same_texts(pred) or gold.could_equal(pred)

    def rows_agree(self, mapped: Sequence[tuple[int, int]]) -> Array | None:
        """For each gold row the prediction row equal to it; None when the rows differ. Raises Unsettled."""
        import numpy

        if self.ordered or not mapped:
            return numpy.arange(self.height)
        if self._agreed[0] != list(mapped):
            self._agreed = list(mapped), self._pair_rows(mapped)
        return self._agreed[1]

    def _pair_rows(self, mapped: Sequence[tuple[int, int]]) -> Array | None:
        pairs = [pair for pair in (self.pair(g, p) for g, p in mapped) if pair is not None]
        exact = [pair for pair in pairs if pair[0].same_texts(pair[1])]
        loose = [pair for pair in pairs if pair not in exact]
        # Rows of the same texts have been looked for before: where no column needs tolerance, they likely differ.
        if not loose and self._refuted(pairs):
            return None
        # Texts that mean nothing but themselves are keys wherever both columns have the same ones.
        told = [pair for pair in exact if not pair[0].plain_numbers and pair[0].told_by_text]
        others = [pair for pair in pairs if pair not in told]
        if told and self._refuted(others, told):
            return None
        if exact:
            # Columns with the same texts are taken as keys first: rows that agree so agree in every sense.
            quick = pair_rows(Rows(exact, loose, self.options), search=False)
            if quick is not None:
                return quick
        if loose and not told and self._refuted(pairs):
            return None
        return pair_rows(Rows(told, others, self.options), search=True)

    def _refuted(self, pairs: Pairs, told: Pairs = ()) -> bool:
        """Whether the plain numbers, and the columns whose rows are ``told`` apart by their texts, are enough to show
        that the rows differ: quick where some of them are ids.
        """
        plain = [pair for pair in pairs if pair[0].only_plain_numbers and pair[1].only_plain_numbers]
        keyed = bool(told) or any(compared_exactly(*pair) for pair in plain)
        return keyed and len(plain) + len(told) > 1 and refuted(Rows(told, plain, self.options))

    def normalised(self, mapped: Sequence[tuple[int, int]], rows: Array) -> tuple[str, ...]:
        names: set[str] = set()
        for g, p in mapped:
            pair = self.pair(g, p)
            if pair is not None and not (not self.ordered and pair[0].same_texts(pair[1]) and not pair[0].has_numbers):
                names |= pair[0].names_needed(pair[1], rows)
        return tuple(sorted(names))


def _same(one: LargeColumn, other: LargeColumn) -> bool:
    """Whether two columns hold the same texts in the same rows."""
    return one.texts.equals(other.texts)


def _row_sums(columns: Sequence[LargeColumn]) -> tuple[int, int]:
    """Two 64-bit sums that tables with the same rows share, whatever their order: of the hashes of rows, and of their
    squares."""
    import polars

    frame = polars.DataFrame([column.texts.alias(f"c{index}") for index, column in enumerate(columns)])
    total = squares = 0
    for rows in frame.iter_slices(_PIECE):
        hashes = rows.hash_rows(_SEED).to_numpy()
        total += int(hashes.sum(dtype="uint64"))
        squares += int(hashes.dot(hashes))
    return total % 2**64, squares % 2**64
