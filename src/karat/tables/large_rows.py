"""Pairing the rows of two large tables that have been read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from karat.tables.bipartite import Unsettled, perfect_matching
from karat.tables.grid import Grid
from karat.tables.large_columns import LargeColumn
from karat.tables.options import CompareOptions

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

MAX_GROUPS = 50_000
MAX_SEARCHED = 2_000_000
_SAMPLE = 1_000
_PIECE = 32_768
"""Rows mixed at a time: their keys stay in the processor's cache."""


class Rows:
    """Two tables side by side: a key for each row, and the pairs of columns whose cells must be close."""

    def __init__(
        self,
        by_text: Sequence[tuple[LargeColumn, LargeColumn]],
        by_meaning: Sequence[tuple[LargeColumn, LargeColumn]],
        options: CompareOptions,
    ) -> None:
        self.options = options
        # Where all rows are numbers on both sides, all keys are the same, and say nothing.
        keyed = [pair for pair in by_meaning if not (pair[0].only_numbers and pair[1].only_numbers)]
        height = len((by_text or by_meaning)[0][0].texts)
        self.gold_keys = _mixed([gold.hashes for gold, _ in by_text] + [gold.keys for gold, _ in keyed], height)
        self.pred_keys = _mixed([pred.hashes for _, pred in by_text] + [pred.keys for _, pred in keyed], height)
        self.numeric = [pair for pair in by_meaning if pair[0].has_numbers]


def _mixed(keys: Sequence[Array], height: int) -> Array:
    """One key a row out of several."""
    import numpy

    mixed = numpy.full(height, 0x9E3779B97F4A7C15, dtype=numpy.uint64)
    for start in range(0, height, _PIECE):
        piece = mixed[start : start + _PIECE]
        for key in keys:
            piece ^= key[start : start + _PIECE]
            piece *= numpy.uint64(0xBF58476D1CE4E5B9)
            piece ^= piece >> numpy.uint64(29)
    return mixed


def pair_rows(rows: Rows, *, search: bool) -> Array | None:
    """For each gold row the prediction row equal to it; None when there is no such pairing, or, without ``search``, when sorting
    alone does not find it. Raises :class:`Unsettled`.
    """
    import numpy

    (gold_order, gold_keys), (pred_order, pred_keys) = in_order(rows.gold_keys), in_order(rows.pred_keys)
    if not (gold_keys == pred_keys).all():
        return None
    if (gold_keys[1:] == gold_keys[:-1]).any():
        gold_order = _sorted(rows.gold_keys, [gold.numbers for gold, _ in rows.numeric])
        pred_order = _sorted(rows.pred_keys, [pred.numbers for _, pred in rows.numeric])
    paired = numpy.empty(len(gold_order), dtype=numpy.int64)
    paired[gold_order] = pred_order
    good = numpy.ones(len(gold_order), dtype=bool)
    for gold, pred in rows.numeric:
        good &= gold.equal_to(pred, slice(None), paired)
    if good.all():
        return paired
    if not search:
        return None
    groups = list(_bad_groups(gold_keys, good[gold_order]))
    if len(groups) > MAX_GROUPS:
        raise Unsettled
    for start, end in groups:
        members, others = gold_order[start:end], pred_order[start:end]
        found = _pair_group(members, others, rows.numeric, rows.options)
        if found is None:
            return None
        paired[members] = found
    return paired


def in_order(keys: Array) -> tuple[Array, Array]:
    """The places of the keys in the order of their sizes, and the keys in that order.

    Sorting integers is several times quicker than sorting their places. So each place is written into the lowest bits of its key;
    where these bits would have decided between two keys, the places are sorted after all.
    """
    import numpy

    low = numpy.uint64((1 << len(keys).bit_length()) - 1)
    packed = keys & ~low
    packed |= numpy.arange(len(keys), dtype=numpy.uint64)
    packed.sort()
    packed &= low
    order = packed.view(numpy.int64)
    found = keys[order]
    if (found[1:] < found[:-1]).any():
        order = numpy.argsort(keys)
        found = keys[order]
    return order, found


def _sorted(keys: Array, numbers: Sequence[Array]) -> Array:
    import polars

    columns = {"key": keys, **{f"n{index}": values for index, values in enumerate(numbers)}}
    frame = polars.DataFrame(columns)
    return frame.select(polars.arg_sort_by(*frame.columns)).to_series().to_numpy()


def _bad_groups(keys: Array, good: Array) -> Iterator[tuple[int, int]]:
    """Where the groups of equal keys stand in which some row does not fit."""
    import numpy

    starts = numpy.concatenate(([0], numpy.flatnonzero(keys[1:] != keys[:-1]) + 1))
    ends = numpy.concatenate((starts[1:], [len(keys)]))
    whole = numpy.logical_and.reduceat(good, starts)
    for index in numpy.flatnonzero(~whole):
        yield int(starts[index]), int(ends[index])


def _pair_group(
    gold_rows: Array, pred_rows: Array, numeric: Sequence[tuple[LargeColumn, LargeColumn]], options: CompareOptions
) -> Array | None:
    """A full pairing out of all allowed pairs. A few gold rows go first: where one of them has no partner, none need be sought."""
    import numpy

    grid = Grid(pred_rows, numeric, options)
    sample = gold_rows[:: max(1, len(gold_rows) // _SAMPLE)]
    if not numpy.bincount(grid.allowed(sample)[0], minlength=len(sample)).all():
        return None
    left, right = grid.allowed(gold_rows)
    if not numpy.bincount(left, minlength=len(gold_rows)).all():
        return None
    return _full_pairing(gold_rows, left, right)


def _full_pairing(gold_rows: Array, left: Array, right: Array) -> Array | None:
    """Pairs that are each other's only choice are taken at once; a search pairs the rest."""
    import numpy

    paired = numpy.full(len(gold_rows), -1, dtype=numpy.int64)
    while len(left):
        degree = numpy.bincount(left, minlength=len(gold_rows))
        forced = (degree[left] == 1) & (numpy.bincount(right)[right] == 1)
        if not forced.any():
            break
        paired[left[forced]] = right[forced]
        left, right = left[~forced], right[~forced]
    open_rows = numpy.flatnonzero(paired < 0)
    if not len(open_rows):
        return paired
    if len(left) > MAX_SEARCHED:
        raise Unsettled
    choices: dict[int, list[int]] = {int(row): [] for row in open_rows}
    for row, choice in zip(left.tolist(), right.tolist(), strict=True):
        choices[row].append(choice)
    found = perfect_matching(list(choices.values()))
    if found is None:
        return None
    paired[open_rows] = found
    return paired
