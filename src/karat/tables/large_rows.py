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


class Rows:
    """Two tables side by side: a key for each row, and the pairs of columns whose cells must be close."""

    def __init__(
        self,
        keyed: Sequence[tuple[LargeColumn, LargeColumn]],
        compared: Sequence[tuple[LargeColumn, LargeColumn]],
        options: CompareOptions,
        *,
        by_text: bool,
    ) -> None:
        self.options = options
        self.compared = [pair for pair in compared if pair[0].has_numbers or by_text]
        gold = [pair[0].hashes if by_text else pair[0].keys for pair in keyed]
        pred = [pair[1].hashes if by_text else pair[1].keys for pair in keyed]
        if by_text:
            gold += [pair[0].keys for pair in self.compared]
            pred += [pair[1].keys for pair in self.compared]
        self.gold_keys = _mixed(gold)
        self.pred_keys = _mixed(pred)
        self.numeric = [pair for pair in self.compared if pair[0].has_numbers]


def _mixed(keys: Sequence[Array]) -> Array:
    """One key a row out of several."""
    import numpy

    mixed = numpy.full(len(keys[0]), 0x9E3779B97F4A7C15, dtype=numpy.uint64)
    for key in keys:
        mixed ^= key
        mixed *= numpy.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> numpy.uint64(29)
    return mixed


def pair_rows(rows: Rows, *, search: bool) -> Array | None:
    """For each gold row the prediction row equal to it; None when there is no such pairing, or, without ``search``, when sorting
    alone does not find it. Raises :class:`Unsettled`.
    """
    import numpy

    gold_order, pred_order = numpy.argsort(rows.gold_keys), numpy.argsort(rows.pred_keys)
    gold_keys = rows.gold_keys[gold_order]
    if not (gold_keys == rows.pred_keys[pred_order]).all():
        return None
    if (gold_keys[1:] == gold_keys[:-1]).any():
        gold_order = _sorted(rows.gold_keys, [gold.numbers for gold, _ in rows.numeric])
        pred_order = _sorted(rows.pred_keys, [pred.numbers for _, pred in rows.numeric])
    good = numpy.ones(len(gold_order), dtype=bool)
    for gold, pred in rows.numeric:
        good &= gold.equal_to(pred, gold_order, pred_order)
    paired = numpy.empty(len(gold_order), dtype=numpy.int64)
    paired[gold_order] = pred_order
    if good.all():
        return paired
    if not search:
        return None
    groups = list(_bad_groups(gold_keys, good))
    if len(groups) > MAX_GROUPS:
        raise Unsettled
    for start, end in groups:
        members, others = gold_order[start:end], pred_order[start:end]
        found = _pair_group(members, others, rows.numeric, rows.options)
        if found is None:
            return None
        paired[members] = found
    return paired


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
