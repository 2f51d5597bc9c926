"""Whether two sets of rows are the same rows, cell by cell, in any order: the pairing of gold rows with prediction
rows.

Rows are first grouped by everything that is compared exactly. Inside a group only numbers are left, and they have a
tolerance: the rows sorted by their numbers usually pair up one by one; where they do not, every allowed pair is listed
and a full pairing is searched. Rounding into buckets first would be quicker, and wrong at the edges of the buckets.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import copysign, floor

from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import Unsettled, perfect_matching
from karat.tables.small.grid_scale import REACH, grid_scale
from karat.tables.values.cells import Cell, equal

Pair = tuple[Sequence[Cell], Sequence[Cell]]
"""A gold column and the prediction column it is mapped to."""

MAX_PAIRS = 3_000_000
_NUMBER = ("#", "")


def row_pairing(pairs: Sequence[Pair], options: CompareOptions, *, contained: bool = False) -> list[int] | None:
    """For each gold row the prediction row equal to it; None when the rows are not the same.

    With ``contained`` every gold row must be found, and the prediction may have more. Raises :class:`Unsettled`.
    """
    gold_height, pred_height = len(pairs[0][0]), len(pairs[0][1])
    if gold_height > pred_height or (gold_height != pred_height and not contained):
        return None
    gold_groups = _groups([gold for gold, _ in pairs])
    pred_groups = _groups([pred for _, pred in pairs])
    for key, members in gold_groups.items():
        others = pred_groups.get(key, ())
        if len(members) > len(others) or (len(members) != len(others) and not contained):
            return None
    numeric = [pair for pair in pairs if any(cell.numeric or cell.parts for cell in pair[0])]
    found = [-1] * gold_height
    for key, members in gold_groups.items():
        paired = _pair_group(members, pred_groups[key], numeric, options)
        if paired is None:
            return None
        for gold_row, pred_row in zip(members, paired, strict=True):
            found[gold_row] = pred_row
    return found


def _groups(columns: Sequence[Sequence[Cell]]) -> dict[tuple[tuple[str, str], ...], list[int]]:
    keys = [[_NUMBER if cell.numeric else (cell.kind, cell.key) for cell in column] for column in columns]
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        groups.setdefault(key, []).append(row)
    return groups


def _pair_group(
    gold_rows: Sequence[int], pred_rows: Sequence[int], numeric: Sequence[Pair], options: CompareOptions
) -> Sequence[int] | None:
    # Inside a group a column holds numbers in all rows or in none, and so with nested cells of one shape.
    firsts = [(pair, pair[0][gold_rows[0]]) for pair in numeric]
    numeric = [pair for pair, cell in firsts if cell.numeric or cell.parts]
    if not numeric:
        return pred_rows[: len(gold_rows)]
    if len(gold_rows) == len(pred_rows):
        quick = _pair_sorted(gold_rows, pred_rows, numeric, options)
        if quick is not None or len(gold_rows) == 1:
            return quick
    return _pair_by_search(gold_rows, pred_rows, numeric, options)


def _pair_sorted(
    gold_rows: Sequence[int], pred_rows: Sequence[int], numeric: Sequence[Pair], options: CompareOptions
) -> list[int] | None:
    gold_order = sorted(gold_rows, key=lambda row: [gold[row].number for gold, _ in numeric])
    pred_order = sorted(pred_rows, key=lambda row: [pred[row].number for _, pred in numeric])
    paired = dict(zip(gold_order, pred_order, strict=True))
    for gold, pred in numeric:
        if not all(equal(gold[g], pred[p], options) for g, p in paired.items()):
            return None
    return [paired[row] for row in gold_rows]


def _pair_by_search(
    gold_rows: Sequence[int], pred_rows: Sequence[int], numeric: Sequence[Pair], options: CompareOptions
) -> list[int] | None:
    """Every allowed pair, and out of them a pairing of all rows. Prediction rows lie in a grid of up to three of their
    numbers; a gold row looks into every cell within its tolerance, so nothing is lost at an edge.
    """
    least = [min(column[row].decimals for column in pair for row in range(len(column))) for pair in numeric]
    scales = [grid_scale(options, decimals) for decimals in least]

    def scaled(cell: Cell, index: int) -> float:
        return copysign(scales[index](abs(cell.number)), cell.number)

    cells = [[floor(scaled(pred[row], index)) for row in pred_rows] for index, (_, pred) in enumerate(numeric)]
    directions = sorted(range(len(numeric)), key=lambda index: -len(set(cells[index])))[:3]
    grid: dict[tuple[int, ...], list[int]] = {}
    for place, key in enumerate(zip(*(cells[index] for index in directions), strict=True)):
        grid.setdefault(key, []).append(pred_rows[place])
    looked_at = 0
    choices: list[list[int]] = []
    for row in gold_rows:
        values = [scaled(numeric[index][0][row], index) for index in directions]
        around = product(*({floor(value - REACH), floor(value + REACH)} for value in values))
        near = [p for key in around for p in grid.get(key, ())]
        looked_at += len(near)
        if looked_at > MAX_PAIRS:
            raise Unsettled
        allowed = [p for p in near if all(equal(gold[row], pred[p], options) for gold, pred in numeric)]
        if not allowed:
            return None
        choices.append(allowed)
    return perfect_matching(choices)
