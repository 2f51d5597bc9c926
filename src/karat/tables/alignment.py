"""Which prediction row a gold row comes nearest to, how many cells agree, and the first rows that differ.

For seeing progress and for showing differences. The verdict does not depend on it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from karat.tables.cells import Cell, equal
from karat.tables.likeness import identity
from karat.tables.options import CompareOptions

SHOWN_ROWS = 5
SHOWN_COLUMNS = 12
SHOWN_LETTERS = 80
_POSTINGS = 16

Mapped = Sequence[tuple[Sequence[Cell], Sequence[Cell] | None]]
"""Each gold column with the prediction column mapped to it, if any."""


class Alignment(msgspec.Struct, frozen=True):
    """Gold rows beside prediction rows; either side may be alone. ``cell_f1`` is of gold's columns only: others are free."""

    pairs: tuple[tuple[int | None, int | None], ...]
    equal_cells: tuple[int, ...]
    cell_f1: float
    row_share: float


def align(mapped: Mapped, gold_height: int, pred_height: int, options: CompareOptions, *, ordered: bool) -> Alignment:
    """Pairs the rows: in their order, or else equal rows first and then those with the most cells in common."""
    if ordered:
        length = max(gold_height, pred_height)
        pairs = [(i if i < gold_height else None, i if i < pred_height else None) for i in range(length)]
    else:
        pairs = _pair_by_cells(mapped, gold_height, pred_height)
    agreeing = []
    for g, p in pairs:
        agreeing.append(0 if g is None or p is None else _agreeing(mapped, g, p, options))
    cells = (gold_height + pred_height) * len(mapped)
    whole = sum(1 for count in agreeing if count == len(mapped))
    rows = max(gold_height, pred_height)
    return Alignment(
        tuple(pairs),
        tuple(agreeing),
        2 * sum(agreeing) / cells if cells else 1.0,
        whole / rows if rows else 1.0,
    )


def _agreeing(mapped: Mapped, g: int, p: int, options: CompareOptions) -> int:
    return sum(1 for gold, pred in mapped if pred is not None and equal(gold[g], pred[p], options))


def _pair_by_cells(mapped: Mapped, gold_height: int, pred_height: int) -> list[tuple[int | None, int | None]]:
    columns = [pair for pair in mapped if pair[1] is not None]
    gold_keys = [tuple(identity(gold[row]) for gold, _ in columns) for row in range(gold_height)]
    pred_keys = [tuple(identity(pred[row]) for _, pred in columns if pred is not None) for row in range(pred_height)]
    free: dict[Any, list[int]] = defaultdict(list)
    for row in reversed(range(pred_height)):
        free[pred_keys[row]].append(row)
    pairs: list[tuple[int | None, int | None]] = []
    left_gold = []
    for row, key in enumerate(gold_keys):
        if free[key]:
            pairs.append((row, free[key].pop()))
        else:
            left_gold.append(row)
    left_pred = sorted(row for rows in free.values() for row in rows)
    pairs += _pair_the_rest(left_gold, left_pred, gold_keys, pred_keys)
    return sorted(pairs, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1] or 0))


def _pair_the_rest(
    gold_rows: Sequence[int], pred_rows: Sequence[int], gold_keys: Sequence[Any], pred_keys: Sequence[Any]
) -> list[tuple[int | None, int | None]]:
    holding: dict[Any, list[int]] = defaultdict(list)
    for row in pred_rows:
        for column, key in enumerate(pred_keys[row]):
            if len(holding[column, key]) < _POSTINGS:
                holding[column, key].append(row)
    taken: set[int] = set()
    pairs: list[tuple[int | None, int | None]] = []
    alone = []
    for row in gold_rows:
        votes = Counter(
            other for column, key in enumerate(gold_keys[row]) for other in holding[column, key] if other not in taken
        )
        if votes:
            best = max(votes, key=lambda other: (votes[other], -other))
            taken.add(best)
            pairs.append((row, best))
        else:
            alone.append(row)
    rest = [row for row in pred_rows if row not in taken]
    # What has nothing in common is put side by side in the order of its values, where a small difference moves a row least.
    alone.sort(key=lambda row: gold_keys[row])
    rest.sort(key=lambda row: pred_keys[row])
    pairs += zip(alone, rest, strict=False)
    both = min(len(alone), len(rest))
    pairs += [(row, None) for row in alone[both:]]
    pairs += [(None, row) for row in rest[both:]]
    return pairs


def first_differences(alignment: Alignment, mapped: Mapped) -> list[dict[str, Any]]:
    """The first rows that differ, gold and prediction side by side, as plain JSON of bounded size. Rows count from 1."""
    shown: list[dict[str, Any]] = []
    for (g, p), agreeing in zip(alignment.pairs, alignment.equal_cells, strict=True):
        if agreeing == len(mapped):
            continue
        row: dict[str, Any] = {}
        if g is not None:
            row["gold_row"] = g + 1
            row["gold"] = [shown_text(gold[g]) for gold, _ in mapped[:SHOWN_COLUMNS]]
        if p is not None:
            row["pred_row"] = p + 1
            row["pred"] = [None if pred is None else shown_text(pred[p]) for _, pred in mapped[:SHOWN_COLUMNS]]
        shown.append(row)
        if len(shown) == SHOWN_ROWS:
            break
    return shown


def shown_text(cell: Cell) -> str | None:
    """The text of a cell, cut where it is long."""
    if cell.text is None or len(cell.text) <= SHOWN_LETTERS:
        return cell.text
    return cell.text[: SHOWN_LETTERS - 1] + "…"
