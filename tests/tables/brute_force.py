"""The rule for two tables said in the slowest way: try every mapping of columns and every pairing of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from karat.tables.options import CompareOptions
from karat.tables.values.cells import as_gold, equal, parse

Rows = Sequence[Sequence[str | None]]


def same_tables(gold: Rows, pred: Rows, *, ignore_order: bool, options: CompareOptions) -> bool:
    """Gold and prediction have a row at least, and every row of a table the same width."""
    if len(gold) != len(pred):
        return False
    columns = [as_gold([parse(row[column], options) for row in gold]) for column in range(len(gold[0]))]
    read_gold = list(zip(*columns, strict=True))
    columns = [[parse(row[column], options) for row in pred] for column in range(len(pred[0]))]
    read_pred = list(zip(*columns, strict=True))
    width = len(gold[0])
    orders = list(permutations(range(len(pred)))) if ignore_order else [tuple(range(len(pred)))]
    for mapping in permutations(range(len(pred[0])), width):
        for order in orders:
            if all(
                equal(read_gold[row][column], read_pred[order[row]][mapping[column]], options)
                for row in range(len(gold))
                for column in range(width)
            ):
                return True
    return False
