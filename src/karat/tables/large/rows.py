"""Pairing the rows of two large tables that have been read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.tables.large.columns import LargeColumn
from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import Unsettled, perfect_matching
from karat.tables.small.grid import Grid
from karat.tables.values.numbers import VAST

if TYPE_CHECKING:
    from karat.tables.arrays import Array

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
        # Whole numbers that are compared exactly are keys as good as texts: ids then tell which rows belong together.
        whole = [pair for pair in by_meaning if pair[0].has_numbers and compared_exactly(*pair)]
        height = len((by_text or by_meaning)[0][0].texts)
        sides = []
        for side in (0, 1):
            keys = [pair[side].hashes for pair in by_text] + [pair[side].keys for pair in keyed]
            sides.append(mixed(keys + [_bits(pair[side].numbers) for pair in whole], height))
        self.gold_keys, self.pred_keys = sides
        self.numeric = [pair for pair in by_meaning if pair[0].has_numbers and pair not in whole]


def compared_exactly(gold: LargeColumn, pred: LargeColumn) -> bool:
    """Whether two numbers of these columns are equal only when they are the same float."""
    told_by_number = not (gold.coded or pred.coded or (gold.paid and pred.paid))
    return gold.exact and pred.exact and told_by_number and max(gold.largest, pred.largest) < VAST


def _bits(numbers: Array) -> Array:
    """Numbers as keys; adding 0 makes one zero of the two."""
    import numpy

    bits: Array = (numbers + 0.0).view(numpy.uint64)
    return bits


def mixed(keys: Sequence[Array], height: int) -> Array:
    """One key per row out of several."""
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
    """For each gold row the prediction row equal to it; None when there is no such pairing, or, without ``search``,
    when sorting alone does not find it. Raises :class:`Unsettled`.
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
    return paired if _search(rows, gold_keys, gold_order, pred_order, good, paired) else None


def refuted(rows: Rows) -> bool:
    """Whether it is certain that the rows cannot be paired: other keys, or a row that has its key to itself and does
    not fit."""
    import numpy

    (gold_order, gold_keys), (pred_order, pred_keys) = in_order(rows.gold_keys), in_order(rows.pred_keys)
    if not (gold_keys == pred_keys).all():
        return True
    change = gold_keys[1:] != gold_keys[:-1]
    lone = numpy.concatenate(([True], change)) & numpy.concatenate((change, [True]))
    mine, others = gold_order[lone], pred_order[lone]
    # Where many rows differ, a few show it.
    for part in (slice(_SAMPLE), slice(None)):
        if any(not gold.equal_to(pred, mine[part], others[part]).all() for gold, pred in rows.numeric):
            return True
    return False


def _search(rows: Rows, keys: Array, gold_order: Array, pred_order: Array, good: Array, paired: Array) -> bool:
    """Pairs the rows of each group of equal keys in which some row does not fit; whether all could be paired. The
    smallest groups go first: one group that cannot be paired settles it, however many there are. Raises
    :class:`Unsettled`.
    """
    starts, ends = _bad_groups(keys, good[gold_order])
    if len(starts) and ends[0] - starts[0] == 1:
        return False
    unsettled = len(starts) > MAX_GROUPS
    for start, end in zip(starts[:MAX_GROUPS].tolist(), ends[:MAX_GROUPS].tolist(), strict=True):
        members, others = gold_order[start:end], pred_order[start:end]
        try:
            found = _pair_group(members, others, rows.numeric, rows.options)
        except Unsettled:
            unsettled = True
            continue
        if found is None:
            return False
        paired[members] = found
    if unsettled:
        raise Unsettled
    return True


def in_order(keys: Array) -> tuple[Array, Array]:
    """The places of the keys in the order of their sizes, and the keys in that order.

    Sorting integers is several times quicker than sorting their places. So each place is written into the lowest bits
    of its key; where these bits would have decided between two keys, the places are sorted after all.
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
    """The places of the rows in the order of their keys, then of their numbers: sorted by the last of these first."""
    import numpy

    columns = [column for column in (*reversed(numbers), keys) if (column != column[:1]).any()]
    order: Array = numpy.argsort((columns or [keys])[0])  # several times quicker than a stable sort
    for column in columns[1:]:
        order = order[numpy.argsort(column[order], kind="stable")]
    return order


def _bad_groups(keys: Array, good: Array) -> tuple[Array, Array]:
    """Where the groups of equal keys begin and end in which some row does not fit, the smallest first."""
    import numpy

    starts = numpy.concatenate(([0], numpy.flatnonzero(keys[1:] != keys[:-1]) + 1))
    ends = numpy.concatenate((starts[1:], [len(keys)]))
    bad = numpy.flatnonzero(~numpy.logical_and.reduceat(good, starts))
    bad = bad[numpy.argsort(ends[bad] - starts[bad], kind="stable")]
    return starts[bad], ends[bad]


def _pair_group(
    gold_rows: Array, pred_rows: Array, numeric: Sequence[tuple[LargeColumn, LargeColumn]], options: CompareOptions
) -> Array | None:
    """A full pairing out of all allowed pairs. A few gold rows go first: where one of them has no partner, none need be
    sought."""
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
