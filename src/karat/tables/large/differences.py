"""The rows in which two large tables differ, for an explanation: found by hashes and numbers, without reading every
cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.tables.explain.column_similarity import likeliest_mapping
from karat.tables.explain.parts import Part
from karat.tables.explain.side_by_side import View
from karat.tables.large.columns import LargeColumn
from karat.tables.large.rows import in_order as sorted_keys
from karat.tables.large.rows import mixed
from karat.tables.matching import TablePair
from karat.tables.small.bipartite import Unsettled, perfect_matching
from karat.tables.small.mapping import preferred
from karat.tables.table import Table

if TYPE_CHECKING:
    from karat.tables.arrays import Array

_SHARE_TEXTS = 2_000
_MAPPING_ROWS = 500
_FEW = 64
_WIDEST = 400
_KEYS_TRIED = 8
_SOLID = 0.9
"""A column of which this share of texts is the same tells which rows belong together."""


def differing_part(pair: TablePair, rows: int, *, in_order: bool, mapping: Sequence[int | None] | None = None) -> Part:
    """About this many of the rows that differ, the same ones on both sides as far as can be told."""
    return _Finder(pair, mapping).part(rows, in_order=in_order)


class _Finder:
    def __init__(self, pair: TablePair, mapping: Sequence[int | None] | None) -> None:
        self.pair = pair
        self.gold, self.pred = pair.large.gold, pair.large.pred
        self.same_height = pair.gold.height == pair.pred.height
        self.given = mapping is not None
        self.mapping = tuple(self._mapping() if mapping is None else mapping)
        self.pairs = [(self.gold[g], self.pred[p]) for g, p in enumerate(self.mapping) if p is not None]

    def _mapping(self) -> list[int | None]:
        """Columns with the same texts first, then by their share of texts and their headers, then by what the cells
        mean."""
        gold, pred = self.pair.gold, self.pair.pred
        if self.same_height and gold.width <= pred.width:
            whole = [self._whole(g) for g in range(gold.width)]
            found = perfect_matching(preferred(whole, gold.names, pred.names))
            if found is not None:
                return list(found)
        shares = self._shares()
        mapping = likeliest_mapping(shares, gold.names, pred.names)
        open_gold = [g for g, p in enumerate(mapping) if p is None or not shares[g][p]][:_WIDEST]
        open_pred = [p for p in range(pred.width) if p not in mapping or p in {mapping[g] for g in open_gold}][:_WIDEST]
        if not open_gold or not open_pred:
            return mapping
        if len(open_gold) == 1 and mapping[open_gold[0]] is not None:
            return mapping
        self.pairs = [(self.gold[g], self.pred[p]) for g, p in enumerate(mapping) if p is not None and shares[g][p]]
        chosen = self._sample(_every(gold.height), _every(pred.height), _MAPPING_ROWS)
        part = View(
            _taken(gold.select(open_gold), chosen[0]),
            _taken(pred.select(open_pred), chosen[1]),
            self.pair.options,
            in_order=False,
        )
        for g in open_gold:
            mapping[g] = None
        for g, p in zip(open_gold, part.mapping, strict=True):
            mapping[g] = None if p is None else open_pred[p]
        return mapping

    def _shares(self) -> list[list[float]]:
        """How much of each gold column each prediction column holds; columns with the same texts are not compared with
        others."""
        same = [[g.same_texts(p) for p in self.pred] for g in self.gold]
        taken = [any(column) for column in zip(*same, strict=True)]
        return [
            [
                float(known) if any(row) or taken[p] else _share_of_texts(self.gold[g], self.pred[p])
                for p, known in enumerate(row)
            ]
            for g, row in enumerate(same)
        ]

    def _whole(self, g: int) -> list[int]:
        """The prediction columns that hold this gold column: those with its texts, or else those with its meaning."""
        columns = range(len(self.pred))
        same = [p for p in columns if self.gold[g].same_texts(self.pred[p])]
        return same or [p for p in columns if self._holds(g, p)]

    def _holds(self, g: int, p: int) -> bool:
        """Whether two columns hold the same cells, in any order."""
        if self.gold[g].same_texts(self.pred[p]):
            return True
        large = self.pair.large
        if large.pair(g, p) is None:
            return False
        try:
            return large.rows_agree([(g, p)]) is not None
        except Unsettled:
            return True

    def part(self, rows: int, *, in_order: bool) -> Part:
        import numpy

        gold, pred = self.pair.gold, self.pair.pred
        unmatched: tuple[int, ...] | None = None
        if self.given:
            unmatched = ()
        elif self.same_height:
            unmatched = tuple(g for g, p in enumerate(self.mapping) if p is None or not self._holds(g, p))
        distinct = None
        if in_order:
            left = right = self._differing_in_order()
        else:
            left, right, distinct = self._differing()
        equal = min(gold.height - len(left), pred.height - len(right))
        weight = 1.0
        if max(len(left), len(right)) > rows:
            few = (left[:rows], right[:rows]) if in_order else self._sample(left, right, rows)
            weight = len(left) / max(1, len(few[0])) if len(left) >= len(right) else len(right) / max(1, len(few[1]))
            left, right = few
        left, right = numpy.sort(left), numpy.sort(right)
        return Part(
            _taken(gold, left),
            _taken(pred, right),
            self.mapping,
            unmatched,
            left.tolist(),
            right.tolist(),
            equal,
            max(1.0, weight),
            None if self.same_height else distinct,
        )

    def _differing_in_order(self) -> Array:
        import numpy

        same = numpy.ones(self.pair.gold.height, dtype=bool)
        for gold, pred in self.pairs:
            same &= (gold.hashes == pred.hashes) | gold.equal_to(pred, slice(None), slice(None))
        if None in self.mapping:
            same[:] = False
        return numpy.flatnonzero(~same)

    def _differing(self) -> tuple[Array, Array, bool]:
        """The rows on either side that have no row of the same texts; where these are many, those that differ in
        meaning from the row with which they share the columns that are solid. And whether the different rows are the
        same ones.
        """
        if None in self.mapping:  # no row is equal to a row that lacks a column
            return _every(self.pair.gold.height), _every(self.pair.pred.height), False
        left, right, _, distinct = _unpaired(
            mixed([gold.hashes for gold, _ in self.pairs], self.pair.gold.height),
            mixed([pred.hashes for _, pred in self.pairs], self.pair.pred.height),
        )
        solid = [pair for pair in self.pairs if _share_of_texts(*pair) >= _SOLID]
        loose = [pair for pair in self.pairs if pair not in solid]
        if not solid or not loose or max(len(left), len(right)) <= _MAPPING_ROWS:
            return left, right, distinct
        few_left, few_right, paired, _ = _unpaired(
            mixed([gold.hashes[left] for gold, _ in solid], len(left)),
            mixed([pred.hashes[right] for _, pred in solid], len(right)),
        )
        import numpy

        g, p = left[paired[0]], right[paired[1]]
        same = numpy.ones(len(g), dtype=bool)
        for gold, pred in loose:
            same &= gold.equal_to(pred, g, p)
        return (
            numpy.concatenate((left[few_left], g[~same])),
            numpy.concatenate((right[few_right], p[~same])),
            distinct,
        )

    def _sample(self, left: Array, right: Array, rows: int) -> tuple[Array, Array]:
        """The same part of both sides: rows chosen by the hash of a solid column with many different texts. Of several,
        the one by which the rows agree in most other columns: one whose cells have changed places chooses rows that do
        not belong together.
        """
        import numpy

        solid = [pair for pair in self.pairs if _share_of_texts(*pair) >= _SOLID]
        if not solid or not len(left) or not len(right):
            return left[:rows], right[:rows]
        different = [len(numpy.unique(gold.hashes[left[:_SHARE_TEXTS]])) for gold, _ in solid]
        keys = [pair for pair, count in zip(solid, different, strict=True) if count >= max(different) * _SOLID]
        wanted = numpy.uint64(-(-max(len(left), len(right)) // rows))
        samples = []
        for gold, pred in keys[:_KEYS_TRIED]:
            few = left[_scattered(gold.hashes[left]) % wanted == 0], right[_scattered(pred.hashes[right]) % wanted == 0]
            if len(few[0]) and len(few[1]) and max(map(len, few)) <= 4 * rows:
                samples.append((self._agreement(gold.hashes[few[0]], pred.hashes[few[1]], few), few))
        return max(samples, key=lambda sample: sample[0])[1] if samples else (left[:rows], right[:rows])

    def _agreement(self, gold_keys: Array, pred_keys: Array, rows: tuple[Array, Array]) -> int:
        """How many cells are the same in these rows, each beside the one with the same key."""
        import numpy

        _, _, (g, p), _ = _unpaired(gold_keys, pred_keys)
        g, p = rows[0][g], rows[1][p]
        return sum(int(numpy.count_nonzero(gold.hashes[g] == pred.hashes[p])) for gold, pred in self.pairs)


def _every(height: int) -> Array:
    import numpy

    return numpy.arange(height)


def _scattered(hashes: Array) -> Array:
    import numpy

    return (hashes * numpy.uint64(0x9E3779B97F4A7C15)) >> numpy.uint64(20)


def _share_of_texts(gold: LargeColumn, pred: LargeColumn) -> float:
    """About how many of gold's texts the other column has. Both are looked at in the same sample of texts."""
    import numpy

    if gold.same_texts(pred):
        return 1.0
    few = [numpy.unique(column.hashes[:_SHARE_TEXTS]) for column in (gold, pred)]
    if max(map(len, few)) <= _FEW:
        return len(numpy.intersect1d(few[0], few[1])) / max(1, len(few[0]))
    wanted = numpy.uint64(max(1, len(gold.hashes) // _SHARE_TEXTS))
    sampled = []
    for column in (gold, pred):
        hashes = column.hashes
        sampled.append(numpy.unique(hashes[_scattered(hashes) % wanted == 0], return_counts=True))
    (texts, counts), (others, other_counts) = sampled
    _, one, two = numpy.intersect1d(texts, others, return_indices=True)
    return float(numpy.minimum(counts[one], other_counts[two]).sum() / max(1, counts.sum()))


def _unpaired(gold: Array, pred: Array) -> tuple[Array, Array, tuple[Array, Array], bool]:
    """The places of keys that are left over on either side when each is paired with one like it, the pairs, and whether
    both sides have the same different keys.
    """
    import numpy

    (gold_order, gold_keys), (pred_order, pred_keys) = sorted_keys(gold), sorted_keys(pred)
    found = numpy.searchsorted(pred_keys, gold_keys) + _place_in_group(gold_keys)
    inside = numpy.minimum(found, max(0, len(pred_keys) - 1))
    hit = (found < len(pred_keys)) & (pred_keys[inside] == gold_keys) if len(pred_keys) else found < 0
    taken = numpy.zeros(len(pred_keys), dtype=bool)
    taken[found[hit]] = True
    pairs = gold_order[hit], pred_order[found[hit]]
    first = _place_in_group(gold_keys) == 0, _place_in_group(pred_keys) == 0
    distinct = numpy.array_equal(gold_keys[first[0]], pred_keys[first[1]])
    return gold_order[~hit], pred_order[~taken], pairs, bool(distinct)


def _place_in_group(keys: Array) -> Array:
    """For each of these sorted keys how many like it are before it."""
    import numpy

    places = numpy.arange(len(keys))
    starts = numpy.where(numpy.concatenate(([True], keys[1:] != keys[:-1])), places, 0) if len(keys) else places
    before: Array = places - numpy.maximum.accumulate(starts) if len(keys) else places
    return before


def _taken(table: Table, rows: Array) -> Table:
    """These rows of a table, as lists."""
    columns = tuple(table.series(index).gather(rows).to_list() for index in range(table.width))
    return Table(table.names, columns, len(rows))
